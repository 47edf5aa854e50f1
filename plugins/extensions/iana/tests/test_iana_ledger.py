"""IANA's registry as a ledger: what it knows, what errors say of it, and what it costs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import urlschemes
from urlschemes import Registry, UnknownScheme
from urlschemes_iana.snapshot import in_use, own_file, shipped, write


@pytest.fixture(autouse=True)
def own(tmp_path, monkeypatch) -> str:
    """Where this test's own snapshot is."""
    monkeypatch.setenv("LOCALAPPDATA" if sys.platform == "win32" else "XDG_DATA_HOME", str(tmp_path / "data"))
    file = own_file(os.environ)
    assert file is not None
    assert Path(file).is_relative_to(tmp_path)
    return file


def snapshot(date: str, **changes: str) -> None:
    """The user's own snapshot: the shipped one with the status of names changed."""
    came = shipped().ledger
    names = tuple(each._replace(status=changes.get(each.name, each.status)) for each in came.names)
    file = own_file(os.environ)
    assert file is not None
    write(came._replace(date=date, names=names), file)


def test_the_shipped_state_is_whole():
    ledger = shipped().ledger
    assert ledger.date == "2024-04"
    assert ledger.source.startswith("https://www.iana.org/assignments/uri-schemes/")
    assert Counter(each.status for each in ledger.names) == {"permanent": 98, "provisional": 264, "historical": 17}
    names = [each.name for each in ledger.names]
    assert names == sorted({*names})
    assert all(re.fullmatch(r"[a-z][a-z0-9+.-]*", name) for name in names)
    known = {each.name: each for each in ledger.names}
    assert known["dict"][1:] == ("dictionary service protocol", "RFC 2229", "", "", "permanent")
    assert known["spotify"][1:] == ("", "IANA template prov/spotify", "", "", "provisional")
    assert known["shttp"].since == "obsolete"
    assert "machineprovisioningprogressreporter" in known


def test_it_agrees_with_what_the_core_says_of_the_names_of_the_rfc():
    known = {each.name: each for each in shipped().ledger.names}
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
    ]


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (
            "dict://host.dom/d:word",
            (
                "nobody provides the scheme dict here; IANA's registry of URI schemes (2024-04) has it as permanent: "
                "dictionary service protocol, RFC 2229"
            ),
            "`parse_generic` reads it; a plugin can define it",
        ),
        (
            "spotify:track",
            (
                "nobody provides the scheme spotify here; IANA's registry of URI schemes (2024-04) has it as "
                "provisional: IANA template prov/spotify"
            ),
            "`parse_generic` reads it; a plugin can define it",
        ),
        ("spotfy:track", "no scheme is registered as 'spotfy'", "did you mean spotify?"),
    ],
)
def test_an_unknown_scheme_says_what_iana_knows(text, message, hint):
    with pytest.raises(UnknownScheme) as caught:
        urlschemes.Registry().parse(text)
    assert (caught.value.message, caught.value.hint) == (message, hint)


def test_a_newer_snapshot_of_the_user_counts(own):
    snapshot("2024-05-01", dict="historical")
    assert in_use().file == own
    with pytest.raises(UnknownScheme, match=r"\(2024-05-01\) has it as historical"):
        Registry().parse("dict://a")


def test_an_older_snapshot_of_the_user_does_not_count(own):
    snapshot("2023-01-01", dict="historical")
    assert in_use().ledger == shipped().ledger
    assert in_use().note == f"the state in {own} is older: 2023-01-01"


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
def test_a_snapshot_that_cannot_be_used_is_said_to_be_none(own, octets):
    Path(own).parent.mkdir(parents=True)
    Path(own).write_bytes(octets)
    Path(own).chmod(0o600)
    assert in_use().ledger == shipped().ledger
    assert own in in_use().note


@pytest.mark.skipif(os.name == "nt", reason="there are no such modes")
def test_a_snapshot_that_others_may_write_does_not_count(own):
    snapshot("2030-01-01")
    Path(own).chmod(0o666)
    assert in_use().note == f"the file {own} cannot be used: others may write it, and so decide what it says"
    Path(own).unlink()
    os.mkfifo(own)
    assert in_use().note == f"the file {own} cannot be used: it is no regular file"


def test_it_is_read_when_somebody_asks_and_imports_nothing_heavy():
    code = """
import json, sys, urlschemes
urlschemes.is_valid("ftp://host.dom/"), urlschemes.is_valid("dict://host.dom/")
quiet = [name for name in sys.modules if name.startswith(("urlschemes_iana", "pluggy"))]
before = set(sys.modules)
try: urlschemes.parse("dict://host.dom/")
except urlschemes.UnknownScheme as error: said = str(error)
print(json.dumps([quiet, said, sorted({name.partition(".")[0] for name in set(sys.modules) - before})]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    quiet, said, after = json.loads(done.stdout)
    assert quiet == []
    assert "2229" in said
    assert "urlschemes_iana" in after
    assert {"asyncio", "click", "email", "http", "rich", "socket", "ssl", "tempfile", "urllib"}.isdisjoint(after)
