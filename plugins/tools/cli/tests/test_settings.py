"""Which profile reads a text: one that is chosen, whatever the text is, unless only another one has its scheme."""

from __future__ import annotations

import json
import sys

import pytest
from click.testing import CliRunner

from urlschemes_cli.app import command
from urlschemes_cli.settings import Settings

PLUGINS = ["shelf-schemes", "both-schemes", "later-schemes", "urlschemes-http"]


@pytest.fixture
def schemes(site, install, record) -> None:
    """The schemes x-both, with a record of each profile, x-later with one of RFC 3986, and 3shelf of RFC 1738."""
    modern = {"registration.rfc3986.toml": lambda name: record(name).replace("1*uchar", "1*unreserved")}
    both = {f"both/{file}": text("x-both") for file, text in {**modern, "registration.toml": record}.items()}
    later = {f"later/{file}": text("x-later") for file, text in modern.items()}
    old = {
        "old/__init__.py": "",
        "old/registration.toml": record("3shelf").replace("experimental", 'provisional"\ncontact = "nobody'),
    }
    install("both-schemes", "x-both = both", {"both/__init__.py": "", **both})
    install("later-schemes", "x-later = later\n3shelf = old", {"later/__init__.py": "", **later, **old})


READERS = {
    "x-both:a": "",
    "X-BOTH:~ %": "",
    "x-shelf://h/~#a": "rfc1738",
    "x-later:a": "rfc3986",
    "x-LATER:a?b": "rfc3986",
    "3shelf:a#b": "rfc1738",
    "x-none:~": "",
    "x-shelf": "rfc1738",
    " <URL: x-later:a>": "rfc3986",
    "'x-shelf://h/'": "rfc1738",
    "": "",
    "//h/": "",
    "%:~": "",
}
"""Texts with the only profile that reads them, if it is not the chosen one."""


@pytest.mark.decision(34)
@pytest.mark.parametrize("chosen", ["rfc1738", "rfc3986"])
@pytest.mark.parametrize("text", READERS)
def test_the_name_of_the_scheme_alone_decides_which_profile_reads_a_text(schemes, text: str, chosen: str) -> None:
    settings = Settings(PLUGINS, profile=chosen, use_config=False)
    assert settings.registry_for(text).profile.name == (READERS[text] or chosen)
    assert settings.client_for(text).registry is settings.registry_for(text)


def test_the_profile_is_the_option_the_variable_the_configuration_or_rfc3986(
    configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    def chosen(*words: str) -> str:
        name: str = json.loads(CliRunner().invoke(command, [*words, "parse", "--json", "http://h/"]).stdout)["profile"]
        return name

    assert chosen() == "rfc3986"
    configure('[registry]\nprofile = "rfc1738"\n')
    assert (chosen(), chosen("--no-config")) == ("rfc1738", "rfc3986")
    monkeypatch.setenv("URLSCHEMES_PROFILE", "rfc3986")
    assert chosen() == "rfc3986"
    assert chosen("--profile", "rfc1738") == "rfc1738"
    monkeypatch.setenv("URLSCHEMES_PROFILE", "")
    assert chosen() == "rfc1738"


def test_every_scheme_has_one_reader_in_each_command(schemes, run) -> None:
    def shown(*words: str, **more: str) -> list[dict[str, object]]:
        found = json.loads(run(*words, "--json", plugins=",".join(PLUGINS), **more).stdout)
        return found if isinstance(found, list) else [found]

    readers = {"3shelf": "rfc1738", "http": "rfc3986", "x-both": "rfc3986", "x-drawer": "rfc1738"}
    readers |= {"x-later": "rfc3986", "x-shelf": "rfc1738"}
    assert {str(each["name"]): each["profile"] for each in shown("schemes")} == readers
    known = {str(each["name"]): each["profile"] for each in shown("schemes", "--all")}
    assert {name: known[name] for name in (*readers, "ftp")} == {**readers, "ftp": None}
    for name, profile in readers.items():
        assert [shown(word, name)[0]["profile"] for word in ("show", "why")] == [profile, profile]
    text = "<x-both:~> <x-later:~> <3shelf:a#b> http://h/~#a x-shelf://h/~ x-shelf://h/a#b <URL:x-none:~#c>"
    found = shown("extract", "--invalid", input=text)
    assert [(each.get("url"), each["profile"]) for each in found] == [
        ("x-both:~", "rfc3986"),
        ("x-later:~", "rfc3986"),
        ("3shelf:a", "rfc1738"),
        ("http://h/~#a", "rfc3986"),
        (None, "rfc1738"),
        ("x-shelf://h/a", "rfc1738"),
        ("x-none:~#c", "rfc3986"),
    ]


def test_a_conflict_is_one_in_the_profile_of_which_the_plugins_have_records(run, install, shelf_files) -> None:
    files = {path.replace("shelf_schemes", "other_shelf"): text for path, text in shelf_files.items()}
    install("other-shelf", "x-shelf = other_shelf:scheme", files)
    both = "shelf-schemes,other-shelf"
    assert "--pin x-shelf=" in run("parse", "x-shelf://h/", plugins=both).stderr
    assert "1 more cannot be used" in run("schemes", plugins=both).stderr
    assert [each["state"] for each in json.loads(run("doctor", "--json", plugins=both).stdout)].count("conflict") == 2


DISABLED = ["--no-config", "--disable", "urlschemes-rfc3986"]
HELP = "  help: --profile rfc1738 reads URLs without it"


@pytest.mark.parametrize(
    "words", [["--disable", "urlschemes-rfc3986"], ["--plugins", "urlschemes-http"], ["--no-plugins"]], ids=" ".join
)
def test_the_profile_is_no_choice_of_plugins_but_can_be_switched_off_by_name(words: list[str]) -> None:
    done = CliRunner().invoke(command, ["--no-config", *words, "parse", "x-none://[::1]/"])
    assert done.exit_code == 5
    assert (done.stderr.splitlines()[-1] == HELP) == (words[0] == "--disable")
    old = CliRunner().invoke(command, ["--no-config", *words, "parse", "x-none:a", "--profile", "rfc1738"])
    assert HELP not in old.stderr


def test_a_profile_that_cannot_be_imported_is_an_error_that_names_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "urlschemes_rfc3986", None)
    done = CliRunner().invoke(command, ["--no-config", "parse", "http://h/"])
    assert (done.exit_code, "urlschemes-rfc3986" in done.stderr) == (5, True)
    assert done.stderr.splitlines()[-1] == HELP


@pytest.mark.parametrize(
    ("words", "code", "output"),
    [
        (["doctor"], 5, "urlschemes-http 0.1.0  rfc1738"),
        (["config"], 2, "\n--profile "),
        (["why", "http"], 5, "http  urlschemes-http "),
        (["schemes"], 5, "http "),
        (["new", "x-foo"], 0, "src/urlschemes_x_foo/registration.toml"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
@pytest.mark.parametrize("chosen", [DISABLED, ["--no-config", "--profile", "never"]], ids=["disabled", "never"])
def test_commands_that_help_to_mend_a_profile_work_without_it_and_say_so(
    chosen: list[str], words: list[str], code: int, output: str, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(command, [*chosen, *words])
    assert (result.exit_code, output in result.stdout) == (code, True)
    help_text = HELP if chosen == DISABLED else "  help: installed profiles: rfc1738, rfc3986"
    assert help_text in result.stderr.splitlines()


def test_help_works_without_the_profile() -> None:
    assert CliRunner().invoke(command, [*DISABLED, "--help"]).exit_code == 0
