"""The public names of the package, pinned, and what they cost."""

import importlib

import pytest

import urlschemes

NAMES = [
    "UNCHANGED",
    "URL",
    "AccessError",
    "Attributes",
    "Configuration",
    "Credentials",
    "Document",
    "Encoded",
    "Entry",
    "InternetURL",
    "InvalidURL",
    "Limits",
    "Listing",
    "LoginURL",
    "PluginError",
    "Policy",
    "PolicyDenied",
    "Registration",
    "RegistrationError",
    "Registry",
    "Scheme",
    "Session",
    "URLError",
    "Unchanged",
    "UnknownScheme",
    "UnsafeURL",
    "access",
    "aio",
    "check",
    "delete",
    "explain",
    "find_attributes",
    "fix",
    "is_valid",
    "operate",
    "parse",
    "parse_generic",
    "replace",
    "text",
    "update",
]


def test_the_public_names_are_these() -> None:
    assert sorted(urlschemes.__all__) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_there(name: str) -> None:
    assert getattr(urlschemes, name) is not None
    assert name in dir(urlschemes)


def test_every_room_exports_what_it_lists() -> None:
    for room in (
        "aio",
        "aio.resource",
        "bnf",
        "display",
        "drive",
        "errors",
        "findings",
        "policy",
        "registration",
        "registry",
        "resource",
        "terms",
        "text",
        "url",
        "wire",
    ):
        module = importlib.import_module(f"urlschemes.{room}")
        for name in getattr(module, "__all__", ()):
            assert hasattr(module, name), f"{room}.{name}"


def test_another_name_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        urlschemes.nothing  # noqa: B018
