"""Comparison with other libraries: every disagreement on the parts of a URL belongs to a class with a reason.

The texts are URLs and near misses of every scheme, the examples of the records and the table of cases. The class of a
disagreement follows from the text and, if both accept it, from the two readings. The test fails for a disagreement
without a class, and for a class whose example is no longer a disagreement.
"""

from __future__ import annotations

import importlib
import json
import re
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import urlschemes
from urlschemes import URLError, default_registry
from urlschemes.grammar.octets import unescape
from urlschemes_testing.generation import random_near_misses, random_urls

PARTS = ("scheme", "host", "port", "user", "password")


@dataclass(frozen=True)
class Reading:
    """The parts that a library reads from a text; an absent host is the empty string."""

    scheme: str
    host: str
    port: int | None
    user: str | None
    password: str | None


def ours(text: str) -> Reading | None:
    try:
        url = urlschemes.parse(text)
    except URLError:
        return None
    raw: dict[str, Any] = dict(url.raw)
    port = raw.get("port")
    return Reading(url.scheme, raw.get("host") or "", port and int(port), raw.get("user"), raw.get("password"))


def _urllib() -> Callable[[str], Reading]:
    def read(text: str) -> Reading:
        parts = urllib.parse.urlsplit(text)
        return Reading(parts.scheme, parts.hostname or "", parts.port, parts.username, parts.password)

    return read


def _rfc3986() -> Callable[[str], Reading]:
    module: Any = importlib.import_module("rfc3986")
    validators: Any = importlib.import_module("rfc3986.validators")
    refused: Any = importlib.import_module("rfc3986.exceptions").RFC3986Exception
    validator = validators.Validator().require_presence_of("scheme")
    validator.check_validity_of("scheme", "userinfo", "host", "port", "path", "query", "fragment")

    def read(text: str) -> Reading:
        reference = module.uri_reference(text)
        try:
            validator.validate(reference)
            userinfo, port = reference.userinfo, reference.port
        except refused as error:
            raise ValueError(str(error)) from error
        user, colon, password = (userinfo or "").partition(":")
        user = None if userinfo is None else user
        return Reading(reference.scheme, reference.host or "", port and int(port), user, password if colon else None)

    return read


def _yarl() -> Callable[[str], Reading]:
    module: Any = importlib.import_module("yarl")

    def read(text: str) -> Reading:
        url = module.URL(text)
        return Reading(url.scheme, url.raw_host or "", url.explicit_port, url.raw_user, url.raw_password)

    return read


def _pydantic_core() -> Callable[[str], Reading]:
    module: Any = importlib.import_module("pydantic_core")

    def read(text: str) -> Reading:
        url = module.Url(text)
        return Reading(url.scheme, url.host or "", url.port, url.username, url.password)

    return read


def _can_ada() -> Callable[[str], Reading]:
    module: Any = importlib.import_module("can_ada")

    def read(text: str) -> Reading:
        try:
            url = module.parse(text)
        except TypeError as error:  # a lone surrogate
            raise ValueError(str(error)) from error
        port = int(url.port) if url.port else None
        return Reading(url.protocol.removesuffix(":"), url.hostname, port, url.username or None, url.password or None)

    return read


LIBRARIES = {
    "urllib": _urllib,
    "rfc3986": _rfc3986,
    "yarl": _yarl,
    "pydantic_core": _pydantic_core,
    "can_ada": _can_ada,
}
WHATWG = ("pydantic_core", "can_ada")
"""The libraries that read URLs as browsers do."""

ALL = tuple(LIBRARIES)


@dataclass(frozen=True)
class Disagreement:
    """A text that a library reads in another way.

    `kind` is "accepts" if only the library accepts the text, "refuses" if only we do, else the name of the part that
    differs; `ours` and `theirs` are the two values of that part.
    """

    text: str
    kind: str
    ours: Any = None
    theirs: Any = None

    @property
    def scheme(self) -> str:
        return self.text.partition(":")[0].lower()

    @property
    def known(self) -> frozenset[str]:
        """The parts of the scheme of the text; none if it is not registered."""
        known = self.scheme in default_registry
        return frozenset(default_registry.registration(self.scheme).syntax.parts) if known else frozenset()

    @property
    def authority(self) -> str | None:
        """The text between `//` and the next `/` (section 3.1)."""
        found = re.match("[^:]*://([^/]*)", self.text)
        return found[1] if found else None

    @property
    def host(self) -> str:
        return re.sub(":[^:]*$", "", (self.authority or "").rpartition("@")[2])

    @property
    def port(self) -> str:
        return (self.authority or "").rpartition("@")[2].partition(":")[2]

    @property
    def userinfo(self) -> str | None:
        user, at, _ = (self.authority or "").rpartition("@")
        return user if at else None


NAME = r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)*[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
HOST = rf"(?:{NAME}|[0-9]+(?:\.[0-9]+){{3}})"


def are_written_differently(one: str | None, other: str | None) -> bool:
    return one is not None and other is not None and one != other and unescape(one) == unescape(other)


@dataclass(frozen=True)
class Class:
    """Disagreements with one reason; `example` is a text on which all its `libraries` disagree."""

    name: str
    kinds: str
    libraries: tuple[str, ...]
    reason: str
    example: str
    applies: Callable[[Disagreement], object]


def host_known(d: Disagreement) -> bool:
    return "host" in d.known


def written_numbers(host: str) -> list[str]:
    """Return the groups of an address; [] for a name."""
    return host.split(".") if host.replace(".", "").isdigit() else []


CLASSES = (
    # Characters that no URL of RFC 1738 contains, whatever its scheme (section 2.2).
    Class(
        "not US-ASCII",
        "accepts",
        ALL,
        "RFC 1738 permits US-ASCII only; IRIs came later, and some libraries encode other characters",
        "http://host.dom/\xe9",
        lambda d: not d.text.isascii(),
    ),
    Class(
        "blanks and controls",
        "accepts",
        ALL,
        "the library strips, removes, encodes or keeps them",
        "http://host.dom/a b",
        lambda d: re.search(r"[\x00-\x20\x7f]", d.text),
    ),
    Class(
        "fragment",
        "accepts",
        ALL,
        "part of the URI since RFC 3986; in RFC 1738 it does not belong to the URL",
        "http://host.dom/#a",
        lambda d: "#" in d.text,
    ),
    Class(
        "percent sign alone",
        "accepts",
        ALL,
        "the library keeps or encodes it",
        "http://host.dom/%zz",
        lambda d: re.search("%(?![0-9A-Fa-f]{2})", d.text),
    ),
    Class(
        "tilde",
        "accepts",
        ALL,
        "unreserved since RFC 2396",
        "http://host.dom/~joe",
        lambda d: "~" in d.text,
    ),
    Class(
        "IPv6 address",
        "accepts",
        ALL,
        "RFC 1738 has no IPv6 addresses; RFC 2732 added them",
        "http://[::1]/",
        lambda d: re.search(r"//(?:[^/]*@)?\[[0-9A-Fa-f:.]+\]", d.text),
    ),
    Class(
        "unsafe character",
        "accepts",
        ALL,
        "the library keeps or encodes it",
        "http://host.dom/a|b",
        lambda d: re.search(r'[<>"{}|\\^`\[\]]', d.text),
    ),
    # Texts that only a library with a registry of schemes can refuse.
    Class(
        "unknown scheme",
        "accepts",
        ALL,
        "the library has no registry of schemes",
        "htp://host.dom/",
        lambda d: d.scheme not in default_registry,
    ),
    Class(
        "no host",
        "accepts",
        ALL,
        "the library does not know that the scheme requires `//` and a host",
        "nntp:a",
        lambda d: host_known(d) and not d.authority,
    ),
    Class(
        "user information",
        "accepts",
        ALL,
        "the rule of the scheme permits none",
        "http://joe@host.dom/",
        lambda d: host_known(d) and "user" not in d.known and d.userinfo is not None,
    ),
    Class(
        "delimiter in user information",
        "accepts",
        ALL,
        "`:`, `@` and `/` must be encoded there (section 3.1)",
        "ftp://joe:a:b@host.dom/",
        lambda d: "user" in d.known and not re.fullmatch("[^:@/]*(:[^:@/]*)?", d.userinfo or ""),
    ),
    Class(
        "empty port",
        "accepts",
        ALL,
        "RFC 3986 allows it",
        "http://host.dom:/",
        lambda d: host_known(d) and re.fullmatch(f"{HOST}:", (d.authority or "").rpartition("@")[2]),
    ),
    Class(
        "port in a scheme without ports",
        "accepts",
        ("urllib", "rfc3986", "yarl"),
        "the library does not know that the scheme has no port",
        "file://host.dom:80/a",
        lambda d: host_known(d) and "port" not in d.known and d.port.isdigit(),
    ),
    Class(
        "question mark after the host",
        "accepts",
        ALL,
        "RFC 3986 permits a query without a path; in RFC 1738 a `/` precedes it, and few schemes have a search",
        "http://host.dom?a",
        lambda d: host_known(d) and re.fullmatch(rf"{HOST}(?::[0-9]*)?\?.*", (d.authority or "").rpartition("@")[2]),
    ),
    Class(
        "dot at the end of a host",
        "accepts",
        ALL,
        "the root of the domain names, which RFC 1738 does not permit",
        "http://host.dom./",
        lambda d: host_known(d) and re.fullmatch(rf"{HOST}\.", d.host),
    ),
    Class(
        "host of another form",
        "accepts",
        ALL,
        "RFC 1738 permits names whose last label begins with a letter, and four numbers",
        "http://h_o.dom/",
        lambda d: host_known(d) and not re.fullmatch(HOST, d.host),
    ),
    Class(
        "rule of the scheme",
        "accepts",
        ALL,
        "the library has no rule for the text after the host, or for a mail address",
        "nntp://host.dom/1",
        lambda d: d.known and (not host_known(d) or re.fullmatch(f"(?:[^@]*@)?{HOST}(?::[0-9]+)?", d.authority or "")),
    ),
    # Texts that RFC 1738 permits, but later documents do not.
    Class(
        "question mark in user information",
        "accepts refuses host port user password",
        ALL,
        "it ends the host since RFC 3986; in RFC 1738 user name and password may contain it",
        "ftp://a?b:c@host.dom:21/",
        lambda d: "user" in d.known and "?" in (d.userinfo or ""),
    ),
    Class(
        "port beyond 65535",
        "refuses",
        ALL,
        "RFC 1738 permits any digits; only an access refuses them",
        "http://host.dom:65536/",
        lambda d: d.port.isdigit() and int(d.port) > 65535,
    ),
    Class(
        "empty user information",
        "refuses",
        ("rfc3986",),
        "RFC 1738 and RFC 3986 permit it; the pattern of the library does not",
        "ftp://@host.dom/",
        lambda d: d.userinfo == "",
    ),
    Class(
        "port of more than five digits",
        "refuses",
        ("rfc3986",),
        "leading zeros make it long",
        "http://host.dom:000080/",
        lambda d: re.fullmatch("0[0-9]{5,}", d.port),
    ),
    Class(
        "address out of range",
        "refuses",
        ("rfc3986", *WHATWG),
        "RFC 1738 permits any digits; only an access refuses them",
        "http://1.2.3.256/",
        lambda d: any(int(group) > 255 for group in written_numbers(d.host)),
    ),
    Class(
        "zero that makes a number octal",
        "refuses",
        WHATWG,
        "browsers read 08 as an octal number, which is invalid",
        "http://1.2.3.08/",
        lambda d: any(re.fullmatch("0[0-9]*[89][0-9]*", group) for group in written_numbers(d.host)),
    ),
    # Texts that both accept, but read differently.
    Class(
        "capitals in the scheme",
        "scheme",
        ("rfc3986",),
        "the library keeps them; its normalize() returns lower case",
        "HTTP://host.dom/",
        lambda d: d.theirs != d.ours == d.theirs.lower(),
    ),
    Class(
        "capitals in the host",
        "host",
        ("urllib", "yarl", *WHATWG),
        "the library returns lower case; `url.raw` keeps them, `url.host` does not",
        "http://HOST.dom/",
        lambda d: d.ours != d.theirs == d.ours.lower(),
    ),
    Class(
        "localhost",
        "host",
        WHATWG,
        "browsers replace it by the empty host in a file URL",
        "file://localhost/a",
        lambda d: d.scheme == "file" and d.ours.lower() == "localhost" and not d.theirs,
    ),
    Class(
        "zero before a number",
        "host",
        WHATWG,
        "browsers read it as octal; our access refuses it",
        "http://1.2.3.010/",
        lambda d: (
            written_numbers(d.ours) and written_numbers(d.theirs) == [str(octal(g)) for g in written_numbers(d.ours)]
        ),
    ),
    Class(
        "// where the scheme has no host",
        "refuses host port user password",
        ALL,
        "the library reads a host after it, whatever the scheme",
        "mailto://joe@host.dom",
        lambda d: d.known and not host_known(d) and d.authority is not None,
    ),
    Class(
        "default port",
        "port",
        ("can_ada",),
        "the library removes it; `url.raw` keeps it",
        "http://host.dom:80/",
        lambda d: d.theirs is None and d.ours == default_registry.registration(d.scheme).default_port,
    ),
    Class(
        "default port supplied",
        "port",
        ("pydantic_core",),
        "the library adds it, as `url.port` does",
        "http://host.dom/",
        lambda d: d.ours is None and d.theirs == default_registry.registration(d.scheme).default_port,
    ),
    Class(
        "empty user or password",
        "user password",
        ("yarl", *WHATWG),
        "the library treats it as absent; RFC 1738 distinguishes them",
        "ftp://:@host.dom/",
        lambda d: d.ours == "" and d.theirs is None,
    ),
    Class(
        "other encoding",
        "user password",
        ("yarl", *WHATWG),
        "the library encodes differently; the octets are the same",
        "ftp://%6a;a=b:%6a;a=b@host.dom/",
        lambda d: are_written_differently(d.ours, d.theirs),
    ),
)


def octal(group: str) -> int:
    """Return the number as browsers read it."""
    return int(group, 8) if group.startswith("0") and set(group) <= set("01234567") else int(group)


@cache
def corpus(number: int) -> tuple[str, ...]:
    """Return the texts: `number` URLs and near misses of each scheme, and all examples."""
    table = Path(__file__).parent / "tables" / "urls.jsonl"
    texts = [json.loads(line)["url"] for line in table.read_text("utf-8").splitlines()]
    for scheme in default_registry:
        texts += [example.url for example in default_registry.registration(scheme).examples]
        texts += [*random_urls(scheme, number), *random_near_misses(scheme, number)]
    return tuple(dict.fromkeys([*(each.example for each in CLASSES), *texts]))


def disagreements(read: Callable[[str], Reading], number: int) -> list[Disagreement]:
    """Return the disagreements with a library on the corpus."""
    found = []
    for text in corpus(number):
        mine = ours(text)
        try:
            theirs = read(text)
        except ValueError:
            theirs = None
        if theirs is not None and not theirs.scheme:
            theirs = None  # a relative reference, or a path
        if mine is None or theirs is None:
            if mine is not theirs:
                found.append(Disagreement(text, "accepts" if mine is None else "refuses"))
            continue
        for part in PARTS:
            one, other = getattr(mine, part), getattr(theirs, part)
            if one != other:
                found.append(Disagreement(text, part, one, other))
    return found


def class_of(library: str, disagreement: Disagreement) -> str | None:
    """Return the name of the first class to which the disagreement belongs."""
    for each in CLASSES:
        if library in each.libraries and disagreement.kind in each.kinds.split() and each.applies(disagreement):
            return each.name
    return None


@pytest.mark.parametrize("number", [5, pytest.param(150, marks=pytest.mark.slow)])
@pytest.mark.parametrize("library", LIBRARIES)
def test_every_disagreement_belongs_to_a_class(library: str, number: int) -> None:
    try:
        read = LIBRARIES[library]()
    except ImportError:
        pytest.skip(f"{library} is not installed")
    found = [(class_of(library, each), each) for each in disagreements(read, number)]
    unexplained = [each for name, each in found if name is None]
    assert not unexplained, unexplained[:10]
    examples = {(name, each.text) for name, each in found}
    classes = [each for each in CLASSES if library in each.libraries]
    assert [each.name for each in classes if (each.name, each.example) not in examples] == []
