"""The targets of a review: installed schemes, folders and records; and what is none of them."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

import pytest
from bad_plugins import GOOD, PACKAGE, RECORD, SOURCE, good_plugin

from urlschemes import Registry, default_registry
from urlschemes.errors import PluginError, UnknownScheme
from urlschemes_conformance.review import review
from urlschemes_conformance.review.target import Target, find_target, targets_of_records

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from plugin_fixtures import Install

    from urlschemes import Registration


def test_the_name_of_an_installed_scheme_is_a_target_in_any_letter_case() -> None:
    target = find_target("X-Example", default_registry)
    assert (target.kind, target.claim.name, target.claim.module, target.claim.attribute) == (
        "installed",
        "x-example",
        PACKAGE,
        "scheme",
    )
    assert demonstration(target) == ("urlschemes-x-example", f"{PACKAGE}.demo", "demo")


def demonstration(target: Target) -> tuple[str, str, str] | None:
    return target.demo and target.demo.place


def test_a_demonstration_of_another_distribution_is_used_if_it_is_the_only_one() -> None:
    found = demonstration(find_target("gopher", default_registry))
    assert found == ("urlschemes-servers", "urlschemes_servers.demos", "gopher")


def test_of_several_demonstrations_that_of_the_schemes_own_distribution_is_used(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    demos = "[urlschemes.demos]\nx-example = strange:demo\ngopher = strange:demo\n"
    monkeypatch.syspath_prepend(install("strange", demos))
    assert demonstration(find_target("x-example", Registry())) == ("urlschemes-x-example", f"{PACKAGE}.demo", "demo")
    assert find_target("gopher", Registry()).demo is None


def test_the_folder_of_a_distribution_is_a_target(tmp_path: Path) -> None:
    folder = good_plugin(tmp_path)
    target = find_target(folder, default_registry)
    assert (target.kind, target.claim.name, target.claim.distribution) == (
        "folder",
        "x-example",
        "urlschemes-x-example",
    )
    assert target.path == (str(folder.resolve() / "src"),)


def test_a_path_that_does_not_exist_is_named(tmp_path: Path) -> None:
    for target in ("./x-bazz", tmp_path / "x-bazz"):
        with pytest.raises(PluginError, match=r"there is no folder or file .*x-bazz; name an installed scheme"):
            find_target(target, default_registry)


def test_a_record_is_a_target_by_its_file_or_its_folder(tmp_path: Path) -> None:
    record = good_plugin(tmp_path) / RECORD
    for path in (record, record.parent):
        target = find_target(path, default_registry)
        assert (target.kind, target.claim.name, target.claim.origin) == ("record", "x-example", str(record.resolve()))


def test_a_name_that_no_plugin_provides_is_not_a_target() -> None:
    with pytest.raises(UnknownScheme):
        find_target("x-nobody", default_registry)


def test_a_scheme_that_the_program_registered_is_not_a_target(registration: Callable[[str], Registration]) -> None:
    registry = Registry(plugins=())
    registry.register(registration("x-own"))
    with pytest.raises(PluginError, match="the program itself provides x-own"):
        find_target("x-own", registry)


def test_a_folder_without_a_project_and_a_record_is_not_a_target(tmp_path: Path) -> None:
    with pytest.raises(PluginError, match=r"expected a pyproject.toml or a registration.toml"):
        find_target(tmp_path, default_registry)


SCHEMES = "[project.entry-points.'urlschemes.schemes']\n"


@pytest.mark.parametrize(
    ("project", "message"),
    [
        ("[project]\nname = 'a'\n", "has no entry point of a scheme"),
        ("[project\n", "cannot be read"),
        (f"{SCHEMES}x-a = 'x_a:scheme'\n", "no package x_a in "),
        (f"{SCHEMES}x-a = 'x a'\n", "invalid entry point 'x a'"),
        (f"{SCHEMES}x-a = 'a'\nx-b = 'b'\n", "has several schemes: x-a, x-b"),
    ],
)
def test_a_folder_without_a_usable_scheme_is_not_a_target(tmp_path: Path, project: str, message: str) -> None:
    (tmp_path / "pyproject.toml").write_text(project)
    with pytest.raises(PluginError, match=re.escape(message)):
        find_target(tmp_path, default_registry)


def test_of_several_schemes_one_is_chosen_by_name(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(f"{SCHEMES}x-a = 'a'\nx-b = 'b'\n")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "__init__.py").touch()
    assert find_target(tmp_path, default_registry, "x-b").claim.module == "b"
    with pytest.raises(PluginError, match="has no scheme 'x-c': expected one of x-a, x-b"):
        find_target(tmp_path, default_registry, "x-c")


def with_second_record(folder: Path, *, alone: bool = False) -> Path:
    """Give the good plugin its second record, without code."""
    first = good_plugin(folder) / RECORD
    shutil.copy(GOOD / SOURCE / "registration.rfc3986.toml", first.parent)
    if alone:
        first.unlink()
    return first.parents[2]


@pytest.mark.parametrize(
    ("alone", "chosen", "profiles"),
    [(False, None, ["rfc1738", "rfc3986"]), (False, "rfc3986", ["rfc3986"]), (True, None, ["rfc3986"])],
)
def test_each_record_of_a_scheme_is_a_target(
    tmp_path: Path, alone: bool, chosen: str | None, profiles: list[str]
) -> None:
    folder = with_second_record(tmp_path, alone=alone)
    found = targets_of_records(find_target(folder, default_registry), default_registry, chosen)
    assert [each.profile for each in found] == profiles


def test_each_record_of_a_scheme_is_reviewed(tmp_path: Path) -> None:
    result = review(with_second_record(tmp_path), checks=["record", "conventions"], examples=5)
    assert [(each.profile, each.check, each.outcome) for each in result.verdicts] == [
        (profile, check, "passed") for profile in ("rfc1738", "rfc3986") for check in ("record", "conventions")
    ]


def test_the_name_of_a_record_says_its_profile(tmp_path: Path) -> None:
    folder = with_second_record(tmp_path) / "src" / PACKAGE
    assert find_target(folder / "registration.rfc3986.toml", default_registry).claim.profiles == ("rfc3986",)
    assert find_target(folder, default_registry).claim.profiles == ("rfc1738",)


@pytest.mark.parametrize(
    ("profile", "message"),
    [("never", "the profile never is not installed"), ("rfc3986", "plugin has no record of the profile rfc3986")],
)
def test_a_profile_without_a_record_is_an_error(tmp_path: Path, profile: str, message: str) -> None:
    with pytest.raises(PluginError, match=message):
        targets_of_records(find_target(good_plugin(tmp_path), default_registry), default_registry, profile)
