"""`urlschemes iana`: shows the state of the registry, and imports a newer one from an untrusted file."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from urlschemes.errors import ConfigurationError
from urlschemes_cli.app import command
from urlschemes_iana.iana_csv import parse_iana_csv
from urlschemes_iana.snapshot import own_file, shipped_snapshot, snapshot_in_use

NEW = "URI Scheme,Template,Description,Status,Well-Known URI Support,Reference (RFC only),Notes\n"
OLD = NEW.replace(" (RFC only)", "")


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch) -> Path:
    """The folder of the user's data."""
    monkeypatch.setenv("LOCALAPPDATA" if sys.platform == "win32" else "XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    return tmp_path / "data"


@pytest.fixture
def given(tmp_path):
    def write(text: str | bytes) -> Path:
        file = tmp_path / "uri-schemes-1.csv"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    return write


def run(*words: object):
    return CliRunner().invoke(command, ["iana", *map(str, words)], prog_name="urlschemes")


def as_iana_writes(names) -> str:
    rows = [f"{each.name},,,{each.status.capitalize()},-,," for each in names]
    return NEW + "\n".join(rows) + "\n"


def test_without_a_file_the_state_in_use_is_shown(data):
    done = run()
    assert done.exit_code == 0
    assert done.output.startswith("IANA's registry of URI schemes, 2024-04: 379 names (17 historical, 98 permanent, ")
    assert json.loads(run("--json").output)["statuses"] == {"historical": 17, "permanent": 98, "provisional": 264}
    assert not data.exists()


def test_a_newer_state_is_imported_and_the_changes_are_shown(given):
    names = [each for each in shipped_snapshot().ledger.names if each.name not in {"aaa", "aaas"}]
    text = (
        as_iana_writes(names).replace("spotify,,,Provisional", "spotify,,,Historical") + "zz+new,,New,Permanent,-,,\n"
    )
    done = run(given(text), "--date", "2024-06-30")
    assert done.exit_code == 0, done.output
    own = own_file(os.environ)
    assert done.output.splitlines() == [
        "added    1: zz+new",
        "removed  2: aaa, aaas",
        "status   1 changed",
        "         spotify: provisional -> historical",
        (
            "IANA's registry of URI schemes, 2024-06-30: 378 names (18 historical, 97 permanent, 263 provisional), "
            f"from {own}"
        ),
    ]
    if os.name != "nt":
        assert stat.S_IMODE(Path(own).stat().st_mode) == 0o600
        assert stat.S_IMODE(Path(own).parent.stat().st_mode) == 0o700
    assert [each.name for each in Path(own).parent.iterdir()] == [Path(own).name]
    again = json.loads(run(given(text), "--date", "2024-07-01", "--json").output)
    assert again["changes"] == {"added": [], "removed": [], "status": []}
    assert (again["date"], again["file"], again["names"]) == ("2024-07-01", str(own), 378)
    known = CliRunner().invoke(command, ["show", "zz+new"])
    assert (known.exit_code, "2024-07-01" in known.output) == (0, True)
    kept = {each.name: each.reference for each in snapshot_in_use().ledger.names}
    assert kept["tel"] == "RFC 3966, RFC 5341", "the file leaves it out"


def test_an_older_state_is_not_used(given):
    done = run(given(as_iana_writes(shipped_snapshot().ledger.names)), "--date", "2020-01-01")
    assert done.exit_code == 0
    assert "is older: 2020-01-01" in done.output
    assert "IANA's registry of URI schemes, 2024-04: 379 names" in done.output


def test_both_layouts_are_parsed_and_persons_are_left_out(given):
    row = "dict,,dictionary service protocol,Permanent,-,[RFC2229],\n"
    old = (
        OLD
        + row
        + "a,prov/a,A (see [reviewer notes]),Provisional,-,[Some_Body],\n"
        + "b,,bee\\n(see [reviewer notes]),Historical,-,[Some_Body][https://host.example/b][RFC1738][draft-b-00],\n"
        + "shttp (OBSOLETE),,,Permanent,-,[RFC2660],\n"
        + 'http,,,Permanent,-,"[RFC9110, Section 4.2.1][RFC 1738]",\n'
        + "Old (see below),,,Permanent,-,[RFC1],\n"
    )
    known = parse_iana_csv(given(old))
    assert [tuple(each) for each in known] == [
        ("a", "", "IANA template prov/a", "", "", "provisional", ""),
        ("b", "bee", "https://host.example/b, RFC 1738, draft-b-00", "", "", "historical", ""),
        ("dict", "dictionary service protocol", "RFC 2229", "", "", "permanent", ""),
        ("http", "", "RFC 9110 section 4.2.1, RFC 1738", "", "", "permanent", ""),
        ("old", "", "RFC 1", "", "", "permanent", ""),
        ("shttp", "", "RFC 2660", "obsolete", "", "permanent", ""),
    ]
    assert parse_iana_csv(given(b"\xef\xbb\xbf" + NEW.encode() + row.encode())) == known[2:3]
    assert parse_iana_csv(given((NEW + "UpPer,,,Permanent,-,,OBSOLETE\n").replace("\n", "\r\n")))[0][:4] == (
        "upper",
        "",
        "",
        "obsolete",
    )


@pytest.mark.parametrize(
    ("octets", "place", "message"),
    [
        (b"", "line 1", "missing column 'URI Scheme'"),
        (b"\x7fELF\xff\x00", "line 1", "not UTF-8"),
        (NEW.encode() + b"a\x00,,,Permanent,-,,\n", "line 2", "control character U+0000"),
        (NEW.encode() + b"a,,\x1b[31m,Permanent,-,,\n", "line 2", "control character U+001B"),
        (b"<html>\n", "line 1", "expected the CSV file of the registry of URI schemes"),
        (b"URI Scheme,Description,Status\n", "line 1", "missing column 'Reference'"),
        (NEW.encode(), "", "contains no names"),
        (NEW.encode() + b"a,b\n", "line 2", "the row has 2 fields: expected 7"),
        (NEW.encode() + b"a b,,,Permanent,-,,\n", "line 2, column URI Scheme", "invalid scheme name 'a b'"),
        (NEW.encode() + b"1a,,,Permanent,-,,\n", "line 2, column URI Scheme", "invalid scheme name"),
        (NEW.encode() + b"a" * 65 + b",,,Permanent,-,,\n", "line 2, column URI Scheme", "invalid scheme name"),
        (NEW.encode() + "é,,,Permanent,-,,\n".encode(), "line 2, column URI Scheme", "invalid scheme name"),
        (NEW.encode() + "fo\u212a,,,Permanent,-,,\n".encode(), "line 2, column URI Scheme", "invalid scheme name"),
        (NEW.encode() + b"a,,,Eternal,-,,\n", "line 2, column Status", "invalid status 'Eternal': expected one of"),
        (
            NEW.encode() + b'a,,"two\nlines",Permanent,-,,\nA,,,Permanent,-,,\n',
            "line 4, column URI Scheme",
            "a occurs in line 3 already",
        ),
        (NEW.encode() + b"a,," + b"x" * 2001 + b",Permanent,-,,\n", "line 2, column Description", "longer than 2000"),
        (NEW.encode() + b"a,," + b"x" * 200_000 + b",Permanent,-,,\n", "line 2", "not CSV: field larger than"),
        (NEW.encode() + b'a,,"x"y,Permanent,-,,\n', "line 2", "not CSV"),
        (NEW.encode() + b'a,,"open', "line 2", "not CSV"),
        (NEW.encode() + b"".join(b"a%d,,,Permanent,-,,\n" % n for n in range(20_001)), "line 20002", "more than 20000"),
        (b"x" * (4 * 1024 * 1024 + 1), "", "is longer than 4194304 octets"),
    ],
)
def test_an_invalid_file_is_an_error_that_says_where(given, octets, place, message, data):
    file = given(octets)
    with pytest.raises(ConfigurationError) as caught:
        parse_iana_csv(file)
    assert caught.value.source == str(file)
    assert caught.value.key == place
    assert message in caught.value.message
    assert caught.value.message.isprintable()
    done = run(file)
    assert done.exit_code == 2
    assert not data.exists()


def test_errors_of_the_command_line(given, tmp_path):
    file = given(NEW + "a,,,Permanent,-,,\n")
    for words, message in (
        ((file, "--date", "9999-01-01"), "9999-01-01 is in the future"),
        ((file, "--date", "yesterday"), "does not match the format"),
        (("--date", "2024-01-01"), "--date and --force need a FILE"),
        (("--force",), "--date and --force need a FILE"),
        ((tmp_path / "nothing",), "does not exist"),
        ((tmp_path,), "is a directory"),
    ):
        done = run(*words)
        assert done.exit_code == 2, words
        assert message in done.output


def test_a_snapshot_that_cannot_be_written_is_an_error(given, data):
    data.mkdir()
    (data / "urlschemes").write_text("a file where a folder should be")
    done = run(given(NEW + "a,,,Permanent,-,,\n"), "--force")
    assert done.exit_code == 2
    assert "cannot write" in done.output


def test_a_file_that_loses_a_tenth_of_the_names_is_refused(given, data):
    names = shipped_snapshot().ledger.names
    done = run(given(as_iana_writes(names[38:])))
    assert done.exit_code == 2
    assert "lacks 38 of the 379 names in IANA's registry of URI schemes (2024-04)\n" in done.output
    assert "--force" in done.output
    assert not data.exists()
    assert run(given(as_iana_writes(names[37:]))).exit_code == 0
    assert run(given(as_iana_writes(names[100:])), "--force").exit_code == 0
