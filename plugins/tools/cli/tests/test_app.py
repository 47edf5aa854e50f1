"""The command as a whole: global options, help, exit codes, streams, interrupts."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from urlschemes_cli.app import command

DOCUMENTATION = Path(__file__).parents[4] / "docs" / "reference" / "command-line.md"
HEAVY = {"rich.console", "pluggy", "ssl", "asyncio", "urlschemes_access.client", "urlschemes_lint", "urlschemes_text"}


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        (0, ["parse", "x-shelf://h/"]),
        (1, ["parse", "x-shelf://h/~"]),
        (1, ["fix", "x-shelf://"]),
        (1, ["access", "x-shelf://h/~"]),
        (2, []),
        (2, ["pars", "x-shelf://h/"]),
        (2, ["parse"]),
        (2, ["access", "--timeout", "never", "x-shelf://h/"]),
        (2, ["access", "--allow-network", "elsewhere", "x-shelf://h/"]),
        (2, ["access", "-o", ".", "x-shelf://h/"]),
        (2, ["access", "-o", "no/such/folder", "x-shelf://h/"]),
        (3, ["access", "x-shelf://h/cut"]),
        (3, ["access", "x-shelf://127.0.0.1/login"]),
        (3, ["access", "x-shelf://127.0.0.1/form"]),
        (4, ["access", "x-shelf://h/%0d"]),
        (4, ["access", "x-shelf://h:81/"]),
        (4, ["access", "x-drawer:/etc/motd"]),
        (4, ["attributes", "--root", ".", "x-drawer:/etc/motd"]),
        (5, ["parse", "x-attic://h/"]),
        (5, ["show", "x-attic"]),
    ],
)
def test_exit_codes(run, code: int, arguments: list[str]) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.exception is None or isinstance(result.exception, SystemExit)) == (code, True)
    assert (result.stderr == "") == (code == 0)
    assert "Traceback" not in result.stderr


def test_the_help_and_the_documentation_list_all_exit_codes(run) -> None:
    text = run("--help").stdout
    listed = re.findall(r"^  (\d+) +(\w.*)$", text[text.index("Exit codes:") :], re.MULTILINE)
    assert [int(code) for code, _ in listed] == [0, 1, 2, 3, 4, 5, 130, 141]
    for code, _ in listed:
        assert f"| {code} |" in documentation()


def test_the_documentation_lists_all_commands_and_options() -> None:
    context = command.make_context("urlschemes", ["--no-plugins", "parse", "x"])
    for name in command.list_commands(context):
        each = command.get_command(context, name)
        assert each is not None
        assert f"`{name}" in documentation()
        for option in (option for parameter in each.params for option in parameter.opts if option.startswith("-")):
            assert option in documentation(), (name, option)


def documentation() -> str:
    if not DOCUMENTATION.exists():
        pytest.skip("the documentation is not beside these tests")
    return DOCUMENTATION.read_text("utf-8")


def test_the_help_imports_no_plugin_and_no_command(child, site: Path) -> None:
    modules = set(child(imported("--help"), site))
    assert "urlschemes_cli.app" in modules
    assert not {name for name in modules if name.startswith(("shelf_schemes", "urlschemes_cli.commands."))}
    assert not HEAVY & modules


def test_parse_imports_the_plugin_and_nothing_heavy(child, site: Path) -> None:
    modules = set(child(imported("parse", "--json", "x-shelf://h/"), site))
    assert "shelf_schemes" in modules
    assert not (HEAVY | {"shelf_schemes.access"}) & modules


def imported(*arguments: str) -> str:
    return f"""
        import contextlib, io
        from urlschemes_cli.app import command
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
            command.main({arguments!r})
        print(json.dumps(sorted(sys.modules)))
        """


def test_lists_that_name_something_unknown_are_errors(run, monkeypatch) -> None:
    unknown = run("schemes", plugins="nobody-here")
    assert unknown.exit_code == 5
    assert "urlschemes: --plugins names nobody-here, which is not an installed plugin" in unknown.stderr
    assert "urlschemes: --disable names nobody-here, which is" in run("--disable", "nobody-here", "schemes").stderr
    assert run("--help", plugins="nobody-here").exit_code == 0
    monkeypatch.setenv("URLSCHEMES_PLUGINS", ",")
    assert "URLSCHEMES_PLUGINS is ',', which names no distribution" in run("schemes").stderr


def test_no_plugins_switches_all_off(site: Path) -> None:
    runner = CliRunner()
    assert runner.invoke(command, ["--no-plugins", "parse", "x-shelf://h/"]).exit_code == 5
    why = runner.invoke(command, ["--no-plugins", "why", "x-shelf"])
    assert "--no-plugins switches all plugins off" in why.stdout.replace("\n", " ")
    both = runner.invoke(command, ["--no-plugins", "--plugins", "a", "schemes"])
    assert (both.exit_code, "--plugins and --no-plugins cannot be combined" in both.stderr) == (2, True)


@pytest.mark.parametrize(
    ("pins", "message"),
    [
        (["x-shelf"], "expected NAME=DISTRIBUTION, got 'x-shelf'"),
        (["x-shelf=other", "x-shelf=shelf-schemes"], "x-shelf is pinned to other and to shelf-schemes"),
    ],
)
def test_a_wrong_pin_is_a_usage_error(run, pins: list[str], message: str) -> None:
    result = run(*(word for pin in pins for word in ("--pin", pin)), "schemes")
    assert (result.exit_code, message in result.stderr) == (2, True)


def test_options_of_a_command_stand_after_its_name(run) -> None:
    assert "'--json': options of a command stand after its name\n" in run("--json", "parse", "x-shelf://h/").stderr


def test_the_choices_of_a_missing_argument_stand_on_its_line(run) -> None:
    assert "Choose from: bash, zsh, fish\n" in run("completion").stderr


def test_a_misspelt_command_is_suggested(run) -> None:
    assert "No such command 'acces'. Did you mean access?" in run("acces", "x").stderr
    assert "Did you mean" not in run("zzz").stderr


@pytest.mark.parametrize("width", [40, 120])
@pytest.mark.parametrize("arguments", [["schemes"], ["show", "x-shelf"], ["explain", "x-shelf://h/" + "long" * 15]])
def test_output_fits_the_terminal(terminal, arguments: list[str], width: int) -> None:
    screen = terminal(*arguments, width=width)
    assert screen.code == 0
    long = [line for line in screen.text.splitlines() if len(line.rstrip()) > width]
    # The BNF, URLs and file names are not wrapped, so that they can be copied.
    assert [line for line in long if "x-shelf" not in line and "section 1" not in line and "/" not in line] == []


@pytest.mark.parametrize(
    ("words", "code"),
    [(("access", "x-shelf://127.0.0.1/"), 0), (("parse", "--json", "x-no:a"), 5)],
)
def test_what_the_library_logs_is_a_note(shell, install, words, code: int) -> None:
    """A broken observer is logged once for an access, a broken ledger once for an unknown name."""
    broken = {"broken.py": "raise OSError('the disk is full')"}
    install("broken", "[urlschemes]\nobserve=broken\nledger=broken\n", broken)
    done = shell("--no-config", *words, URLSCHEMES_PLUGINS="shelf-schemes,broken")
    assert done.returncode == code, done.stderr
    (line,) = [each for each in done.stderr.decode().splitlines() if "the disk is full" in each]
    assert line.startswith("urlschemes: ")


def test_a_closed_pipe_ends_it_quietly(environment: dict[str, str]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "urlschemes_cli", "access", "x-shelf://127.0.0.1/endless"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.read(10) == b"more\nmore\n"
    process.stdout.close()
    assert (process.wait(30), process.stderr.read()) == (141, b"")
    process.stderr.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("arguments", [["--help"], ["parse", "x-shelf://h/"], ["schemes"]])
def test_output_that_cannot_be_written_is_an_error(shell, arguments: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = shell(*arguments, stdout=full)
    assert (done.returncode, done.stderr) == (3, b"urlschemes: cannot write the output: No space left on device\n")


@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell closes the streams")
@pytest.mark.parametrize(
    ("closed", "url", "code"),
    [
        (">&-", "x-shelf://127.0.0.1/vase", 0),
        ("<&- >&- 2>&-", "x-shelf://127.0.0.1/vase", 0),
        ("<&- >&- 2>&-", "x-shelf:", 1),
        (">&-", "", 3),
    ],
)
def test_closed_streams_are_no_error_unless_they_are_used(
    environment: dict[str, str], tmp_path: Path, closed: str, url: str, code: int
) -> None:
    target = tmp_path / "saved"
    words = ["access", "-o", str(target), url] if url else ["--version"]
    arguments = [sys.executable, "-m", "urlschemes_cli", *words]
    done = subprocess.run(
        ["/bin/sh", "-c", f'"$@" {closed}', "sh", *arguments],
        capture_output=True,
        env=environment,
        check=False,
        timeout=60,
    )
    assert done.returncode == code
    assert b"Traceback" not in done.stdout + done.stderr
    assert b"Warning" not in done.stdout + done.stderr
    assert code or target.read_bytes() == b"a vase\n"


@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell closes the streams")
@pytest.mark.parametrize("words", ["check -", "check --text -", "extract", "access --many - -o ."])
def test_a_closed_input_is_not_an_empty_one(environment: dict[str, str], words: str) -> None:
    arguments = ["/bin/sh", "-c", f'"$0" -m urlschemes_cli {words} <&-', sys.executable]
    done = subprocess.run(arguments, capture_output=True, env=environment, check=False, timeout=60)
    assert (done.returncode, done.stdout, b"urlschemes: cannot read the " in done.stderr) == (2, b"", True)


@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
def test_an_interrupt_ends_it_without_a_traceback(environment: dict[str, str], server, tmp_path: Path) -> None:
    with server(b"slowly", pause=30) as port:
        process = subprocess.Popen(
            [sys.executable, "-m", "urlschemes_cli", "access", "-v", f"x-shelf://127.0.0.1:{port}/wire"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            cwd=tmp_path,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509  ignored in background jobs
        )
        assert process.stderr is not None
        for line in process.stderr:
            if b"slowl" in line:
                break
        process.send_signal(signal.SIGINT)
        output, error = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"Traceback" not in output + error


def test_json_is_ascii_on_any_stream(shell) -> None:
    done = shell("access", "--json", "x-shelf://127.0.0.1/hostile", PYTHONIOENCODING="ascii")
    assert (done.returncode, json.loads(done.stdout)["kind"]) == (0, "document")


@pytest.mark.parametrize("before", [[], ["--profile", "rfc3986"]])
def test_a_profile_may_be_named_after_the_command(before: list[str]) -> None:
    parsed = json.loads(
        CliRunner().invoke(command, [*before, "parse", "--json", "http://h/", "--profile", "rfc1738"]).stdout
    )
    assert (parsed["profile"], parsed["type"]) == ("rfc1738", "HttpURL")


@pytest.mark.parametrize("words", [["--profile", "never", "schemes"], ["schemes", "--profile", "never"]])
def test_an_unknown_profile_is_an_error_that_names_those_that_are_installed(words: list[str]) -> None:
    unknown = CliRunner().invoke(command, words)
    lines = [
        "urlschemes: the profile never is not installed (--profile, or URLSCHEMES_PROFILE)",
        "  help: installed profiles: rfc1738, rfc3986",
    ]
    assert (unknown.exit_code, unknown.stderr.splitlines()) == (5, lines)


@pytest.mark.parametrize("words", [["--profile=", "schemes"], ["schemes", "--profile="]])
def test_an_empty_name_is_no_profile(words: list[str]) -> None:
    wrong = CliRunner().invoke(command, words)
    assert wrong.exit_code == 2
    assert "'--profile': expected the name of a profile, such as rfc1738" in wrong.stderr


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("urlschemes --profile rfc3", ["plain,rfc3986"]),
        ("urlschemes parse --profile rfc3", ["plain,rfc3986"]),
        ("urlschemes ex", ["plain,explain", "plain,extract"]),
        ("urlschemes se", ["plain,send", "plain,session"]),
        ("urlschemes --pl", ["plain,--plugins"]),
        ("urlschemes check --fo", ["plain,--format"]),
        ("urlschemes check --format ", ["plain,text", "plain,github"]),
        ("urlschemes show HTT", ["plain,http", "plain,https"]),
        ("urlschemes why telne", ["plain,telnet"]),
        ("urlschemes check --text a", ["file,a"]),
        ("urlschemes parse a", []),
        ("urlschemes extract a", ["file,a"]),
        ("urlschemes access -o a", ["file,a"]),
    ],
)
def test_a_shell_completes_commands_options_names_and_files(line: str, offered: list[str]) -> None:
    words = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" ")), "_URLSCHEMES_COMPLETE": "bash_complete"}
    done = CliRunner().invoke(command, [], env=words, prog_name="urlschemes")
    assert done.stdout.split() == offered


@pytest.mark.parametrize(
    ("shell", "line"),
    [("bash", "complete -o nosort -F"), ("zsh", "#compdef urlschemes"), ("fish", "complete --no-files")],
)
def test_the_script_of_a_shell_asks_this_command(run, shell: str, line: str) -> None:
    script = run("completion", shell).stdout
    assert line in script
    assert f"_URLSCHEMES_COMPLETE={shell}_complete" in script


@pytest.mark.parametrize(("name", "rewritten"), [("http", {"http-URI", "authority", "host"}), ("ftp", None)])
def test_printed_rules_and_those_that_are_rewritten_are_shown(name: str, rewritten: set[str] | None) -> None:
    words = ["--no-config", "show", name, "--profile", "rfc3986"]
    shown = json.loads(CliRunner().invoke(command, [*words, "--json"]).stdout)
    assert shown["profile"] == "rfc3986"
    assert rewritten is None or {*shown["syntax"]["rewritten"]} == rewritten
    text = CliRunner().invoke(command, words).stdout
    assert bool(shown["syntax"]["printed"]) == ("\nAs printed\n" in text)
