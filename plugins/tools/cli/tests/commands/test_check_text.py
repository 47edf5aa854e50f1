"""`urlschemes check --text`: findings about the URLs in text files."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest

MAIL = """\
\u00fc See x-shelf://h/~ and <URL:x-shelf://joe:hunter2@h/a
  b^c>, x-shelf://h:81/a.
"""
FINDINGS = [
    (1, 19, "invalid-character", "error"),
    (1, 44, "password", "warning"),
    (2, 4, "invalid-character", "error"),
    (2, 21, "reserved-port", "warning"),
]
"""Line, column, code and severity of what is found there."""


@pytest.fixture
def mail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("a,b:100%.txt").write_text(MAIL, "utf-8")
    return "a,b:100%.txt"


def test_each_finding_has_its_place_in_the_file(run, mail: str) -> None:
    result = run("check", "--text", "--json", mail)
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(each["line"], each["column"], each["code"], each["severity"]) for each in found] == FINDINGS
    assert {each["file"] for each in found} == {mail}
    assert (result.exit_code, result.stderr, "hunter2" in result.stdout) == (1, "", False)
    lines = run("check", "--text", mail).stdout.splitlines()
    expected = [f"{mail}:{line}:{column}: {severity}: {code}: " for line, column, code, severity in FINDINGS]
    assert [line[: len(start)] for line, start in zip(lines, expected, strict=True)] == expected
    assert lines[0].endswith("; write %7E, or let `fix` do it")


def test_a_workflow_command_of_github_is_escaped(run, mail: str) -> None:
    lines = run("check", "--text", "--format", "github", mail).stdout.splitlines()
    start = "::error file=a%2Cb%3A100%25.txt,line=1,col=19,title=invalid-character::invalid character '~' in the thing"
    assert lines[0].startswith(start)
    assert lines[0].endswith("; write %257E, or let `fix` do it")
    assert [line.split()[0] for line in lines] == [f"::{severity}" for *_, severity in FINDINGS]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("x-shelf://h/a www.h.dom x-attic://h/~ <URL:x-attic:^>", []),
        ("<a href='x-shelf://h/a b' src=\"x-shelf://h/a'b c\" x='x-shelf://h/a b'>", ["invalid-character"] * 2),
        ("htps://h/ <URL:htps:a> git+https://h/ x-shel://h/ x-song://h/", ["unknown-scheme"] * 2),
        (
            "abfss://h/ amqp://h/ ftps://h/ sftp://h/ smtps://h/ ntp://h/ presto://h/ mailto:x@h flie://h/",
            ["unknown-scheme"],
        ),
        ("x-shelf:line x-shelf::name <URL:` <URL:a b>", []),
        ("x-shelf:/h <x-shelf:a>", ["missing-authority"] * 2),
        ("x-shelf://{h}:{p}/{a} x-shelf://$1:$2/ x-shelf://$(h a)/ x-shelf://{h}:81/ x-shelf://%s:%d/%(a)", []),
        ("x-shelf://h:81/$a x-shelf://u:p@h/{a} x-shelf://$h:81/ x-shelf://h:$p/", ["reserved-port", "password"]),
        ("x-shelf://{h}/~ x-shelf://h/%d~ x-shelf://h/$a^", ["invalid-character"] * 3),
        ("x-shelf://h/a\\n x-shelf://h/~\\n", ["invalid-character"]),
        ("x-shelf://h/%dz x-shelf://h/100% x-shelf://h/%zz x-shelf://h/50%off", ["bad-escape"] * 4),
        ("x-shelf://h/~\udcff", ["invalid-character"] * 2),
    ],
)
def test_only_what_is_meant_as_a_url_is_judged(run, text: str, codes: list[str]) -> None:
    result = run("check", "--text", "--json", "-", input=text.encode("utf-8", "surrogateescape"))
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert [each["code"] for each in found] == codes
    assert all(each["file"] == "-" for each in found)


def test_urls_of_schemes_that_are_not_installed_are_counted(run, mail: str) -> None:
    text = (
        "http://h/ HTTP://h/a,b https://h/" + " " * 2**16 + "ftp://h/ x-attic://h x-http://h svn+ssh://h foo:// a/b://c"
    )
    Path("others").write_text(text)
    result = run("check", "--text", "others", "others")
    counts = "4 http, 2 https, 2 ftp, 2 x-attic, 2 x-http, 2 svn+ssh"
    note = f"urlschemes: URLs not checked, as no plugin has their scheme: {counts}; see `urlschemes why NAME`\n"
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", note)
    many = run("check", "--text", "-", input=" ".join(f"a{number}://h/" for number in range(30)))
    assert "1 a19, and those of 10 other names; see" in many.stderr


@pytest.mark.parametrize("scheme", ["x-shelf", "htps"])
def test_a_password_that_has_an_escape_is_hidden(run, scheme: str) -> None:
    result = run("check", "--text", "--json", "-", input=f"{scheme}://joe:se\\_cret@h/~".encode())
    assert {json.loads(line)["url"] for line in result.stdout.splitlines()} == {f"{scheme}://joe:***@h/~"}


@pytest.mark.parametrize("form", ["text", "github"])
def test_output_that_cannot_be_written_is_no_matter_of_a_file(run, mail: str, form: str, monkeypatch) -> None:
    def fail(_: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("urlschemes_cli.text_files.write_line", fail)
    result = run("check", "--text", "--format", form, mail)
    assert (result.exit_code, result.stderr) == (3, "urlschemes: cannot write the output: No space left on device\n")


@pytest.mark.parametrize("coding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_no_column(run, coding: str) -> None:
    result = run("check", "--text", "-", input="x-shelf://h/~".encode(coding))
    assert result.stdout.startswith("-:1:13: error: invalid-character: ")


def test_files_that_cannot_be_read_are_named(run, mail: str, tmp_path: Path) -> None:
    Path("picture").write_bytes(b"x-shelf://h/~ \0")
    result = run("check", "--text", "missing", "picture", str(tmp_path), mail)
    assert (result.exit_code, len(result.stdout.splitlines())) == (2, len(FINDINGS))
    assert result.stderr.splitlines() == [
        "urlschemes: cannot read the text missing: No such file or directory",
        "urlschemes: picture was not read: it holds NUL, so it is no text in UTF-8 or UTF-16",
        f"urlschemes: cannot read the text {tmp_path}: Is a directory",
    ]
    (error,) = map(json.loads, run("check", "--text", "--json", "missing").stdout.splitlines())
    assert (error["file"], error["error"]["code"]) == ("missing", "usage")
    assert (run("check", "--text", "picture").exit_code, run("check", "--text", __file__).exit_code) == (0, 1)


@pytest.mark.parametrize("words", [["--format", "github"], ["--text", "--json", "--format", "text"]])
def test_a_format_is_for_texts_and_not_for_json(run, words: list[str]) -> None:
    result = run("check", *words, "x-shelf://h/")
    assert (result.exit_code, "--format" in result.stderr) == (2, True)
