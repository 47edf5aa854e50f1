"""RFC 3986 compared with what browsers do: `urltestdata.json` of the Web Platform Tests, read strictly.

`URLSCHEMES_URLTESTDATA=path/to/urltestdata.json python3 dev pytest plugins/capabilities/rfc3986` reads the whole file,
which is not part of this repository; the tests without it read one case of each class. A case is resolved by section 5
and then parsed by the rules of its scheme, or by the generic ones if the scheme has no record.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import unquote

import pytest

from urlschemes import URL, InvalidURL, Registry, UnknownScheme

MODERN = Registry(profile="rfc3986", disable=["urlschemes-data", "urlschemes-iana"])
DATA = os.environ.get("URLSCHEMES_URLTESTDATA", "")
COUNTED = "d2eef2efe1d230f86456b2910ddf268d755dcec4ee491efc1ecd7cf742d1499e"
"""The digest of the version that the counts are of: that of January 2026, with 869 cases."""

Case: TypeAlias = dict[str, Any]
BLANKS = "".join(map(chr, range(33)))
FORBIDDEN = re.compile(r"[\0-\x20#%/:<>?@\[\\\]^|\x7f-\U0010ffff]")
NUMBER = re.compile(r"(?:\d+|0x[0-9a-f]*)\.?", re.IGNORECASE)


def octets(host: str) -> str:
    """Return the host decoded, an octet as one character."""
    return unquote(host, "latin-1")


def host_of(url: URL) -> str:
    return url.raw.get("host") or ""


def is_number(host: str) -> bool:
    """Return True if a browser reads the host as an IPv4 address: if its last label is a number."""
    labels = octets(host).removesuffix(".").split(".")
    return NUMBER.fullmatch(labels[-1]) is not None


class Class(NamedTuple):
    """A class of cases: the count in the file, why the two differ, and an example (input, base, the browser's URL).

    `holds` tells the class from those after it, whose answers are the same; for a refusal, the code of the error does.
    """

    count: int
    why: str
    example: tuple[str, str | None, str | None]
    holds: Callable[[Case, URL], object] = lambda case, url: True


ALIKE = {
    "both refuse": Class(146, "", ("http://[::1/", None, None)),
    "the same text": Class(229, "", ("../c?d#e", "http://host.dom/a/b", "http://host.dom/c?d#e")),
    "the same text, normalized": Class(59, "", ("HTTP://Host.DOM:80", None, "http://host.dom/")),
}
REFUSED = {
    "blanks": Class(23, "browsers drop blanks and controls", (" http://host.dom/a\nb ", None, "http://host.dom/ab")),
    "backslash": Class(45, "browsers read it as a slash", ("http:\\\\host.dom\\a", None, "http://host.dom/a")),
    "not US-ASCII": Class(
        34,
        "browsers encode paths and map hosts; here `from_unicode` does, where it is called",
        ("http://host.dom/\u00e9", None, "http://host.dom/%C3%A9"),
    ),
    "invalid-character": Class(
        51, "browsers encode it; here `fix` does", ('http://host.dom/"', None, "http://host.dom/%22")
    ),
    "bad-escape": Class(
        9,
        "browsers leave the percent sign; here `fix` encodes it",
        ("http://host.dom/%zz", None, "http://host.dom/%zz"),
    ),
    "userinfo-not-allowed": Class(
        21, "RFC 9110 section 4.2.4 removes it from http", ("http://a:b@host.dom/", None, "http://a:b@host.dom/")
    ),
    "missing-authority": Class(
        44, "browsers add the slashes of schemes they know", ("http:host.dom", None, "http://host.dom/")
    ),
    "empty-host": Class(
        6, "RFC 9110 section 4.2.1; browsers skip slashes", ("///host.dom", "http://a.dom/", "http://host.dom/")
    ),
    "invalid-host": Class(4, "browsers look for drive letters", ("//C:/", "file:///a", "file:///C:/")),
    "invalid-scheme": Class(
        2, "section 4.2: a colon in the first segment ends a scheme", ("1:2", "http://a.dom/b", "http://a.dom/1:2")
    ),
    "invalid-part": Class(
        29,
        "a delimiter that the part cannot hold, or a rule of the scheme: no query (file), an address (mailto)",
        ("http://host.dom/#a#b", None, "http://host.dom/#a#b"),
    ),
}
ACCEPTED = {
    "port": Class(
        5,
        "section 3.2.3 has no greatest port",
        ("http://host.dom:65536/", None, None),
        lambda case, url: (url.parts.get("port") or 0) > 65535,
    ),
    "octets of a host": Class(
        60,
        "section 3.2.2 allows the escape of every octet; access refuses the host",
        ("http://a%00b/", None, None),
        lambda case, url: FORBIDDEN.search(octets(host_of(url))),
    ),
    "numbers": Class(
        35,
        "what is not an IPv4 address is a name (section 3.2.2); access refuses it",
        ("http://1.2.3.256/", None, None),
        lambda case, url: is_number(host_of(url)),
    ),
    "A-label": Class(
        8,
        "IDNA is not part of RFC 3986; `check` and `to_unicode` look at it",
        ("http://xn--/", None, None),
        lambda case, url: "xn--" in host_of(url).lower(),
    ),
    "empty host": Class(
        9,
        "section 3.2.2 leaves it to the scheme, and this one has no record",
        ("sc://:12/", None, None),
        lambda case, url: host_of(url) == "" and f"{url}".startswith(f"{url.scheme}://"),
    ),
    "opaque base": Class(
        10,
        "section 5.2.3 resolves relative to every base",
        ("b", "sc:a", None),
        lambda case, url: "//" not in (case["base"] or "//"),
    ),
}
DIFFERENT = {
    "address": Class(
        17,
        "browsers write IP addresses, and what they take for one, in one way",
        ("http://[::127.0.0.1]/", None, "http://[::7f00:1]/"),
        lambda case, url: is_number(host_of(url)) or host_of(url).startswith("["),
    ),
    "escaped host": Class(
        4,
        "browsers decode it and map it by IDNA",
        ("http://%C3%BC/", None, "http://xn--tda/"),
        lambda case, url: "%" in host_of(url),
    ),
    "no record": Class(
        10,
        "browsers know the default port of ws and wss, and that they have a host",
        ("ws://host.dom:80/", None, "ws://host.dom/"),
        lambda case, url: url.scheme in {"ws", "wss"},
    ),
    "empty user": Class(
        2,
        "browsers leave an empty user or password out",
        ("sc://a:@host.dom/", None, "sc://a@host.dom/"),
        lambda case, url: "@" in str(url),
    ),
    "file": Class(
        5,
        "browsers keep drive letters and the host of the base, and count empty segments",
        ("..", "file:///C:/", "file:///C:/"),
        lambda case, url: url.scheme == "file",
    ),
    "encoding": Class(
        2,
        "browsers keep the escape of a dot, unless a dot segment has it, and encode ' in a query",
        ("http://host.dom/?'", None, "http://host.dom/?%27"),
        lambda case, url: "%2e" in str(url) or "'" in str(url),
    ),
}
TABLES = {"alike": ALIKE, "refused": REFUSED, "accepted": ACCEPTED, "different": DIFFERENT}
CLASSES = {(table, name): each for table, classes in TABLES.items() for name, each in classes.items()}


def strict(text: str, base: str | None) -> URL:
    """Return the URL that `text` means relative to `base`, by the rules of its scheme. Raises InvalidURL."""
    whole = text if base is None else MODERN.parse_generic(base).resolve(text)
    try:
        return MODERN.parse(whole)
    except UnknownScheme:
        return MODERN.parse_generic(whole)


def class_of(case: Case) -> tuple[str, str]:
    """Return the class of a case; its name is "" if there is none."""
    text, href = case["input"], case.get("href")
    try:
        url = strict(text, case["base"])
    except InvalidURL as error:
        if href is None:
            return "alike", "both refuse"
        if text != text.strip(BLANKS) or set(text) & {"\t", "\n", "\r"}:
            return "refused", "blanks"
        if "\\" in text:
            return "refused", "backslash"
        return "refused", error.code if text.isascii() else "not US-ASCII"
    if href in {str(url), str(url.normalized())}:
        return "alike", "the same text" if href == str(url) else "the same text, normalized"
    table = "accepted" if href is None else "different"
    return table, next((name for name, each in TABLES[table].items() if each.holds(case, url)), "")


@pytest.mark.parametrize(("table", "name"), CLASSES)
def test_a_case_of_each_class(table: str, name: str) -> None:
    text, base, href = CLASSES[table, name].example
    assert class_of({"input": text, "base": base, "href": href}) == (table, name)


@pytest.mark.skipif(not DATA, reason="needs URLSCHEMES_URLTESTDATA, the path of urltestdata.json")
def test_the_whole_file_agrees_or_differs_for_a_known_reason() -> None:
    data = Path(DATA).read_bytes()
    cases = [case for case in json.loads(data) if isinstance(case, dict)]
    counts = Counter(map(class_of, cases))
    assert counts.keys() <= CLASSES.keys(), [case for case in cases if class_of(case) not in CLASSES]
    if sha256(data).hexdigest() == COUNTED:
        assert counts == {name: each.count for name, each in CLASSES.items()}
