"""IANA's registry as a ledger: its names, error messages that use it, and the snapshot in use."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from urlschemes import Registry, UnknownScheme, __version__
from urlschemes_iana.snapshot import own_file, shipped_snapshot, snapshot_in_use, write_snapshot


@pytest.fixture(autouse=True)
def own(tmp_path, monkeypatch) -> Path:
    """The path of this test's own snapshot."""
    monkeypatch.setenv("LOCALAPPDATA" if sys.platform == "win32" else "XDG_DATA_HOME", str(tmp_path / "data"))
    file = own_file(os.environ)
    assert file is not None
    assert file.is_relative_to(tmp_path)
    return file


def snapshot(date: str, **changes: str) -> None:
    """Write the user's own snapshot: the shipped one with the status of names changed."""
    ledger = shipped_snapshot().ledger
    names = tuple(each._replace(status=changes.get(each.name, each.status)) for each in ledger.names)
    file = own_file(os.environ)
    assert file is not None
    write_snapshot(ledger._replace(date=date, names=names), file)


def test_the_shipped_snapshot_is_complete():
    ledger = shipped_snapshot().ledger
    assert ledger.date == "2024-04"
    assert ledger.source.startswith("https://www.iana.org/assignments/uri-schemes/")
    assert Counter(each.status for each in ledger.names) == {"permanent": 98, "provisional": 264, "historical": 17}
    names = [each.name for each in ledger.names]
    assert names == sorted({*names})
    assert all(re.fullmatch(r"[a-z][a-z0-9+.-]*", name) for name in names)
    known = {each.name: each for each in ledger.names}
    assert known["dict"][1:] == ("dictionary service protocol", "RFC 2229", "", "", "permanent", "")
    assert known["spotify"][1:] == ("", "IANA template prov/spotify", "", "", "provisional", "")
    assert known["shttp"][2:] == ("RFC 2660", "obsolete", "", "permanent", "")
    references = {
        "http": "RFC 9110 section 4.2.1",
        "https": "RFC 9110 section 4.2.2",
        "msrps": "RFC 4975, RFC 8873",
        "rtsp": "RFC 2326, RFC 7826",
        "rtsps": "RFC 2326, RFC 7826",
        "tel": "RFC 3966, RFC 5341",
        "urn": "RFC 8141",
    }
    assert {name: known[name].reference for name in references} == references
    assert [each.name for each in ledger.names if each.status == "permanent" and not each.reference] == []
    assert "machineprovisioningprogressreporter" in known


def test_it_agrees_with_the_ledger_of_the_core():
    known = {each.name: each for each in shipped_snapshot().ledger.names}
    for own in Registry(plugins=()).known_names().values():
        assert own.status == known[own.name].status, own.name


def test_every_name_is_known_without_being_installed():
    registry = Registry()
    known = registry.known_names()
    assert len(known) >= 379
    assert known["dict"].status == "permanent"
    assert known["ftp"].distribution == "urlschemes-ftp"
    assert [each.title for each in registry.ledgers()] == [
        "the names that RFC 1738 settles",
        "IANA's registry of URI schemes",
        f"the ledger of urlschemes-iana {__version__}",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("jms:queue", "lists it as provisional: Java Message Service, RFC 6167"),
        ("spotify:track", "lists it as provisional: IANA template prov/spotify"),
        ("dav:a", "RFC 4918 prints no syntax for other URIs of the scheme"),
        ("spotfy:track", "did you mean spotify?"),
    ],
)
def test_the_error_for_an_unknown_scheme_says_what_iana_knows(text, message):
    with pytest.raises(UnknownScheme) as caught:
        Registry().parse(text)
    assert message in str(caught.value)


def test_a_newer_snapshot_of_the_user_is_used(own):
    snapshot("2024-05-01", jms="historical")
    assert snapshot_in_use().file == own
    with pytest.raises(UnknownScheme, match=r"\(2024-05-01\) lists it as historical"):
        Registry().parse("jms:a")


def test_an_older_snapshot_of_the_user_is_not_used(own):
    snapshot("2023-01-01", jms="historical")
    assert snapshot_in_use().ledger == shipped_snapshot().ledger
    assert snapshot_in_use().note == f"the snapshot {own} is older: 2023-01-01"


@pytest.mark.parametrize(
    "octets",
    [
        b"",
        b"\xff\xfe",
        b"name\n",
        b"# source: x\n# date: 2030-01-01\nname\n",
        b"# source: x\n# date: 2030-01-01\nname,status,means,reference,since\na,b\n",
        b'# source: x\n# date: 2030-01-01\nname,status,means,reference,since\n"a\n',
        b"# source: x\n# date: 2030-01-01\nname,status,means,reference,since\na,,,,\na,,,,\n",
        b"# source: x\n# date: 2030-01-01\nname,status,means,reference,since\nA b,,,,\n",
        b"# source: \x1b[31m\n# date: 2030-01-01\n",
        b"#" * (4 * 1024 * 1024 + 1),
    ],
)
def test_an_unusable_snapshot_is_reported_and_not_used(own, octets):
    own.parent.mkdir(parents=True)
    own.write_bytes(octets)
    own.chmod(0o600)
    assert snapshot_in_use().ledger == shipped_snapshot().ledger
    assert str(own) in snapshot_in_use().note


@pytest.mark.skipif(os.name == "nt", reason="there are no such modes")
def test_a_snapshot_that_others_may_write_is_not_used(own):
    snapshot("2030-01-01")
    own.chmod(0o666)
    assert snapshot_in_use().note == f"cannot use the file {own}: other users can write it"


def test_it_is_imported_only_for_an_unknown_name_and_imports_nothing_heavy():
    code = """
import json, sys, urlschemes
urlschemes.is_valid("ftp://host.dom/"), urlschemes.is_valid("jms:a")
quiet = [name for name in sys.modules if name.startswith(("urlschemes_iana", "pluggy"))]
before = set(sys.modules)
try: urlschemes.parse("jms:a")
except urlschemes.UnknownScheme as error: message = str(error)
print(json.dumps([quiet, message, sorted({name.partition(".")[0] for name in set(sys.modules) - before})]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    quiet, message, after = json.loads(done.stdout)
    assert quiet == []
    assert "6167" in message
    assert "urlschemes_iana" in after
    assert {"asyncio", "click", "email", "http", "rich", "socket", "ssl", "tempfile"}.isdisjoint(after)
