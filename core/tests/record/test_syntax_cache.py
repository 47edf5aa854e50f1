"""The compiled syntax of a record is cached, and never a wrong one."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from zlib import crc32

import pytest

from urlschemes import Registration, Scheme
from urlschemes.errors import RegistrationError
from urlschemes.grammar.syntax import Syntax
from urlschemes.record.registration import _from_text


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """An empty cache folder."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("URLSCHEMES_CACHE", str(folder))
    return folder


def read(text: str) -> Registration:
    """Return the record as another process reads it."""
    _from_text.cache_clear()
    return Registration.from_text(text)


def test_what_takes_long_is_cached_when_it_is_first_computed(folder, record, monkeypatch):
    registration = read(record("x-kept"))
    assert not folder.exists()
    results = Scheme(registration), registration.syntax.pattern, registration.syntax.held
    (file,) = folder.iterdir()
    monkeypatch.setattr(Syntax, "automaton", None)  # the next process needs none
    again = read(record("x-kept"))
    assert (Scheme(again), again.syntax.pattern, again.syntax.held)[1:] == results[1:]
    assert [*folder.iterdir()] == [file]


@pytest.mark.parametrize(
    ("old", "new"),
    [("1*uchar", "*uchar"), ("nowhere", "somewhere"), ('at = "word"', 'at = "word", travels = "binary"')],
)
def test_another_syntax_is_another_file(folder, record, old, new):
    assert read(record("x-kept")).syntax.fullmatch("x-kept:a")
    assert read(record("x-kept").replace(old, new)).syntax.pattern
    assert len([*folder.iterdir()]) == 2


def test_a_record_without_another_syntax_is_the_same_file(folder, record):
    assert read(record("x-kept")).syntax.fullmatch("x-kept:a")
    assert read(record("x-kept").replace("A scheme of the tests", "Another title")).syntax.fullmatch("x-kept:a")
    assert len([*folder.iterdir()]) == 1


def test_another_state_of_the_code_that_compiles_is_another_file(folder, record, monkeypatch):
    assert read(record("x-kept")).syntax.fullmatch("x-kept:a")
    monkeypatch.setattr("urlschemes.storage.cache._code_of", lambda _: [("bnf.py", 1, 1)])
    assert read(record("x-kept")).syntax.fullmatch("x-kept:a")
    assert len([*folder.iterdir()]) == 2


def test_a_syntax_that_was_compiled_before_its_scheme_was_checked_is_checked_later(folder, record):
    text = record("x-kept").replace('"x-kept:" word', '"x-other:" word')
    for _ in range(2):
        registration = read(text)
        assert registration.syntax.fullmatch("x-other:a")
        with pytest.raises(RegistrationError, match="no URL of the rule 'testurl' begins with 'x-kept:'"):
            Scheme(registration)


def in_a_folder_that_others_write(folder: Path, crafted: Path, name: str) -> None:
    os.link(crafted, folder / name)
    folder.chmod(0o777)


def by_a_link_to_the_file(folder: Path, crafted: Path, name: str) -> None:
    (folder / name).symlink_to(crafted)


def by_a_link_to_the_folder(folder: Path, crafted: Path, name: str) -> None:
    folder.rmdir()
    folder.symlink_to(crafted.parent)
    crafted.rename(crafted.parent / name)


@pytest.mark.skipif(sys.platform == "win32", reason="files have owners and modes elsewhere")
@pytest.mark.parametrize(
    "attack", [None, by_a_link_to_the_file, by_a_link_to_the_folder, in_a_folder_that_others_write]
)
def test_a_file_that_another_user_chose_changes_no_syntax(folder, record, tmp_path, attack):
    text = record("x-kept")
    assert not read(text).syntax.fullmatch("x-kept:e vil")
    (file,) = folder.iterdir()
    version, key, compiled = json.loads(file.read_bytes()[:-8])
    compiled["pattern"] = ".*"
    octets = json.dumps([version, key, compiled]).encode()
    crafted = tmp_path / "downloads" / "crafted"  # the user's own, without a suspicion
    crafted.parent.mkdir(mode=0o700)
    crafted.write_bytes(octets + b"%08x" % crc32(octets))
    crafted.chmod(0o600)
    if attack is None:  # the file is well crafted
        crafted.replace(file)
    else:
        file.unlink()
        attack(folder, crafted, file.name)
    assert bool(read(text).syntax.fullmatch("x-kept:e vil")) is (attack is None)
