"""What is installed is found without importing it, and nothing malformed hides the rest."""

from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path

import importlib_metadata  # noqa: F401  it puts its finder into sys.meta_path, before a test changes that
import pytest

from urlschemes.registry.claims import COMMANDS, HOOKS, Claim, object_reference
from urlschemes.registry.discovery import discover
from urlschemes.storage.package_data import locate, read_file

EXIT = "raise SystemExit('imported')\n"
RECORD = "registration.toml"


def states(*path: Path | str, current_directory: bool = False) -> dict[str, str]:
    """The state of each claim by its distribution and name."""
    found = discover([str(entry) for entry in path], current_directory=current_directory)
    return {f"{claim.distribution} {claim.name}".strip(): claim.state for claim in found}


def only(*path: Path | str) -> Claim:
    (claim,) = discover([str(entry) for entry in path])
    return claim


def test_a_claim_says_who_wants_the_name_and_where_its_object_is(install):
    site = install("Foo.Schemes", "x-foo = foo.deep:schemes.first [extra]\nx-bar = bar\n# x-no = no:scheme\n")
    code_free, with_code = discover([str(site)])
    assert with_code == Claim("x-foo", "Foo.Schemes", "1.0", str(site), "foo.deep", "schemes.first")
    assert code_free == Claim("x-bar", "Foo.Schemes", "1.0", str(site), "bar", "")
    assert with_code.provider == "Foo.Schemes 1.0"
    assert str(with_code) == f"x-foo: Foo.Schemes 1.0 [active] foo.deep:schemes.first in {site}"


def test_hooks_and_commands_are_found_too(install):
    site = install(
        "more",
        "[console_scripts]\nx = y:z\n"
        "[urlschemes]\nveto = more.hooks\nvetoes = more.hooks\n"
        "[urlschemes.commands]\na = b:c\n",
    )
    assert [(claim.group, claim.name, claim.module) for claim in discover([str(site)])] == [
        (HOOKS, "veto", "more.hooks"),
        (HOOKS, "vetoes", "more.hooks"),
        (COMMANDS, "a", "b"),
    ]


def test_discovery_imports_no_plugin(install, monkeypatch):
    site = install("exits", "x-exit = exits:scheme", {"exits/__init__.py": EXIT, f"exits/{RECORD}": "api = 1\n"})
    monkeypatch.syspath_prepend(site)
    assert "x-exit" in {claim.name for claim in discover()}
    assert "exits" not in sys.modules


@pytest.mark.parametrize("with_finder", [False, True])
def test_entry_points_that_cannot_be_read_are_reported(install, monkeypatch, with_finder):  # C07
    if with_finder:  # one that knows of distributions elsewhere: then importlib_metadata looks
        monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
    site = install("good", "x-good = good:scheme")
    (site / "folder-1.0.dist-info" / "entry_points.txt").mkdir(parents=True)
    for name in ("pipe", "zero", "long"):
        (site / f"{name}-1.0.dist-info").mkdir()
    (site / "zero-1.0.dist-info" / "entry_points.txt").symlink_to("/dev/zero")
    os.mkfifo(site / "pipe-1.0.dist-info" / "entry_points.txt")
    with (site / "long-1.0.dist-info" / "entry_points.txt").open("wb") as file:
        file.truncate(1 << 32)
    *bad, good = discover([str(site)])
    assert good.state == "active"
    assert [(claim.distribution, claim.state, claim.reason.rpartition(": ")[2]) for claim in bad] == [
        ("folder-1.0.dist-info", "malformed", "it is no regular file"),
        ("long-1.0.dist-info", "malformed", "it is longer than 1048576 octets"),
        ("pipe-1.0.dist-info", "malformed", "it is no regular file"),
        ("zero-1.0.dist-info", "malformed", "it is no regular file"),
    ]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_entry_points_that_may_not_be_read_are_reported(install):  # C07
    site = install("shut", "x-shut = shut:scheme")
    (site / "shut-1.0.dist-info" / "entry_points.txt").chmod(0)
    assert only(site).state == "malformed"
    assert "PermissionError" in only(site).reason


def test_metadata_in_an_archive_is_bounded(tmp_path):
    with zipfile.ZipFile(tmp_path / "big.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, size in (("one", 0), ("two", 1 << 21)):
            entry = f"[urlschemes.schemes]\nx-{name} = {name}:scheme\n"
            archive.writestr(f"{name}-1.0.dist-info/METADATA", f"Name: {name}\nVersion: 1.0\n\n" + size * "\n")
            archive.writestr(f"{name}-1.0.dist-info/entry_points.txt", entry)
        archive.writestr("three-1.0.dist-info/entry_points.txt", b"\n" * (1 << 21))
    assert states(tmp_path / "big.zip") == {
        "one x-one": "active",
        "two-1.0.dist-info x-two": "malformed",
        "three-1.0.dist-info": "malformed",
    }


class Finder:
    """A finder that knows of distributions, of which there are none."""

    def find_spec(self, *_):
        return None

    def find_distributions(self, *_):
        return []


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        (b"", "there is no METADATA"),
        ("Metadata-Version: 2.1\nVersion: 1\n\n", "there is no Name"),
        ("Metadata-Version: 2.1\nName: fine\n\nVersion: 1\n", "there is no Version"),
        ("Metadata-Version: 2.1\nName: \x1b[31m\nVersion: 1\n\n", r"Name is '\x1b[31m'"),
        ("Metadata-Version: 2.1\nName: fine\nVersion: 1 2\n\n", "Version is '1 2'"),
        (b"Metadata-Version: 2.1\nName: \xff\xfe\nVersion: 1\n\n", "UnicodeDecodeError"),
    ],
)
def test_a_distribution_without_name_or_version_is_skipped_and_reported(install, metadata, reason):  # C07
    install("bad", "x-bad = bad:scheme", metadata=metadata)
    site = install("good", "x-good = good:scheme")
    bad, good = discover([str(site)])
    assert (bad.name, bad.state) == ("x-bad", "malformed")
    assert bad.reason.startswith("its metadata cannot be read: ")
    assert reason in bad.reason
    assert bad.distribution == "bad-1.0.dist-info"
    assert good.state == "active"


@pytest.mark.parametrize(
    "octets", [b"[urlschemes.schemes]\nx-\xff = a:b\n", "[urlschemes.schemes]\nx-a = b".encode("utf-16")]
)
def test_entry_points_that_are_not_utf_8_are_skipped_and_reported(install, octets):  # C07
    install("bad", octets)
    site = install("good", "x-good = good:scheme")
    assert states(site) == {"bad-1.0.dist-info": "malformed", "good x-good": "active"}
    assert discover([str(site)])[0].reason.startswith("its entry_points.txt cannot be read: UnicodeDecodeError")


def test_folders_that_only_look_like_distributions_say_nothing(install, tmp_path):  # C07
    site = install("good", "x-good = good:scheme")
    (site / "empty-1.0.dist-info").mkdir()
    (site / "file-1.0.dist-info").write_text("no folder")
    (site / "link-1.0.dist-info").symlink_to(tmp_path / "nowhere")
    (site / "broken.zip").write_bytes(b"PK\x03\x04 cut")
    assert states(site, site / "broken.zip", tmp_path / "nowhere") == {"good x-good": "active"}


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
def test_a_claim_of_what_is_no_scheme_name_is_refused_as_it_stands(install, name):  # C08, C10
    site = install("odd", f"{name} = odd:scheme")
    claim = only(site)
    assert claim.state == "malformed"
    assert claim.reason.startswith("the name is no scheme name")
    assert claim.name.isascii()
    assert claim.name.isprintable()
    assert len(claim.name) <= 80


@pytest.mark.parametrize("name", ["htttp", "ftp+", "x-y", "z39.50r", "1a", "a" * 64])
def test_a_name_close_to_another_is_a_name_of_its_own(install, name):  # C10
    site = install("near", f"{name} = near:scheme")
    assert (only(site).name, only(site).state) == (name, "active")


@pytest.mark.parametrize(
    "value", ["", "bad-module:scheme", "a:", "a..b:c", ":scheme", "a:b:c", "a b:c", "a:b.", "../a:b"]
)
def test_a_value_that_names_no_object_is_refused(install, value):
    claim = only(install("odd", f"x-odd = {value}"))
    assert claim.state == "malformed"
    assert "names neither a package nor package:object" in claim.reason


def test_one_bad_line_spoils_one_claim(install):
    site = install("mixed", "x-a = a:scheme\nno equals sign\nx-b = b:scheme")
    assert states(site) == {"mixed x-a": "active", "mixed no equals sign": "malformed", "mixed x-b": "active"}


def test_one_distribution_seen_twice_counts_once(install, tmp_path):  # C12
    site = install("one", "x-one = one:scheme", {"one.py": EXIT})
    (tmp_path / "link").symlink_to(site)
    assert only(site, f"{site}/", tmp_path / "link").state == "active"


def test_metadata_beside_sources_is_the_same_distribution(install):  # C12: an editable installation
    site = install("one", "x-one = one:scheme")
    sources = install("one", "x-one = one:scheme", {"one.py": EXIT}, site="sources")
    assert only(site, sources).origin == str(site)


def test_two_copies_of_one_distribution_are_two_claims(install):  # C12
    one = install("twin", "x-twin = twin:scheme", {"twin.py": EXIT}, site="one")
    two = install("twin", "x-twin = twin:scheme", {"twin.py": EXIT}, site="two")
    three = install("twin", "x-twin = twin:scheme", {"twin.py": EXIT}, site="three", version="2.0")
    assert sorted((claim.origin, claim.version) for claim in discover([str(one), str(two), str(three)])) == [
        (str(one), "1.0"),
        (str(three), "2.0"),
        (str(two), "1.0"),
    ]


def test_nothing_counts_that_was_found_through_the_current_directory(install, monkeypatch):  # C13
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


def test_a_folder_of_the_installation_counts_even_where_one_stands_in_it(install, monkeypatch):  # C13
    here = install("here", "x-here = here:scheme")
    monkeypatch.chdir(here)
    monkeypatch.setattr("site.getsitepackages", lambda: [str(here)])
    assert states(here, "") == {"here x-here": "active"}


def test_a_current_directory_that_was_deleted_is_no_fault(install, monkeypatch, tmp_path):
    site = install("good", "x-good = good:scheme")
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert states(site) == {"good x-good": "active"}


def test_a_finder_that_fails_hides_nothing(install, monkeypatch):
    class Finder:
        def find_distributions(self, context):
            raise RuntimeError("out of order")

    site = install("good", "x-good = good:scheme")
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
    bad, good = discover([str(site)])
    assert (bad.state, bad.reason) == ("malformed", "RuntimeError: out of order")
    assert good.name == "x-good"


def test_entries_of_the_path_that_are_no_strings_are_passed_over(install, monkeypatch):
    site = install("good", "x-good = good:scheme")
    monkeypatch.setattr(sys, "path", [None, site, str(site)])
    assert [claim.name for claim in discover()] == ["x-good"]


def packages(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "__init__.py").write_text(EXIT)


def test_a_record_is_read_without_running_the_package(tmp_path, monkeypatch):
    packages(tmp_path, "plain_a", "plain_a/deep")
    (tmp_path / "plain_a" / RECORD).write_text("top", encoding="utf-8")
    (tmp_path / "plain_a" / "deep" / RECORD).write_text("caf\u00e9", encoding="utf-8")
    (tmp_path / "plain_a" / "module.py").write_text(EXIT)
    monkeypatch.syspath_prepend(tmp_path)
    assert read_file("plain_a", RECORD) == ("top", str(tmp_path / "plain_a" / RECORD))
    assert read_file("plain_a.deep", RECORD) == ("caf\u00e9", str(tmp_path / "plain_a" / "deep" / RECORD))
    assert read_file("plain_a.module", RECORD)[0] == "top"
    assert locate("plain_a.deep").origin == str(tmp_path / "plain_a" / "deep" / "__init__.py")
    assert not {"plain_a", "plain_a.deep", "plain_a.module"} & set(sys.modules)


def test_a_record_in_nested_namespaces_is_read(tmp_path, monkeypatch):
    packages(tmp_path / "one", "space_b/inner/code")
    (tmp_path / "one" / "space_b" / "inner" / "code" / RECORD).write_text("code")
    (tmp_path / "two" / "space_b" / "inner" / "data").mkdir(parents=True)
    (tmp_path / "two" / "space_b" / "inner" / "data" / RECORD).write_text("data")
    monkeypatch.syspath_prepend(tmp_path / "one")
    monkeypatch.syspath_prepend(tmp_path / "two")
    assert read_file("space_b.inner.code", RECORD)[0] == "code"
    assert read_file("space_b.inner.data", RECORD)[0] == "data"
    assert "space_b" not in sys.modules


def test_a_record_in_an_archive_is_read(tmp_path, monkeypatch):
    archive = tmp_path / "plugins.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for name in ("zip_c/__init__.py", "zip_c/sub/__init__.py"):
            file.writestr(name, EXIT)
        for name in ("zip_c", "zip_c/sub", "zip_space/inner"):
            file.writestr(f"{name}/{RECORD}", name)
        file.writestr("zip_space/", "")
        file.writestr("zip_space/inner/", "")
        file.writestr("zipped-1.0.dist-info/METADATA", "Name: zipped\nVersion: 1.0\n")
        file.writestr("zipped-1.0.dist-info/entry_points.txt", "[urlschemes.schemes]\nx-zip = zip_c.sub:scheme\n")
    monkeypatch.syspath_prepend(archive)
    assert only(archive) == Claim("x-zip", "zipped", "1.0", str(archive), "zip_c.sub", "scheme")
    for name in ("zip_c", "zip_c.sub", "zip_space.inner"):
        assert read_file(name, RECORD)[0] == name.replace(".", "/")
    assert not {"zip_c", "zip_space"} & set(sys.modules)


def test_a_record_behind_an_editable_finder_is_read(tmp_path, monkeypatch):
    packages(tmp_path / "project", "edit_d/sub")
    (tmp_path / "project" / "edit_d" / "__init__.py").write_text(EXIT)
    (tmp_path / "project" / "edit_d" / "sub" / RECORD).write_text("editable")

    class Redirects:
        @staticmethod
        def find_spec(name, path=None, target=None):
            from importlib.util import spec_from_file_location

            place = str(tmp_path / "project" / "edit_d" / "__init__.py")
            return spec_from_file_location(name, place) if name == "edit_d" else None

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Redirects, object()])
    assert read_file("edit_d.sub", RECORD)[0] == "editable"
    assert "edit_d" not in sys.modules


def test_what_is_not_there_is_said(tmp_path, monkeypatch):
    packages(tmp_path, "bare_e", "latin_e")
    (tmp_path / "latin_e" / RECORD).write_bytes(b"caf\xe9")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match=r"^there is no module bare_e\.none$"):
        read_file("bare_e.none", RECORD)
    with pytest.raises(ModuleNotFoundError, match=r"^there is no module none_e$"):
        read_file("none_e.sub", RECORD)
    with pytest.raises(FileNotFoundError, match=r"^the package bare_e has no file registration\.toml$"):
        read_file("bare_e", RECORD)
    with pytest.raises(FileNotFoundError, match=r"^the package sys has no file registration\.toml$"):
        read_file("sys", RECORD)
    with pytest.raises(UnicodeDecodeError):
        read_file("latin_e", RECORD)


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ("a", ("a", "")),
        ("a.b", ("a.b", "")),
        ("a : b.c", ("a", "b.c")),
        ("a:b [extra]", ("a", "b")),
        ("", None),
        ("a:", None),
        (":b", None),
        ("a-b", None),
        ("a..b", None),
        ("a:b:c", None),
        ("a b", None),
    ],
)
def test_the_value_of_an_entry_point_names_a_package_or_an_object(value, place):
    assert object_reference(value) == place
