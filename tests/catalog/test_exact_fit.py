import subprocess
import sys
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from vllmctl.catalog.exact_fit import fits
from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import newest

CHAT = endpoint("chat.completions", newest())
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=5)
    | st.sampled_from(["auto", "none", "text", "function", "user", "type", "role", "content"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "role", "content", "name", "json", "function", "tool_calls"])
            | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(sorted(CHAT.fields)), JSON)
def test_never_passes_what_the_engine_refuses_or_changes(name: str, value: Any) -> None:
    from vllmctl.catalog.engine import FieldValidator

    if fits(CHAT.fields[name].schema, value, CHAT.models):
        coerced, faults = FieldValidator(name, CHAT).check(value)
        assert (coerced, faults) == (value, [])


def test_an_ordinary_body_does_without_the_engine() -> None:
    program = """
import sys
from vllmctl.catalog.load import endpoint
from vllmctl.catalog.schema import check_types
from vllmctl.catalog.target import newest
body = {
    "model": "m", "messages": [{"role": "system", "content": "Kurz, bitte. \u00fc\\n"},
    {"role": "user", "content": "hi"}], "temperature": 0.2, "top_p": 1, "stop": ["a"],
    "max_tokens": 5, "stream": True, "stream_options": {"include_usage": True},
    "chat_template_kwargs": {"enable_thinking": False}, "logit_bias": {"5": 1},
    "structured_outputs": {"json": {"type": "object"}}, "seed": None,
}
assert not check_types(endpoint("chat.completions", newest()), body).faults
assert "pydantic_core" not in sys.modules
check_types(endpoint("chat.completions", newest()), {**body, "temperature": "0.5"})
assert "pydantic_core" in sys.modules and "pydantic" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)
