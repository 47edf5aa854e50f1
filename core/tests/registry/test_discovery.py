"""Installed distributions are found without importing them, and a malformed one hides no other."""

from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path

import importlib_metadata  # it puts its finder into sys.meta_path, before a test changes that
import pytest

from urlschemes.registry import discovery
from urlschemes.registry.claims import HOOKS, Claim
from urlschemes.registry.discovery import discover
from urlschemes.storage.cache import _in_memory

EXIT = "raise SystemExit('imported')\n"


def states(*path: Path | str, current_directory: bool = False) -> dict[str, str]:
    """Return the state of each claim by its distribution and name."""
    found = discover([str(entry) for entry in path], current_directory=current_directory)
    return {f"{claim.distribution} {claim.name}".strip(): claim.state for claim in found}


def only(*path: Path | str) -> Claim:
    (claim,) = discover([str(entry) for entry in path])
    return claim


def test_a_claim_names_its_distribution_and_its_object(install):
    site = install("Foo.Schemes", "x-foo = foo.deep:schemes.first [extra]\nx-bar = bar\n# x-no = no:scheme\n")
    without_code, with_code = discover([str(site)])
    assert with_code == Claim("x-foo", "Foo.Schemes", "1.0", str(site), "foo.deep", "schemes.first")
    assert without_code == Claim("x-bar", "Foo.Schemes", "1.0", str(site), "bar", "")


def test_hooks_and_claims_of_other_groups_are_found_too(install):
    site = install(
        "more",
        "[console_scripts]\nx = y:z\n[urlschemes_more]\nx = y:z\n[urlschemes.\x1b]\nx = y:z\n"
        "[urlschemes]\nveto = more.hooks\n"
        "[urlschemes.tales]\na = b:c\n",
    )
    veto, tale = discover([str(site)])
    assert (veto.group, veto.name, veto.module, veto.state) == (HOOKS, "veto", "more.hooks", "active")
    assert (tale.group, tale.name, tale.module, tale.attribute) == ("urlschemes.tales", "a", "b", "c")


def test_discovery_imports_no_plugin(install, monkeypatch):
    site = install("exits", "x-exit = exits:scheme", {"exits/__init__.py": EXIT, "exits/registration.toml": ""})
    monkeypatch.syspath_prepend(site)
    assert "x-exit" in {claim.name for claim in discover()}
    assert "exits" not in sys.modules


def test_a_distribution_in_an_archive_is_found(tmp_path):
    archive = tmp_path / "plugins.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("zipped-1.0.dist-info/METADATA", "Name: zipped\nVersion: 1.0\n")
        file.writestr("zipped-1.0.dist-info/entry_points.txt", "[urlschemes.schemes]\nx-zip = zip_c.sub:scheme\n")
    assert only(archive) == Claim("x-zip", "zipped", "1.0", str(archive), "zip_c.sub", "scheme")


# Malformed distributions


@pytest.mark.plugin_fault(7)
@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        (b"", ""),
        ("Metadata-Version: 2.1\nVersion: 1\n\n", "there is no Name"),
        ("Metadata-Version: 2.1\nName: fine\n\nVersion: 1\n", "there is no Version"),
        ("Metadata-Version: 2.1\nName: \x1b[31m\nVersion: 1\n\n", r"Name is '\x1b[31m'"),
        ("Metadata-Version: 2.1\nName: fine\nVersion: 1 2\n\n", "Version is '1 2'"),
        (b"Metadata-Version: 2.1\nName: \xff\xfe\nVersion: 1\n\n", "the octet 0xFF at 28 is not UTF-8"),
    ],
)
def test_a_distribution_without_name_or_version_is_malformed(install, metadata, reason):
    install("bad", "x-bad = bad:scheme", metadata=metadata)
    site = install("good", "x-good = good:scheme")
    bad, good = discover([str(site)])
    assert (bad.name, bad.distribution, bad.state) == ("", "bad-1.0.dist-info", "malformed")
    assert bad.reason.startswith("its metadata cannot be read: ")
    assert reason in bad.reason
    assert good.state == "active"


@pytest.mark.parametrize(
    "entry_points",
    [
        b"[urlschemes.schemes]\nx-\xff = a:b\n",
        "[urlschemes.schemes]\nx-a = b".encode("utf-16"),
        "x-a = a:scheme\nno equals sign\nx-b = b:scheme",
        "".join(f"x-many-{number} = many\n" for number in range(1001)),
    ],
)
def test_a_distribution_with_malformed_entry_points_is_malformed(install, entry_points):
    install("bad", entry_points)
    site = install("good", "x-good = good:scheme")
    assert states(site) == {"bad-1.0.dist-info": "malformed", "good x-good": "active"}


def test_folders_that_only_look_like_distributions_are_passed_over(install, tmp_path):
    site = install("good", "x-good = good:scheme")
    (site / "empty-1.0.dist-info").mkdir()
    (site / "file-1.0.dist-info").write_text("not a folder")
    (site / "link-1.0.dist-info").symlink_to(tmp_path / "nowhere")
    (site / "broken.zip").write_bytes(b"PK\x03\x04 cut")
    assert states(site, site / "broken.zip", tmp_path / "nowhere") == {"good x-good": "active"}


def test_a_failing_finder_hides_nothing(install, monkeypatch):
    class Finder:
        def find_distributions(self, context):
            raise RuntimeError("out of order")

    site = install("good", "x-good = good:scheme")
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
    bad, good = discover([str(site)])
    assert (bad.state, bad.reason) == ("malformed", "RuntimeError: out of order")
    assert good.name == "x-good"


def test_entries_of_the_search_path_that_are_not_strings_are_passed_over(install, monkeypatch):
    site = install("good", "x-good = good:scheme")
    monkeypatch.setattr(sys, "path", [None, site, str(site)])
    assert [claim.name for claim in discover()] == ["x-good"]


# Names and values


@pytest.mark.plugin_fault(8)
@pytest.mark.parametrize(
    "name",
    [
        "bad name!",
        "HTTP",
        "Http",
        "a_b",
        "local_file",
        "",
        "x" * 300,
        "ht\u0442p",
        "\uff46tp",
        "\u212a",
        "x-foo\x1b[31m",
        "a:b",
    ],
)
def test_a_claim_for_no_scheme_name_is_malformed_and_never_changed_into_another(install, name):
    claim = only(install("odd", f"{name} = odd:scheme"))
    assert claim.state == "malformed"
    assert claim.reason.startswith("not a scheme name: ")
    assert claim.name.isascii()
    assert claim.name.isprintable()
    assert len(claim.name) <= 80


@pytest.mark.plugin_fault(10)
@pytest.mark.parametrize("name", ["htttp", "ftp+", "x-y", "z39.50r", "1a", "a" * 64])
def test_a_name_that_is_close_to_another_is_a_name_of_its_own(install, name):
    claim = only(install("near", f"{name} = near:scheme"))
    assert (claim.name, claim.state) == (name, "active")


@pytest.mark.parametrize("value", ["", "bad-module:scheme", "a:"])
def test_a_value_that_names_no_object_is_malformed(install, value):
    claim = only(install("odd", f"x-odd = {value}"))
    assert claim.state == "malformed"
    assert claim.reason == f"the entry point's value {value!r} is not package or package:object"


def test_a_name_that_one_distribution_claims_twice_is_malformed(install):
    site = install("twice", "x-twice = one\nx-twice = two\nx-once = one\n")
    assert states(site) == {"twice x-once": "active", "twice x-twice": "malformed"}
    assert discover([str(site)])[1].reason == "the distribution claims the name 2 times"


# One distribution, found more than once


@pytest.mark.plugin_fault(12)
def test_one_distribution_that_is_found_twice_counts_once(install, tmp_path):
    site = install("one", "x-one = one:scheme", {"one.py": EXIT})
    (tmp_path / "link").symlink_to(site)
    assert only(site, f"{site}/", tmp_path / "link").state == "active"


def test_metadata_beside_sources_is_the_same_distribution(install):  # an editable installation
    site = install("one", "x-one = one:scheme")
    sources = install("one", "x-one = one:scheme", {"one.py": EXIT}, site="sources")
    assert only(site, sources).origin == str(site)


@pytest.mark.plugin_fault(12)
def test_two_copies_of_one_distribution_are_two_claims(install):
    one = install("twin", "x-twin = twin:scheme", {"twin.py": EXIT}, site="one")
    two = install("twin", "x-twin = twin:scheme", {"twin.py": EXIT}, site="two")
    three = install("twin", "x-twin = twin:scheme", {"twin.py": EXIT}, site="three", version="2.0")
    assert sorted((claim.origin, claim.version) for claim in discover([str(one), str(two), str(three)])) == [
        (str(one), "1.0"),
        (str(three), "2.0"),
        (str(two), "1.0"),
    ]


def test_the_order_in_which_a_folder_is_listed_decides_nothing(install, monkeypatch):
    for number in range(9):
        site = install(f"urlschemes-x-n{number}", f"x-n{number} = n{number}:scheme")
    found = discover([str(site)])
    listdir = os.listdir
    monkeypatch.setattr(os, "listdir", lambda path: sorted(listdir(path), reverse=True))
    assert discover([str(site)]) == found
    assert [claim.name for claim in found] == sorted(claim.name for claim in found)


# The current directory


@pytest.mark.plugin_fault(13)
def test_distributions_that_are_found_through_the_current_directory_are_ignored(install, monkeypatch):
    here = install("here", "x-here = here:scheme", site="here")
    install("below", "x-below = below:scheme", site="here/below")
    monkeypatch.chdir(here)
    assert states("") == {"here x-here": "ignored"}
    assert states("below") == {"below x-below": "ignored"}
    assert states(here) == {"here x-here": "ignored"}
    assert states(here / "below") == {"below x-below": "active"}
    assert only("").reason == "found through the entry '' of sys.path, which depends on the current directory"
    assert only(here).reason == "found in the current directory"
    assert states("", current_directory=True) == {"here x-here": "active"}


def test_the_installations_own_folder_counts_as_the_current_directory_too(install, monkeypatch):
    here = install("here", "x-here = here:scheme")
    monkeypatch.chdir(here)
    monkeypatch.setattr("site.getsitepackages", lambda: [str(here)])
    assert states(here, "") == {"here x-here": "active"}


def test_a_python_without_the_module_site_ignores_the_current_directory(install, monkeypatch):
    here = install("here", "x-here = here:scheme")
    monkeypatch.chdir(here)
    monkeypatch.delitem(sys.modules, "site")
    assert states(here) == {"here x-here": "ignored"}


def test_a_current_directory_that_was_deleted_hides_nothing(install, monkeypatch, tmp_path):
    site = install("good", "x-good = good:scheme")
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert states(site, "") == {"good x-good": "active"}


# The cache


@pytest.fixture
def cache(tmp_path, monkeypatch) -> Path:
    """An empty cache folder, and a clock by which nothing has just changed."""
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("URLSCHEMES_CACHE", str(folder))
    monkeypatch.setattr("urlschemes.storage.cache.SETTLED_AFTER", 0)
    return folder


@pytest.fixture
def site(install, monkeypatch) -> Path:
    """The only folder of the search path, with one plugin."""
    folder = install("urlschemes-x-first", "x-first = x_first:scheme", {"x_first.py": EXIT})
    monkeypatch.setattr(sys, "path", [str(folder)])
    return folder


@pytest.fixture
def searches(monkeypatch) -> list[int]:
    """One item for each search."""
    found: list[int] = []
    real = discovery.discover
    monkeypatch.setattr(discovery, "discover", lambda **options: found.append(1) or real(**options))
    return found


def installed_claims(**options: bool) -> tuple[Claim, ...]:
    """Return what another process would find."""
    _in_memory.clear()
    return discovery.installed_claims(**options)


def names() -> list[str]:
    return [claim.name for claim in installed_claims()]


def test_the_second_process_does_not_search_and_finds_the_same(cache, site, searches):
    first = installed_claims()
    again = installed_claims()
    assert len(searches) == 1
    assert again == first == discover()
    assert [type(claim) for claim in again] == [Claim]


def test_an_installation_or_removal_is_seen(cache, site, install):
    assert names() == ["x-first"]
    install("urlschemes-x-second", "x-second = x_second:scheme")
    assert names() == ["x-first", "x-second"]
    info = site / "urlschemes_x_second-1.0.dist-info"
    for file in info.iterdir():
        file.unlink()
    info.rmdir()
    assert names() == ["x-first"]


def test_a_reinstallation_of_the_same_version_is_seen(cache, site, install, tmp_path):
    assert names() == ["x-first"]
    (site / "urlschemes_x_first-1.0.dist-info").rename(tmp_path / "old")  # as pip does
    install("urlschemes-x-first", "x-first = x_first:scheme\nx-more = x_first:more")
    assert names() == ["x-first", "x-more"]


def test_a_folder_that_did_not_change_is_not_searched_again(cache, site, install, monkeypatch):
    assert names() == ["x-first"]
    other = install("urlschemes-x-second", "x-second = x_second:scheme", site="other")
    monkeypatch.setattr(sys, "path", [str(other), str(site)])
    searched, real = [], importlib_metadata.distributions
    monkeypatch.setattr(importlib_metadata, "distributions", lambda path: searched.extend(path) or real(path=path))
    assert names() == ["x-first", "x-second"]
    assert searched == [str(other)]


def test_a_rebuild_of_sources_is_seen(cache, site, searches):
    info = site / "made.egg-info"
    info.mkdir()
    (info / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: made\nVersion: 1\n\n")
    assert names() == ["x-first"]
    (info / "entry_points.txt").write_text("[console_scripts]\na = b:c\n")
    assert names() == ["x-first"]
    (info / "entry_points.txt").write_text("[urlschemes.schemes]\nx-made = made:scheme\n")
    assert names() == names() == ["x-first", "x-made"]
    assert len(searches) == 3


def test_a_record_that_is_added_is_seen(cache, site, install, searches):
    install("x-more", "x-more = x_more", {"x_more/registration.toml": ""})
    package = site / "x_more"
    for names in (["registration.toml"], ["registration.later.toml", "registration.toml"]):
        (package / names[0]).touch()
        for _ in range(2):  # the second time from the cache
            records = {claim.name: claim.records for claim in installed_claims()}
            assert records == {"x-first": (), "x-more": tuple(str(package / name) for name in names)}
    assert len(searches) == 2


def test_an_archive_that_changes_is_seen(cache, tmp_path, monkeypatch):
    archive = tmp_path / "plugins.zip"
    monkeypatch.setattr(sys, "path", [*sys.path, str(archive)])
    for name in ("x-one", "x-other"):
        with zipfile.ZipFile(archive, "w") as file:
            file.writestr("zipped-1.0.dist-info/METADATA", "Name: zipped\nVersion: 1.0\n")
            file.writestr("zipped-1.0.dist-info/entry_points.txt", f"[urlschemes.schemes]\n{name} = zipped:scheme\n")
        assert set(names()) & {"x-one", "x-other"} == {name}


def test_the_current_directory_counts_in_the_cache_as_without_it(cache, site, monkeypatch, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(site)
    for path in ([str(site)], [str(tmp_path / "link")]):
        monkeypatch.setattr(sys, "path", path)
        for here, state in ((site, "ignored"), (tmp_path / "elsewhere", "active"), (site, "ignored")):
            monkeypatch.chdir(here)
            assert [claim.state for claim in installed_claims()] == [state]
    monkeypatch.setattr(sys, "path", [""])
    for here, found in ((site, ["x-first"]), (tmp_path / "elsewhere", []), (site, ["x-first"])):
        monkeypatch.chdir(here)
        assert names() == names() == found
    assert [claim.state for claim in installed_claims(current_directory=True)] == ["active"]
    assert [claim.state for claim in installed_claims()] == ["ignored"]


def test_other_files_in_the_current_directory_do_not_matter_and_metadata_does(
    cache, site, searches, install, monkeypatch, tmp_path
):
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    for path in (["", str(site)], [str(here), str(site)]):
        monkeypatch.setattr(sys, "path", path)
        searches.clear()
        assert names() == ["x-first"]
        (here / f"output-{len(path[0])}.txt").write_text("")
        assert names() == ["x-first"]
        assert len(searches) == 1
    install("urlschemes-x-here", "x-here = x_here", site="here")
    assert names() == names() == ["x-first", "x-here"]
    assert len(searches) == 2


def test_a_process_without_a_cache_on_disk_searches_once(site, searches, monkeypatch):
    monkeypatch.setenv("URLSCHEMES_CACHE", "none")
    monkeypatch.setattr("urlschemes.storage.cache.SETTLED_AFTER", 0)
    assert discovery.installed_claims() == discovery.installed_claims() == discover()
    assert len(searches) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda patch: patch.setattr(sys, "version", "4.0"),
        lambda patch: patch.setattr(sys, "prefix", "/elsewhere"),
        lambda patch: patch.setattr("urlschemes.storage.cache._code_of", lambda _: "edited"),
        lambda patch: patch.setattr("urlschemes.storage.cache.__version__", "9"),
    ],
)
def test_another_python_or_core_searches_anew(cache, site, searches, monkeypatch, change):
    assert names() == ["x-first"]
    change(monkeypatch)
    assert names() == ["x-first"]
    assert len(searches) == 2


def test_claims_are_not_cached_while_another_change_could_go_unseen(cache, site, monkeypatch):
    monkeypatch.setattr("urlschemes.storage.cache.SETTLED_AFTER", 10**18)
    assert names() == ["x-first"]
    assert list(cache.iterdir()) == []


def test_claims_are_not_cached_if_a_finder_knows_of_distributions_elsewhere(cache, site, monkeypatch):
    class Finder:
        def find_distributions(self, context):
            return ()

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
    assert names() == ["x-first"]
    assert list(cache.iterdir()) == []


def test_processes_that_start_at_once_find_the_same(plugin, child, cache):
    code = """
import subprocess, urlschemes
again = f"import sys; sys.path += {sys.path!r}; import urlschemes; print(urlschemes.parse('x-good:yes'))"
others = [subprocess.Popen([sys.executable, "-c", again], stdout=subprocess.PIPE) for _ in range(4)]
outputs = [other.communicate()[0].decode().strip() for other in others]
print(json.dumps([*outputs, str(urlschemes.parse("x-good:yes"))]))
"""
    assert child(code, plugin("x-good")) == ["x-good:yes"] * 5
