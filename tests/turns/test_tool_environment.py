from vllmctl.turns.tools import command_tool


def test_a_command_that_a_model_calls_does_not_get_the_key(monkeypatch):
    for name in ("VLLMCTL_API_KEY", "VLLM_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "sk-secret")
    monkeypatch.setenv("OTHER", "here")
    said = command_tool("sh -c 'env'", "--tool-command env")("{}")
    assert "sk-secret" not in said
    assert "OTHER=here" in said
