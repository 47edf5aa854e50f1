"""`urlschemes extract`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

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
            "urlschemes: invalid URLs left out: 1; --invalid reports them\n"
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
        b"\xef\xbb\xbfx-shelf://host.dom/a \x1b[31m\xff\x01 x-shelf://host.dom/\xe9 <URL:x-shelf://host.dom/b#\x1b[2J>"
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
        assert (result.exit_code, result.stdout.count("x-shelf://")) == (0, 1)
        assert result.stderr == (
            "urlschemes: invalid URLs left out: 2; --invalid reports them\n"
            "urlschemes: URLs left out, as no plugin has their scheme: 1 x-attic; see `urlschemes why NAME`\n"
        )
    assert run("extract", "--delimited", input=text).output == ""
    reported, *others = run("extract", "--invalid", input=text).stderr.splitlines()
    assert (reported.endswith(": expected at most 65536"), len(others)) == (True, 2)


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ('<a href="x-shelf:a b">', "1:10: x-shelf:a b: invalid character 'a' at position 8"),
        ('<a href="x-shelf://h/a b">', "1:10: x-shelf://h/a b: invalid character ' ' in the thing at position 13"),
        ("<x-shelf://h/a\nb~>", "1:1: x-shelf://h/ab~: invalid character '~' in the thing at position 14"),
        ("see htps://typo.com/ x", "1:5: htps://typo.com/: no scheme is registered as 'htps'; did you mean https"),
        ("x-shelf:line x-attic://h/~ <URL:a b>", ""),
    ],
)
def test_what_is_invalid_is_what_check_finds(run, text: str, reported: str) -> None:
    result = run("extract", "--invalid", input=text)
    assert (result.exit_code, result.stdout) == (int(bool(reported)), "")
    assert result.stderr.removeprefix("urlschemes: ").startswith(reported or "URLs left out, as no plugin")
    assert ("left out: 1" in run("extract", input=text).stderr) == bool(reported)
    assert run("check", "--text", input=text).exit_code == bool(reported)


def test_files_that_cannot_be_read_are_named(run, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a").write_text("x-shelf://h/")
    Path("binary").write_bytes(b"\x1f\x8b\x08\0x-shelf://h/")
    result = run("extract", "missing", "binary", ".", "a")
    assert (result.exit_code, result.stdout) == (2, "x-shelf://h/\n")
    assert result.stderr.splitlines() == [
        "urlschemes: cannot read the text missing: No such file or directory",
        "urlschemes: binary was not read: it holds NUL, so it is no text in UTF-8 or UTF-16",
        "urlschemes: cannot read the text .: Is a directory",
    ]
    found = json.loads(run("extract", "--json", "missing", "binary", "a").stdout)
    assert [(each["file"], "error" in each) for each in found] == [("missing", True), ("binary", True), ("a", False)]
    assert run("extract", "binary").exit_code == 0
