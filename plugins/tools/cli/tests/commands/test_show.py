"""`urlschemes show`."""

from __future__ import annotations

import json
import re


def test_the_record_of_a_scheme(run) -> None:
    text = run("show", "X-Shelf").stdout
    assert text.startswith("x-shelf  Things on a shelf\n")
    for piece in (
        'shelfurl = "x-shelf://" login [ "/" thing ]     ; section 1',
        "Do not lean on it.",
        "x-shelf://host.dom/a b  invalid",
        "7070",
        "Options\nshout\n    in capitals\ntimes  set by the variable SHELF_TIMES\n    how often\n",
        "\nsure  not configurable\n    that it is meant\n",
    ):
        assert piece in text


def test_the_record_as_json(run) -> None:
    record = json.loads(run("show", "--json", "x-shelf").stdout)
    assert record["installed"] is True
    assert record["syntax"]["parts"]["port"]["number"] is True
    assert record["options"] == {
        "shout": {"description": "in capitals", "environment": None, "configurable": True},
        "times": {"description": "how often", "environment": "SHELF_TIMES", "configurable": True},
        "sure": {"description": "that it is meant", "environment": None, "configurable": False},
    }
    assert record["examples"][1] == {
        "url": "x-shelf://host.dom/a b",
        "parts": None,
        "says": "A blank must be encoded.",
    }
    assert {"scheme", "status", "title", "security_considerations", "default_port", "operations"} <= set(record)
    assert (record["provider"], record["shadowed"]) == ("shelf-schemes 1.0", [])


def test_a_known_name_is_shown_with_how_to_get_it(run, art_ledger) -> None:
    done = run("show", "X-Song", plugins="arts")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "x-song  not installed  songs, by \\x1btheir words",
        "",
        "reference  the songbook",
        "since      sung no more",
        "status     historical",
        "advice     no distribution is known to provide it; `urlschemes new x-song` makes one",
        "",
        "Ledgers",
        "title             date     source",
        "────────────────────────────────────────────────",
        "the list of arts  2026-03  https://arts.example/",
    ]
    assert "`urlschemes new mailserver --registered` makes one" in run("show", "mailserver").stdout
    known = json.loads(run("show", "x-song", "--json", plugins="arts").stdout)
    assert (known["scheme"], known["installed"], known["status"]) == ("x-song", False, "historical")
    assert known["ledgers"] == [{"title": "the list of arts", "date": "2026-03", "source": "https://arts.example/"}]


def test_a_ledger_of_a_plugin_is_named_as_the_source_of_what_it_says(run, art_ledger) -> None:
    dance = run("show", "x-dance", plugins="arts").stdout
    assert "advice        according to the list of arts, urlschemes-x-dance provides it" in dance


def test_a_name_that_is_unknown_or_switched_off_is_an_error(run, art_ledger) -> None:
    done = run("show", "x-nobody", plugins="arts")
    assert (done.exit_code, done.stdout) == (5, "")
    assert done.stderr == "urlschemes: no scheme is registered as 'x-nobody'\n"
    done = run("show", "x-shelf", plugins="arts")
    assert (done.exit_code, done.stdout) == (5, "")
    assert "x-shelf is installed but disabled" in done.stderr


def test_a_text_that_is_not_a_scheme_name_is_a_usage_error(run) -> None:
    for name, message in (("a b", "'a b' is not a scheme name"), ("x-shelf://h", "; did you mean x-shelf?")):
        result = run("show", name)
        assert (result.exit_code, message in result.stderr) == (2, True)


def test_the_record_of_a_ledger_is_shown_without_what_it_does_not_say(run, records) -> None:
    assert run("--records", str(records), "show", "x-note").stdout.partition("\nParts\n")[0].splitlines() == [
        "x-note",
        "",
        "status      experimental",
        "operations  none: its URLs can be parsed and built, but not accessed",
        f"source      {records}/x-note.toml",
        f"provider    {records}",
        f"rule        no plugin claims the name, so the record {records}/x-note.toml counts",
        "profile     rfc1738",
        "",
        "Syntax",
        'noteurl = "x-note://" hostport "/" note',
        "note = 1*uchar",
    ]
    assert re.search(rf"\nshadowed +{records}\n", run("--records", str(records), "show", "x-shelf").stdout)
    assert "advice" not in run("--records", str(records), "show", "x-part").stdout


def test_a_scheme_without_operations_is_for_parsing_only(run, install, shelf_files) -> None:
    record = shelf_files["shelf_schemes/drawer/registration.toml"]
    record = record.replace("x-drawer", "x-print").replace('["access"]', "[]")
    install("to-read", "x-print = to_read", {"to_read/__init__.py": "", "to_read/registration.toml": record})
    words = "operations +none: its URLs can be parsed and built, but not accessed\n"
    for name in ("show", "why"):
        assert re.search(words, run(name, "x-print", plugins="to-read").stdout)
        assert not re.search(words, run(name, "x-shelf").stdout)
    refused = run("access", "x-print:a", plugins="to-read")
    assert refused.exit_code == 4
    assert "x-print does not offer the operation 'access'\n  help: it is registered for parsing only" in refused.stderr
