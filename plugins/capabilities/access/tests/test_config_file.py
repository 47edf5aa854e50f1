"""The configuration file: read if it can be trusted, and checked table by table."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from urlschemes.errors import ConfigurationError, PluginError
from urlschemes.registry.selection import Rules
from urlschemes.storage import user_dirs
from urlschemes_access.config_file import ConfigFile, ConfigTable


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "settings.toml"
    path.write_text('[registry]\ndisable = ["x-one"]\n')
    path.chmod(0o600)
    return path


def refusal(path: Path) -> tuple[str, str | None]:
    with pytest.raises(ConfigurationError) as caught:
        ConfigFile.load(path)
    assert caught.value.source == str(path)
    return caught.value.message.replace(str(path), "FILE"), caught.value.hint


def table(**content: object) -> ConfigTable:
    return ConfigTable("house", content, "settings.toml")


def test_a_named_file_is_read(file):
    loaded = ConfigFile.load(file)
    assert (loaded.source, loaded.path) == (str(file), str(file))
    assert loaded.table("registry").strings("disable") == ("x-one",)
    assert loaded.table("missing").content == {}


@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="the folders are others there")
def test_without_a_name_the_users_own_file_is_read_if_there_is_one(file, tmp_path):
    environ = {"XDG_CONFIG_HOME": str(tmp_path)}
    path = tmp_path / "urlschemes" / "config.toml"
    assert ConfigFile.load(environ=environ) == ConfigFile(path=str(path))
    path.parent.mkdir()
    file.rename(path)
    assert ConfigFile.load(environ=environ).source == str(path)
    assert ConfigFile.load(environ={"HOME": "relative"}) == ConfigFile()


def test_nobody_has_a_file_in_a_folder_that_is_closed_to_them(file, monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os.path, "exists", lambda _: False)
    monkeypatch.setattr(user_dirs, "read_own", refuse)
    environ = {"HOME": str(file.parent), "XDG_CONFIG_HOME": str(file.parent), "APPDATA": str(file.parent)}
    loaded = ConfigFile.load(environ=environ)
    assert (loaded.tables, loaded.source) == ({}, "the program")
    assert refusal(file) == ("the file FILE cannot be used: Permission denied", "`Configuration` goes without the file")


def test_a_file_that_cannot_be_used_is_an_error_that_names_it(file):
    missing = file.with_name("missing.toml")
    assert refusal(missing) == ("there is no file FILE", None)
    assert refusal(file / "below") == ("there is no file FILE", None)
    file.write_bytes(b"\xff")
    assert refusal(file) == ("the file FILE is not UTF-8", "`Configuration` goes without the file")
    file.write_text("a = [")
    assert refusal(file)[0].startswith("the file FILE is not TOML: ")
    file.write_text("a = " + "9" * 5000)
    assert refusal(file)[0].startswith("the file FILE is not TOML: ")
    file.write_text("#" * (1024 * 1024 + 1))
    assert refusal(file) == (
        "the file FILE cannot be used: it is longer than 1048576 octets",
        "`Configuration` goes without the file",
    )


@pytest.mark.skipif(sys.platform == "win32", reason="files have modes elsewhere")
def test_a_file_that_others_can_write_is_refused(file):
    file.chmod(0o622)
    assert refusal(file) == (
        "the file FILE cannot be used: other users can write it",
        "run chmod go-w on it; `Configuration` goes without the file",
    )


def test_values_of_another_type_are_refused():
    for read, key, value, expected in (
        ("string", "name", 7, "a string that is not empty"),
        ("string", "name", "", "a string that is not empty"),
        ("strings", "names", "x-one", "a list of strings"),
        ("strings", "names", ["x-one", 7], "a list of strings"),
        ("table", "rooms", 7, "a table"),
    ):
        with pytest.raises(ConfigurationError) as caught:
            getattr(table(**{key: value}), read)(key)
        assert caught.value.message == f"settings.toml: house.{key} must be {expected}"
        assert (caught.value.source, caught.value.key) == ("settings.toml", f"house.{key}")


def test_an_unknown_key_is_refused_with_the_known_ones():
    with pytest.raises(ConfigurationError) as caught:
        table(disabel=[]).check_keys(("plugins", "disable"))
    assert str(caught.value) == "settings.toml: unknown key house.disabel; did you mean house.disable?"
    with pytest.raises(ConfigurationError, match=r"unknown key house\.x; known keys: plugins, disable$"):
        table(x=1).check_keys(("plugins", "disable"))
    table(plugins=[]).check_keys(("plugins", "disable"))


# The table of the registry


def test_rules_are_read_from_a_table():
    table = {"plugins": ["a"], "disable": ["b"], "pins": {"x-a": "c"}, "profile": "later", "records": ["/r", "~/s"]}
    assert ConfigFile({"registry": table}, "k.toml").rules() == Rules(
        {"registry.plugins of k.toml": ("a",)},
        {"registry.disable of k.toml": ("b",)},
        {"x-a": "c"},
        "later",
        records=("/r", str(Path("~/s").expanduser())),
    )
    assert ConfigFile().rules() == Rules()


def test_a_table_with_a_mistake_is_refused():
    for content, message in (
        ({"plugin": []}, "unknown key registry.plugin"),
        ({"pins": {"X-A": "a"}}, "registry.pins.X-A must be named after a scheme, in lower case"),
        ({"pins": {"x-a": 7}}, "registry.pins.x-a must be a string that is not empty"),
        ({"records": ["r"]}, "registry.records must be a list of absolute paths, which may begin with ~"),
    ):
        with pytest.raises(ConfigurationError, match=f"^k.toml: {message}"):
            ConfigFile({"registry": content}, "k.toml").rules()


def test_a_configuration_with_a_misspelt_table_is_refused():
    with pytest.raises(ConfigurationError) as caught:
        ConfigFile({"regsitry": {"disable": ["ftp"]}}, "k.toml").registry()
    assert str(caught.value) == "k.toml: unknown key regsitry; did you mean registry?"


def test_a_registry_is_made_by_the_rules():
    registry = ConfigFile({"registry": {"disable": ["nobody-here"]}}, "k.toml").registry()
    with pytest.raises(PluginError, match=r"registry\.disable of k\.toml names nobody-here"):
        registry.keys()
