"""Ours and other libraries on the same texts: every disagreement has a reason, and a name.

The texts are valid URLs and near misses of every scheme, the examples of the records and the table of cases. A text on
which a library disagrees must belong to a class below, which says why; which class it is, is told by the text and,
where both accept it, by what the two make of it. What belongs to none fails the test, and so does a class whose example
is no disagreement any more.
"""

from __future__ import annotations

import importlib
import json
import re
import urllib.parse
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from generated import generated

import urlschemes
from urlschemes import URLError
from urlschemes import default_registry as REGISTRY  # noqa: N812  it does not change here
from urlschemes.grammar.octets import unescape
from urlschemes_testing.strategies import near_misses, urls

pytestmark = pytest.mark.slow

EACH = 150
"""Valid URLs, and near misses, of each scheme."""

PARTS = ("scheme", "host", "port", "user", "password")


@dataclass(frozen=True)
class Reading:
    """What a library makes of a text; a host that is absent is the empty one."""

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


PEERS = {
    "urllib": _urllib,
    "rfc3986": _rfc3986,
    "yarl": _yarl,
    "pydantic_core": _pydantic_core,
    "can_ada": _can_ada,
}
WHATWG = ("pydantic_core", "can_ada")
"""Those that read URLs as browsers do."""

ALL = tuple(PEERS)


@dataclass(frozen=True)
class Disagreement:
    """`kind` is "accepts" where only the peer accepts the text, "refuses" where only we do, else the part that differs.

    `ours` and `theirs` are the two values of that part.
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
        """The parts that the scheme of the text has; none of a scheme that nobody registered."""
        return frozenset(REGISTRY.registration(self.scheme).syntax.parts) if self.scheme in REGISTRY else frozenset()

    @property
    def authority(self) -> str | None:
        """What stands between `//` and the first `/`, as section 3.1 has it."""
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


def octets_differ_in_writing(one: str | None, other: str | None) -> bool:
    return one is not None and other is not None and one != other and unescape(one) == unescape(other)


@dataclass(frozen=True)
class Class:
    """Disagreements of one kind that have one reason; `example` is a text on which all its `peers` have it."""

    name: str
    kinds: str
    peers: tuple[str, ...]
    reason: str
    example: str
    holds: Callable[[Disagreement], object]


def host_known(d: Disagreement) -> bool:
    return "host" in d.known


def written_numbers(host: str) -> list[str]:
    """The groups of an address, none of a name."""
    return host.split(".") if host.replace(".", "").isdigit() else []


CLASSES = (
    # What is in no URL of RFC 1738, whatever the scheme (section 2.2).
    Class(
        "not US-ASCII",
        "accepts",
        ALL,
        "RFC 1738 has US-ASCII alone; IRIs came later, and some encode what is foreign",
        "http://host.dom/\xe9",
        lambda d: not d.text.isascii(),
    ),
    Class(
        "blanks and controls",
        "accepts",
        ALL,
        "they are stripped, left out, encoded or kept",
        "http://host.dom/a b",
        lambda d: re.search(r"[\x00-\x20\x7f]", d.text),
    ),
    Class(
        "fragment",
        "accepts",
        ALL,
        "a part of the URI since RFC 3986; in RFC 1738 it stands beside the URL",
        "http://host.dom/#a",
        lambda d: "#" in d.text,
    ),
    Class(
        "percent sign alone",
        "accepts",
        ALL,
        "it is left as it is, or encoded",
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
        "RFC 1738 has none; they came with RFC 2732",
        "http://[::1]/",
        lambda d: re.search(r"//(?:[^/]*@)?\[[0-9A-Fa-f:.]+\]", d.text),
    ),
    Class(
        "unsafe character",
        "accepts",
        ALL,
        "it is left as it is, or encoded",
        "http://host.dom/a|b",
        lambda d: re.search(r'[<>"{}|\\^`\[\]]', d.text),
    ),
    # What only those refuse who know the scheme.
    Class(
        "unknown scheme",
        "accepts",
        ALL,
        "the peer has no registry of schemes",
        "htp://host.dom/",
        lambda d: d.scheme not in REGISTRY,
    ),
    Class(
        "no host",
        "accepts",
        ALL,
        "the peer does not know that the scheme needs `//` and a host",
        "nntp:a",
        lambda d: host_known(d) and not d.authority,
    ),
    Class(
        "user information",
        "accepts",
        ALL,
        "the rule of the scheme has none",
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
        "port that the rule does not have",
        "accepts",
        ("urllib", "rfc3986", "yarl"),
        "the peer does not know that the scheme has none",
        "file://host.dom:80/a",
        lambda d: host_known(d) and "port" not in d.known and d.port.isdigit(),
    ),
    Class(
        "question mark behind the host",
        "accepts",
        ALL,
        "RFC 3986 allows a query without a path; in RFC 1738 a `/` comes first, and few schemes have one",
        "http://host.dom?a",
        lambda d: host_known(d) and re.fullmatch(rf"{HOST}(?::[0-9]*)?\?.*", (d.authority or "").rpartition("@")[2]),
    ),
    Class(
        "dot at the end of a host",
        "accepts",
        ALL,
        "the root of the domain names, which RFC 1738 does not write",
        "http://host.dom./",
        lambda d: host_known(d) and re.fullmatch(rf"{HOST}\.", d.host),
    ),
    Class(
        "host of another form",
        "accepts",
        ALL,
        "RFC 1738 has names whose last label begins with a letter, and four numbers; no more, no less",
        "http://h_o.dom/",
        lambda d: host_known(d) and not re.fullmatch(HOST, d.host),
    ),
    Class(
        "rule of the scheme",
        "accepts",
        ALL,
        "the peer has no rule for what stands behind the host, or in an address",
        "nntp://host.dom/1",
        lambda d: d.known and (not host_known(d) or re.fullmatch(f"(?:[^@]*@)?{HOST}(?::[0-9]+)?", d.authority or "")),
    ),
    # What RFC 1738 allows and later documents do not.
    Class(
        "question mark in user information",
        "accepts refuses host port user password",
        ALL,
        "it ends the host since RFC 3986; in RFC 1738 it may stand in a user name and in a password",
        "ftp://a?b:c@host.dom:21/",
        lambda d: "user" in d.known and "?" in (d.userinfo or ""),
    ),
    Class(
        "port beyond 65535",
        "refuses",
        ALL,
        "RFC 1738 has any digits; an access refuses it",
        "http://host.dom:65536/",
        lambda d: d.port.isdigit() and int(d.port) > 65535,
    ),
    Class(
        "empty user information",
        "refuses",
        ("rfc3986",),
        "RFC 3986 allows it, and so does RFC 1738; its pattern does not",
        "ftp://@host.dom/",
        lambda d: d.userinfo == "",
    ),
    Class(
        "port of more than five digits",
        "refuses",
        ("rfc3986",),
        "zeros before the number make it long",
        "http://host.dom:000080/",
        lambda d: re.fullmatch("0[0-9]{5,}", d.port),
    ),
    Class(
        "address out of range",
        "refuses",
        ("rfc3986", *WHATWG),
        "RFC 1738 has any digits; an access refuses it",
        "http://1.2.3.256/",
        lambda d: any(int(group) > 255 for group in written_numbers(d.host)),
    ),
    Class(
        "zero that makes a number octal",
        "refuses",
        WHATWG,
        "to browsers 08 is an octal number, and none",
        "http://1.2.3.08/",
        lambda d: any(re.fullmatch("0[0-9]*[89][0-9]*", group) for group in written_numbers(d.host)),
    ),
    # What both accept, and read in two ways.
    Class(
        "capitals in the scheme",
        "scheme",
        ("rfc3986",),
        "kept as written; its normalize() lowers them",
        "HTTP://host.dom/",
        lambda d: d.theirs != d.ours == d.theirs.lower(),
    ),
    Class(
        "capitals in the host",
        "host",
        ("urllib", "yarl", *WHATWG),
        "lowered; ours are raw here, and lowered in `url.host`",
        "http://HOST.dom/",
        lambda d: d.ours != d.theirs == d.ours.lower(),
    ),
    Class(
        "localhost",
        "host",
        WHATWG,
        "in a file URL browsers make it the empty host",
        "file://localhost/a",
        lambda d: d.scheme == "file" and d.ours.lower() == "localhost" and not d.theirs,
    ),
    Class(
        "zero before a number",
        "host",
        WHATWG,
        "read as octal, and written anew; an access of ours refuses it",
        "http://1.2.3.010/",
        lambda d: (
            written_numbers(d.ours) and written_numbers(d.theirs) == [str(octal(g)) for g in written_numbers(d.ours)]
        ),
    ),
    Class(
        "// where the scheme has no host",
        "refuses host port user password",
        ALL,
        "to the peer it begins a host, whatever the scheme",
        "mailto://joe@host.dom",
        lambda d: d.known and not host_known(d) and d.authority is not None,
    ),
    Class(
        "default port",
        "port",
        ("can_ada",),
        "left out; ours is as written",
        "http://host.dom:80/",
        lambda d: d.theirs is None and d.ours == REGISTRY.registration(d.scheme).default_port,
    ),
    Class(
        "default port supplied",
        "port",
        ("pydantic_core",),
        "given where none is written, as our `url.port` does",
        "http://host.dom/",
        lambda d: d.ours is None and d.theirs == REGISTRY.registration(d.scheme).default_port,
    ),
    Class(
        "empty user or password",
        "user password",
        ("yarl", *WHATWG),
        "taken for an absent one; RFC 1738 distinguishes them",
        "ftp://:@host.dom/",
        lambda d: d.ours == "" and d.theirs is None,
    ),
    Class(
        "other writing",
        "user password",
        ("yarl", *WHATWG),
        "the peer writes escapes anew; the octets are the same",
        "ftp://%6a;a=b:%6a;a=b@host.dom/",
        lambda d: octets_differ_in_writing(d.ours, d.theirs),
    ),
)


def octal(group: str) -> int:
    """The number as browsers read it."""
    return int(group, 8) if group.startswith("0") and set(group) <= set("01234567") else int(group)


@cache
def corpus() -> tuple[str, ...]:
    texts = [
        json.loads(line)["url"]
        for line in (Path(__file__).parent / "tables" / "urls.jsonl").read_text("utf-8").splitlines()
    ]
    for name in REGISTRY:
        texts += [example.url for example in REGISTRY.registration(name).examples]
        texts += [*generated(urls(name), EACH), *generated(near_misses(name), EACH)]
    return tuple(dict.fromkeys([*(each.example for each in CLASSES), *texts]))


def disagreements(read: Callable[[str], Reading]) -> list[Disagreement]:
    found = []
    for text in corpus():
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


def class_of(peer: str, disagreement: Disagreement) -> str | None:
    for each in CLASSES:
        if peer in each.peers and disagreement.kind in each.kinds.split() and each.holds(disagreement):
            return each.name
    return None


@pytest.mark.parametrize("peer", PEERS)
def test_every_disagreement_has_a_reason(peer: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        read = PEERS[peer]()
    except ImportError:
        pytest.skip(f"{peer} is not installed")
    found = disagreements(read)
    named = [(class_of(peer, each), each) for each in found]
    counts = Counter(name for name, _ in named)
    lines = [f"{counts[each.name]:7}  {each.name}: {each.reason}" for each in CLASSES if peer in each.peers]
    with capsys.disabled():
        print(f"\n{peer}: {len(found)} disagreements on {len(corpus())} texts", *lines, sep="\n")  # noqa: T201  the table
    unnamed = [each for name, each in named if name is None]
    assert not unnamed, unnamed[:10]
    examples = {(name, each.text) for name, each in named}
    stale = [each.name for each in CLASSES if peer in each.peers and (each.name, each.example) not in examples]
    assert not stale
