"""``/set`` and ``/unset`` as changes of what flags give."""

import pytest

from vllmctl.cli.chat import command
from vllmctl.cli.given import Given
from vllmctl.cli.interactive.setting import asks, assigned, require_talkable, setting_names, without
from vllmctl.cli.interactive.talk import Talk
from vllmctl.errors import UsageError
from vllmctl.request.sessions import Session

SPECS = command().specs


def talk(**values):
    return Talk.begin(Given(values, SPECS), Session())


@pytest.mark.parametrize(
    "text,values",
    [
        ("temperature 0.3", {"field_temperature": ["0.3"]}),
        ("temperature=0.3", {"field_temperature": ["0.3"]}),
        ("temperature = 0.3", {"field_temperature": ["0.3"]}),
        ("--temperature 0.3 -u", {"field_temperature": ["0.3"], "usage": True}),
        ("top-p 0.5", {"field_top_p": ["0.5"]}),
        ('stop "a b"', {"field_stop": ["a b"]}),
        ("stop it's", {"field_stop": ["it's"]}),
        ("logit_bias 15043=-100", {"field_logit_bias": ["15043=-100"]}),
        ("thinking false", {"sugar_thinking": False}),
        ("no-thinking", {"sugar_thinking": False}),
        ("schema name, age int", {"sugar_schema": ["name, age int"]}),
        ("json-object true", {"sugar_json_object": True}),
        ("json-object false", {}),
        ("hide-reasoning true", {"hide_reasoning": True}),
        ("timeout 30s", {"timeout": ["30s"]}),
        ("header X-Rank: 0", {"header": ["X-Rank: 0"]}),
        ("max_tokens:=5", {"option": ["max_tokens:=5"]}),
        ("made_up=1", {"option": ["made_up=1"]}),
        ("chat_template_kwargs.a b", {"option": ["chat_template_kwargs.a=b"]}),
        ("system Be\nbrief", {"system": ["Be\nbrief"]}),
    ],
)
def test_a_setting_is_what_its_flag_gives(text, values):
    assert assigned(talk(), text).given.values == values


@pytest.mark.parametrize(
    "before,text,after",
    [
        ({"field_stop": ["a"]}, "stop b", {"field_stop": ["b"]}),
        ({"field_seed": ["1"]}, "seed:=2", {"option": ["seed:=2"]}),
        ({"option": ["seed=1", "top_k=2"]}, "seed 3", {"option": ["top_k=2"], "field_seed": ["3"]}),
        ({"unset": ["seed"]}, "seed 3", {"unset": [], "field_seed": ["3"]}),
        ({"sugar_json_object": True}, "response_format json_object",
         {"field_response_format": ["json_object"]}),
        ({"sugar_thinking": True}, 'chat_template_kwargs {"a": 1}',
         {"field_chat_template_kwargs": ['{"a": 1}']}),
    ],
)  # fmt: skip
def test_a_setting_takes_the_place_of_what_said_the_same(before, text, after):
    assert assigned(talk(**before), text).given.values == after


def test_what_belongs_to_one_message_waits_for_it():
    changed = assigned(talk(), "image cat.png")
    assert (changed.given.values, changed.waiting) == ({}, {"image": ["cat.png"]})


@pytest.mark.parametrize(
    "text,message,hint",
    [
        ("temprature 1", "there is no setting temprature", "did you mean temperature"),
        ("guided_json x", "there is no setting guided_json", "use schema: "),
        ("qqqqq 1", "there is no setting qqqqq", "/set qqqqq=VALUE sends any field"),
        ("thinking maybe", "it takes no value but true or false", ""),
        ("--tempp 1", "no option --tempp", ""),
        ("--seed 1 more", "'more' is no flag", ""),
        ("--stop 'a", "no closing quotation", ""),
        ("dry-run true", "--dry-run cannot be set here", "/body"),
        ("session x", "--session cannot be set here", "/save"),
        ("messages []", "cannot be set here", "/clear"),
        ("messages:=[]", "cannot be set here", "/clear"),
        ("= 3", "expected a name and a value", ""),
    ],
)
def test_what_cannot_be_set_is_refused(text, message, hint):
    with pytest.raises(UsageError) as raised:
        assigned(talk(), text)
    assert message in raised.value.message
    assert hint in raised.value.hint


@pytest.mark.parametrize(
    "before,name,after",
    [
        ({"field_seed": ["1"], "usage": True}, "seed", {"usage": True}),
        ({"field_seed": ["1"], "usage": True}, "usage", {"field_seed": ["1"]}),
        ({"option": ["top_k=1", "top_k.x=2"]}, "top-k", {"option": []}),
        ({"sugar_thinking": False}, "thinking", {}),
        ({"sugar_thinking": False}, "chat_template_kwargs", {}),
        ({"option": ["made_up=1"]}, "made_up", {"option": []}),
    ],
)
def test_unset_takes_away_whatever_set_it(before, name, after):
    assert without(talk(**before), name).given.values == after


def test_the_system_message_leaves_the_conversation_too():
    chat = talk(system=["Be brief"])
    chat.session.messages = [{"role": "system", "content": "x"}, {"role": "user", "content": "y"}]
    changed = without(chat, "system")
    assert [one["role"] for one in changed.session.messages] == ["user"]
    assert not changed.given.has("system")


@pytest.mark.parametrize(
    "text,name",
    [("top_p", "top_p"), ("top-p", "top-p"), ("thinking", "thinking"), ("no-thinking", ""),
     ("top_p 1", ""), ("top_p=1", ""), ("-u", ""), ("", "")],
)  # fmt: skip
def test_a_name_alone_asks_what_is_set(text, name):
    assert asks(text, SPECS) == name


def test_every_name_that_is_offered_can_be_set():
    for name, spec in setting_names(SPECS):
        changed = assigned(talk(), f"{name} true" if spec.switch else f"{name} 1")
        assert spec.dest in {**changed.given.values, **changed.waiting}, name


@pytest.mark.parametrize(
    "values,words",
    [
        ({"dry_run": True}, "--dry-run does not go with --interactive"),
        ({"output": ["x"]}, "--output does not go with --interactive"),
        ({"extract": True}, "--extract does not go with --interactive"),
        ({"json": True}, "--format json does not go with --interactive"),
        ({"format": ["sse"]}, "--format sse does not go with --interactive"),
    ],
)
def test_what_makes_no_sense_turn_by_turn(values, words):
    with pytest.raises(UsageError, match=words):
        require_talkable(Given(values, SPECS))
    require_talkable(Given({"format": ["markdown"]}, SPECS))


def test_faults_and_origins_name_what_was_typed(typed):
    done = typed("/file nope.md", "/image nope.png", "/set header X-Foo: bar", "/set header")
    assert "error: /file: cannot read nope.md" in done.err
    assert "error: /image: cannot read nope.png" in done.err
    assert "headers.X-Foo: bar  (/set header X-Foo)" in done.out


def test_a_flag_of_no_setting_is_not_offered_as_a_field(typed):
    done = typed("/unset -o")
    assert "there is no setting -o" in done.err
    assert "-o=VALUE" not in done.err
