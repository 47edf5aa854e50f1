"""`urlschemes extract`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

LETTER = """\
See <URL:x-shelf://joe:hunter2@host.dom/
va
se>, x-shelf://host.dom/a%20b#top,
and (x-shelf://host.dom:x/) or <URL:x-else://joe:hunter2@h-
ost/>.
"""


def test_what_wrap_writes_is_extracted(run) -> None:
    url = f"x-shelf://joe:hunter2@host.dom/{'a-%20' * 20}"
    wrapped = run("wrap", "--width", "40", "--passwords", "-", input=f"{url}\n{url}")
    assert max(map(len, wrapped.stdout.splitlines())) <= 40
    assert run("extract", "--delimited", "--passwords", input=f"See{wrapped.stdout}there").stdout == f"{url}\n" * 2
    hidden = run("wrap", url)
    assert ("hunter2" in hidden.stdout, hidden.stderr.count("password")) == (False, 2)


def test_each_url_is_on_a_line(run, tmp_path: Path) -> None:
    (tmp_path / "letter").write_text(LETTER)
    for result in (
        run("extract", str(tmp_path / "letter")),
        run("extract", input=LETTER),
        run("extract", "-", input=LETTER),
    ):
        assert result.exit_code == 0
        assert result.stdout.splitlines() == [
            "x-shelf://joe:***@host.dom/vase",
            "x-shelf://host.dom/a%20b",
            "x-else://joe:***@h-ost/",
        ]
        assert result.stderr == (
            "urlschemes: 4:32: uncertain: "
            "there is a hyphen before a line break, or a line begins with the closing `>`\n"
            "urlschemes: the password is hidden; --passwords writes it into a file or a pipe\n"
        )
    assert run("extract", input="x-shelf://host.dom/a").stderr == ""


def test_with_passwords_they_are_written(run) -> None:
    result = run("extract", "--passwords", input=LETTER)
    assert result.stdout.splitlines()[::2] == ["x-shelf://joe:hunter2@host.dom/vase", "x-else://joe:hunter2@h-ost/"]
    assert "hidden" not in result.stderr


def test_invalid_urls_are_reported_with_invalid(run) -> None:
    result = run("extract", "--invalid", "--positions", input=LETTER)
    assert result.exit_code == 1
    assert [line.partition(" ")[0] for line in result.stdout.splitlines()] == ["1:5:", "3:6:", "4:32:"]
    assert result.stderr.startswith("urlschemes: 4:6: x-shelf://host.dom:x/: ")


def test_bare_urls_are_left_out_with_delimited(run) -> None:
    result = run("extract", "--delimited", "--invalid", input=LETTER)
    assert result.stdout.splitlines() == ["x-shelf://joe:***@host.dom/vase", "x-else://joe:***@h-ost/"]
    assert result.exit_code == 0


def test_json_is_a_list(run) -> None:
    result = run("extract", "--json", "--invalid", input=LETTER)
    assert (result.exit_code, result.stderr) == (1, "")
    found = json.loads(result.stdout)
    assert result.stdout == json.dumps(found, indent=2) + "\n"
    assert found[1] == {
        "url": "x-shelf://host.dom/a%20b",
        "fragment": "top",
        "uncertain": False,
        "grade": "bare",
        "span": [49, 77],
        "line": 3,
        "column": 6,
        "profile": "rfc1738",
    }
    assert (found[2]["text"], found[2]["error"]["code"]) == ("x-shelf://host.dom:x/", "invalid-port")
    assert [each.get("uncertain") for each in found] == [False, False, None, True]
    assert "hunter2" not in result.stdout
    assert run("extract", "--json", input="nothing").stdout == "[]\n"


def test_the_urls_of_several_files_have_their_names(run, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for file in ("a", "b\u202e"):
        Path(file).write_text("x-shelf://h/\nx-shelf://h/~")
    assert run("extract", "a", "b\u202e").stdout == "x-shelf://h/\n" * 2
    result = run("extract", "--positions", "--invalid", "a", "-", "b\u202e", input="x-shelf://h/-")
    assert result.stdout == "a:1:1: x-shelf://h/\n-:1:1: x-shelf://h/-\nb\\u202e:1:1: x-shelf://h/\n"
    assert [line.split()[1] for line in result.stderr.splitlines()] == ["a:2:1:", "b\\u202e:2:1:"]
    assert [each["file"] for each in json.loads(run("extract", "--json", "a", "b\u202e").stdout)] == ["a", "b\u202e"]
    assert "file" not in json.loads(run("extract", "--json", "a").stdout)[0]


def test_any_octets_are_read(run) -> None:
    octets = (
        b"\xef\xbb\xbfx-shelf://host.dom/a \x1b[31m\xff\x00 x-shelf://host.dom/\xe9 <URL:x-shelf://host.dom/b#\x1b[2J>"
    )
    result = run("extract", "--invalid", input=octets)
    assert result.stdout.splitlines() == ["x-shelf://host.dom/a", "x-shelf://host.dom/b"]
    assert re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", result.stderr) is None
    assert r"x-shelf://host.dom/\xe9" in result.stderr
    assert json.loads(run("extract", "--json", input=octets).stdout)[1]["fragment"] == "\x1b[2J"


def test_urls_are_written_before_the_text_ends(environment: dict[str, str]) -> None:
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "urlschemes_cli", "extract"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"x-shelf://host.dom/a \n")
        process.stdin.flush()
        assert process.stdout.readline() == b"x-shelf://host.dom/a\n"
        process.stdin.close()
        assert process.wait(30) == 0


def test_a_url_that_is_too_long_is_passed_over(run) -> None:
    text = f"x-shelf://h/{'a' * 2**16} x-shelf://h/~ x-attic://h/ x-shelf://h/b"
    for words in ((), ("--json",)):
        result = run("extract", *words, input=text)
        assert (result.exit_code, result.stdout.count("x-shelf://"), result.stderr.count("\n")) == (0, 1, 1)
        assert result.stderr.startswith("urlschemes: 1:1: passed over: the URL has 65537 characters")
    assert run("extract", "--delimited", input=text).output == ""
    assert run("extract", "--invalid", input=text).stderr.count("\n") == 2


@pytest.mark.parametrize("found", [0, 1])
def test_the_list_ends_if_a_file_cannot_be_read_to_its_end(run, tmp_path: Path, monkeypatch, found: int) -> None:
    monkeypatch.chdir(tmp_path)
    opened, files = click.open_file, ["a"] * found + ["b"]
    for file in ("a", "b"):
        Path(file).write_text("x-shelf://h/")
    monkeypatch.setattr(click, "open_file", lambda file, mode: opened("." if file == "b" else file, mode))
    result = run("extract", "--json", *files)
    decoded, end = json.JSONDecoder().raw_decode(result.stdout) if found else ([], 0)
    assert (result.exit_code, len(decoded)) == (2, found)
    assert json.loads(result.stdout[end:])["error"]["code"] == "usage"


def test_a_file_that_does_not_exist_is_a_usage_error(run, tmp_path: Path) -> None:
    for path in (tmp_path / "nothing", tmp_path):
        result = run("extract", str(path))
        assert result.exit_code == 2
        assert result.stderr.splitlines()[1].startswith("urlschemes: ")
