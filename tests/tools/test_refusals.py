"""Which refusals a release has, and which rules they bear out."""

import pytest

from tools.catalogue.facts import EndpointFacts
from tools.catalogue.known_sites import settle, unknown_sites
from tools.catalogue.raise_sites import Site, raise_sites
from tools.catalogue.rule_sites import Enforced, enforced

SERVING = """
    class Request:
        def check(cls, data):
            if not data:
                return data
            for key in data:
                if key == "n" and data[key] < 1:
                    raise ValueError(f"{key} must be at least 1, "
                                     "not " + str(data[key]))
            try:
                parse(data)
            except TypeError as error:
                message = "Bad shape: %s" % error
                raise ValueError(message) from error
            assert data["a"], "a is wanted"
            match data:
                case {"b": 1}:
                    raise HTTPException(status_code=400, detail="b is not 1")
            return data

    class Handler:
        async def create(self, request):
            with lock:
                if request.c:
                    return self.create_error_response("c cannot be set")
"""
FILES = {
    "vllm/entrypoints/a/serving.py": SERVING,
    "vllm/entrypoints/llm.py": "def f():\n    raise ValueError('offline')\n",
    "vllm/kernels.py": "def f():\n    raise ValueError('elsewhere')\n",
    "vllm/sampling_params.py": "class SamplingParams:\n    quiet = True\n",
}


@pytest.fixture
def sites(sources) -> dict[str, Site]:
    return {site.message: site for site in raise_sites(sources(FILES))}


def test_refusals_on_a_requests_way_are_found(sites) -> None:
    assert list(sites) == [
        "{} must be at least 1, not {}",
        "Bad shape: %s",
        "a is wanted",
        "b is not 1",
        "c cannot be set",
    ]


@pytest.mark.parametrize(
    ("message", "error", "conditions"),
    [
        (
            "{} must be at least 1, not {}",
            "ValueError",
            ("not (not data)", "for key in data", "key == 'n' and data[key] < 1"),
        ),
        ("Bad shape: %s", "ValueError", ("not (not data)", "on TypeError")),
        ("a is wanted", "AssertionError", ("not (not data)",)),
        ("b is not 1", "HTTPException", ("not (not data)", "case {'b': 1}")),
        ("c cannot be set", "create_error_response", ("request.c",)),
    ],
)
def test_refusal_tells_how_and_when(sites, message: str, error: str, conditions: tuple) -> None:
    site = sites[message]
    assert (site.error, site.conditions) == (error, conditions)


def test_refusal_tells_where(sites) -> None:
    site = sites["c cannot be set"]
    assert (site.owner, site.function, site.line) == ("Handler", "create", 24)
    assert site.home == "vllm/entrypoints/a/serving.py Handler.create"


@pytest.fixture
def found(sources, rule_signs) -> Enforced:
    rule_signs(
        {
            "n.min": {"messages": ["must be at least 1"]},
            "c.unset": {"messages": ["^c cannot"], "owner": "^Handler$"},
            "c.other": {"messages": ["^c cannot"], "owner": "^Request$"},
            "a.elsewhere": {"messages": ["^a is"], "path": "renderers/"},
            "quiet": {"code": [[r"sampling_params\.py$", "quiet = True"]]},
            "lost": {"messages": ["never said"]},
        }
    )
    return enforced(sources(FILES))


def test_rules_are_found_by_message_owner_path_and_code(found: Enforced) -> None:
    assert {rule: found.places(rule) for rule in found.rules} == {
        "n.min": ["vllm/entrypoints/a/serving.py:7"],
        "c.unset": ["vllm/entrypoints/a/serving.py:24"],
        "quiet": ["vllm/sampling_params.py:2"],
    }


def test_refusals_without_a_rule_are_left_over(found: Enforced) -> None:
    assert [site.message for site in found.others] == ["Bad shape: %s", "a is wanted", "b is not 1"]


@pytest.mark.parametrize(
    ("rule", "classes", "holds"),
    [
        ("n.min", {"Request"}, True),
        ("n.min", {"OtherRequest"}, False),
        ("c.unset", {"OtherRequest"}, True),
        ("quiet", set(), True),
        ("lost", {"Request"}, False),
    ],
)
def test_check_of_a_bodys_class_holds_for_its_endpoints_only(
    found: Enforced, rule: str, classes: set, holds: bool
) -> None:
    endpoint = EndpointFacts("e", "/e", "POST", "json", None, {}, (), frozenset(classes))
    assert found.holds(rule, endpoint, frozenset({"Request", "OtherRequest"})) == holds


def test_settled_refusals_are_known_wherever_they_move(sites, rule_signs, sources) -> None:
    rule_signs({})
    every = list(sites.values())
    settle(every[:-1])
    assert unknown_sites(every) == every[-1:]
    moved = raise_sites(sources({**FILES, "vllm/entrypoints/a/serving.py": "\n\n" + SERVING}))
    assert [site.message for site in unknown_sites(moved)] == [every[-1].message]
    renamed = every[0]._replace(function="check_n")
    assert unknown_sites([renamed]) == [renamed]
