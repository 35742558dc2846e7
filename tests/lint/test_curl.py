"""Curl commands, as people paste them."""

import json
from pathlib import Path

import pytest

from tests.lint.helpers import chat, lint

BODY = '{"prompt": "it is", "temperatur": 1}'
CHAT = json.dumps(chat(temperatur=1))


@pytest.mark.parametrize(
    "command",
    [
        f"curl http://h:8000/v1/completions -d '{BODY}'",
        f"curl -X POST http://h/v1/completions -H 'A: b' --data-raw '{BODY}'",
        f"curl -sSd '{BODY}' http://h/v1/completions",
        f"curl --json='{BODY}' --url http://h/v1/completions",
        f"$ curl \\\n  -H 'A: b' \\\n  http://h/v1/completions \\\n  --data '{BODY}' | jq .",
        f"curl http://h/v1/completions -d $'{BODY}'",
        f"curl http://h/v1/completions -d @- <<'EOF'\n{BODY}\nEOF\n",
        f"curl http://h/v1/completions -d @- <<-END | jq .\n{BODY}\n\tEND\necho done\n",
        f"curl http://h/v1/completions -d @- <<< '{BODY}'",
        f"# how to ask\n\nKEY=1 curl http://h/v1/completions -d '{BODY}' > out.json 2>&1",
        f"curl http://h/v1/completions -d '{BODY}'\ncurl http://h/v1/chat/completions -d '[]'",
        f"% curl -d {json.dumps(BODY)} http://h/v1/completions",
        f"curl.exe http://h/v1/completions ^\r\n -d {json.dumps(BODY)}",
        f"curl http://h/v1/completions `\n --data-binary '{BODY}'",
        """curl http://h/v1/completions -d $'{"prompt": "it\\'s", "temperatur": 1}'""",
        """curl http://h/v1/completions -d '{"prompt": "it'"'"'s", "temperatur": '"1"'}'""",
        """curl http://h/v1/completions -d '{"prompt": "it'\\''s 5$", "temperatur": 1}' -e '$'""",
        f"curl 'http://h/proxy/v1/completions?a=b' -u me:pw -d '{BODY}'",
    ],
)
def test_body_and_endpoint_come_from_the_command(command: str) -> None:
    answer = lint(command, "--json")
    assert answer.json["endpoint"] == "completions"
    assert answer.codes == ["field.misspelt"]


def test_url_counts_more_than_the_look_of_the_body() -> None:
    answer = lint(f"curl http://h/v1/chat/completions -d '{BODY}'", "--json")
    assert answer.json["endpoint"] == "chat.completions"


def test_body_may_be_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "b.json").write_text(CHAT)
    answer = lint("curl http://h/v1/chat/completions -d @b.json", "--json", cwd=tmp_path)
    assert answer.codes == ["field.misspelt"]


def test_command_may_be_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text(f"curl http://h/v1/completions -d '{BODY}'\n")
    assert lint("run.sh", "--json", cwd=tmp_path).codes == ["field.misspelt"]


def test_fix_prints_the_body_alone() -> None:
    answer = lint(f"curl http://h/v1/completions -d '{BODY}'", "--fix")
    assert json.loads(answer.out) == {"prompt": "it is", "temperature": 1}


def test_fix_in_place_leaves_a_command_alone(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text(f"curl http://h/v1/completions -d '{BODY}'\n")
    assert lint("run.sh", "--in-place", cwd=tmp_path).code == 2


@pytest.mark.parametrize("command", ["curl http://h/v1/models", "curl http://h -d '{"])
def test_command_that_sends_nothing_or_does_not_end_is_a_usage_error(command: str) -> None:
    assert lint(command).code == 2


def test_what_bash_makes_of_escapes_is_what_is_judged() -> None:
    command = 'curl http://h/v1/completions -d $\'{"prompt": "TEXT"}\''
    answer = lint(command.replace("TEXT", "a\\nb"), "--json")
    assert answer.codes == ["json.control_character"]
    answer = lint(command.replace("TEXT", "\\xe2\\x98\\x83 \\\\n"), "--fix")
    assert json.loads(answer.out) == {"prompt": "☃ \n"}
