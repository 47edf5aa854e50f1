"""Ledgers: registers of names that are known without being installed."""

from __future__ import annotations

import pytest

from urlschemes.registry.known_names import (
    KnownName,
    Ledger,
    attribution,
    core_ledger,
    how_to_install,
    known_names,
    merged,
    reserved_names,
)

OPEN = {"afs", "mid", "cid", "nfs", "tn3270", "mailserver", "z39.50"}
"""The names that section 4 reserves without defining them."""


def ledger(*names: KnownName, title: str = "the register of things", date: str = "2024-04-22") -> Ledger:
    return Ledger(title, "https://host.example/register", date, names)


@pytest.mark.rfc1738(145)
def test_the_core_ledger_holds_the_names_of_the_rfc():
    names = known_names()
    assert len(names) == 18
    assert {name for name, known in names.items() if not known.distribution} == OPEN
    for name, known in names.items():
        assert known.name == name
        assert known.distribution in {"", f"urlschemes-{name}"}
        assert known.means
        assert known.since
        assert known.status in {"permanent", "provisional", "historical"}
        assert known.reference.startswith("RFC ")
    assert core_ledger().problem() is None
    assert core_ledger().names == tuple(names.values())


@pytest.mark.parametrize(
    ("distribution", "extra", "folder", "command"),
    [
        ("urlschemes-gopher", "", "plugins/schemes/gopher", "pip install urlschemes-gopher"),
        ("urlschemes-iana", "", "plugins/extensions/iana", "pip install urlschemes-iana"),
        ("urlschemes-iana", "cli", "plugins/extensions/iana[cli]", 'pip install "urlschemes-iana[cli]"'),
    ],
)
def test_pip_is_advised_only_once_names_are_published(monkeypatch, distribution, extra, folder, command):
    for published, hint in (
        (
            False,
            f"install urlschemes-{folder.rpartition('/')[2]} as you installed urlschemes (in a checkout: {folder})",
        ),
        (True, command),
    ):
        reserved = reserved_names()._replace(published=published)
        monkeypatch.setattr("urlschemes.registry.known_names.reserved_names", lambda reserved=reserved: reserved)
        assert how_to_install(distribution, extra) == hint


def test_other_ledgers_say_who_provides_a_name_as_their_word():
    first, second = ledger(KnownName("x-a")), ledger(KnownName("x-a", distribution="things"), title="mine")
    assert attribution("x-a", [first, second]) == "according to mine, things provides it"
    assert attribution("x-a", [first]) is None
    assert attribution("x-b", [second]) is None


def test_of_several_ledgers_the_first_that_fills_a_field_takes_precedence():
    first = ledger(KnownName("x-b", means="one"), KnownName("x-a"))
    second = ledger(KnownName("x-b", means="two", reference="RFC 0"), KnownName("x-c"))
    found = merged([first, second])
    assert list(found) == ["x-a", "x-b", "x-c"]
    assert found["x-b"] == KnownName("x-b", means="one", reference="RFC 0")


@pytest.mark.parametrize("date", ["", "1994", "1994-12", "1994-12-20"])
def test_a_ledger_of_distinct_scheme_names_has_no_problem(date):
    assert ledger(KnownName("x-a"), KnownName("z39.50"), date=date).problem() is None


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (ledger(date="yesterday"), "has the date 'yesterday'"),
        (ledger()._replace(date=None), "has a title, a source or a date that is not a str"),
        (ledger()._replace(title=7), "has a title, a source or a date that is not a str"),
        (ledger()._replace(names=None), "is not a tuple of at most 20000 names"),
        (ledger()._replace(names=[KnownName("x-a")]), "is not a tuple of at most 20000 names"),
        (ledger(*[KnownName("x-a")] * 20_001), "is not a tuple of at most 20000 names"),
        (ledger("x-a"), "holds 'x-a', which is not a KnownName of strings"),
        (
            ledger(KnownName("x-a", None)),
            (
                "holds KnownName(name='x-a', means=None, reference='', since='', distribution='', status=''), "
                "which is not a KnownName of strings"
            ),
        ),
        (ledger(KnownName("X-A")), "holds 'X-A', which is not a scheme name"),
        (ledger(KnownName("")), "holds '', which is not a scheme name"),
        (ledger(KnownName("x-a", distribution="a; rm b")), "holds x-a with the distribution 'a; rm b'"),
        (ledger(KnownName("x-a"), KnownName("x-a")), "holds x-a twice"),
    ],
)
def test_the_problem_of_a_ledger_is_described(wrong, problem):
    assert wrong.problem() == problem
