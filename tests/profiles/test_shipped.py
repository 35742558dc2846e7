import tomllib

import pytest

from vllmctl.catalog.load import endpoint
from vllmctl.catalog.schema import check_types
from vllmctl.catalog.target import newest
from vllmctl.env import Environment
from vllmctl.request.profiles.check import check
from vllmctl.request.profiles.listing import list_profiles
from vllmctl.request.profiles.places import Place, folder
from vllmctl.request.profiles.resolve import resolve

from .helpers import CHAT, COMPLETE, body_of

NAMES = sorted(
    path.stem for path in folder(Place.SHIPPED, Environment(variables={})).glob("*.toml")
)
WANTED = {
    "greedy",
    "creative",
    "precise",
    "json",
    "no-thinking",
    "long-context",
    "benchmark",
    "logprobs",
    "deterministic",
}


def test_ships_what_people_use():
    assert set(NAMES) >= WANTED


@pytest.mark.parametrize("name", NAMES)
def test_has_no_problems(name, user):
    assert check(name, user.env) == []


@pytest.mark.parametrize("name", NAMES)
def test_says_what_it_is_for_in_a_line_and_why_in_a_comment(name, user):
    [row] = [row for row in list_profiles(user.env) if row.name == name]
    assert 10 < len(row.description) < 72
    text = row.path.read_text()
    assert next(iter(tomllib.loads(text))) == "description"
    assert "\n# " in text
    assert "[server]" not in text


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("endpoint_name", [CHAT, COMPLETE])
def test_makes_a_body_of_right_types(name, endpoint_name, user):
    body, _ = body_of(resolve([name], endpoint_name, user.env), endpoint_name)
    body |= {"prompt": "x"} if endpoint_name == COMPLETE else {}
    body.setdefault("messages", [{"role": "user", "content": "x"}])
    assert check_types(endpoint(endpoint_name, newest()), body).faults == ()


@pytest.mark.parametrize("name", NAMES)
def test_changes_something(name, user):
    assert resolve([name], CHAT, user.env).layers


def test_each_does_what_its_name_says(user):
    bodies = {name: body_of(resolve([name], CHAT, user.env))[0] for name in NAMES}
    assert bodies["greedy"] == {"temperature": 0}
    assert bodies["deterministic"] == {"temperature": 0, "seed": 42}
    assert bodies["json"]["response_format"] == {"type": "json_object"}
    assert bodies["no-thinking"] == {"chat_template_kwargs": {"enable_thinking": False}}
    assert bodies["long-context"]["repetition_detection"]["min_count"] >= 2
    assert bodies["benchmark"]["ignore_eos"] is True
    assert bodies["logprobs"] == {"logprobs": True, "top_logprobs": 5}
    assert body_of(resolve(["logprobs"], COMPLETE, user.env), COMPLETE)[0] == {"logprobs": 5}


def test_all_go_together(user):
    resolve(NAMES, CHAT, user.env)
    resolve(NAMES, COMPLETE, user.env)


def test_the_wheel_carries_them_beside_the_package(project, tmp_path, monkeypatch):
    import vllmctl

    settings = tomllib.loads((project / "pyproject.toml").read_text())
    included = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert included["profiles"] == "vllmctl/profiles"
    installed = tmp_path / "vllmctl"
    (installed / "profiles").mkdir(parents=True)
    monkeypatch.setattr(vllmctl, "__file__", str(installed / "__init__.py"))
    assert folder(Place.SHIPPED, Environment(variables={})) == installed / "profiles"
