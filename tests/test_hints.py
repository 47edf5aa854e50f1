"""What a hint says to do is accepted when it is done, and brings no new warning.

An action of `ACTIONS` does what hints of one form say. Hints of `RULES`, and those of records, state a rule instead.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from itertools import chain, product
from pathlib import Path
from typing import NamedTuple, TypeAlias

import pytest
from workspace import schemes_of_plugins

from urlschemes import URL, InvalidURL, Registry, UnknownScheme, URLError, default_registry
from urlschemes.grammar.octets import encoded
from urlschemes.grammar.profile import Authority, Profile, authority_of
from urlschemes_http import HttpURL
from urlschemes_lint import check, explain, fix

REGISTRIES = {"rfc1738": default_registry, "rfc3986": Registry(profile="rfc3986")}
LATER = 'Registry(profile="rfc3986") reads it'
MISTAKES = tomllib.loads((Path(__file__).parent / "tables" / "mistakes.toml").read_text("utf-8"))["mistake"]
OTHERS = (
    "http://[fe80::1%eth0]/", "http://fe80::1%eth0/", "http://[::\xfc]/", "http:://h/", "#http://h/", "http#a",
    "http://127.0.0.1::80", "file:////host/share", r"HTTP://h:080\@evil/", r"http://h\@e/", "http:///h/",
    "127.0.0.1:80/a", "[::1]:80", "git@h.example:a/b.git", "mailto://joe@h.example", 'mailto:"a b"@c.d',
    "news:a>b@c.d", "http://\u2603.net/", "http://\u0661\u0662.de/", "http://B\xfc.example/a", "http://h%25/",
    "http://h%40b/", "(https://e.com)", "[x](https://e.com/a_(b))", '"https://e.com"', "`https://e.com`",
    " \u201chttps://e.com\u201d", "https ://e.com", "h  ttps://e.com", "see https://e.com",
    "http://git@h.example:owner/a", "ftp://h.example:a", r"C:\Users\x", "c:/a", "host.dom:path/a", "host.dom:80/a",
    "localhost:a", "stun://h:1", "turn://h", "xmpp://a/b", "data:text/plain;base64,SGVs bG8=", "wais://a\u2100b/",
    "http://h/%u0041", "file://[2001:db8::1]0/a", "[::1]", '["a[::1]', "http://h/\udcff",
)  # fmt: skip
CHARACTERS = (
    *"/:@?;=&#%~ \\\"<>[]|^`{}.,-_!a0Z(*'+$\t\n\x00\xe9\u200b\u2603\u0661\uff0f\uff1a\ud800", "%00", "%2F", "%zz",
    "%4", ";type=", "//", "::", ":80", "..", "@x", "?q", "%25eth0", "%u00e9",
)  # fmt: skip
KNOWN = {
    "encoded-delimiter",
    "password",
    "empty-port",
    "address-spelling",
    "mapped-address",
    "not-utf-8",
    "numeric-host",
    "other-port",
    "reserved-port",
    "slashes-before-address",
}
"""The warnings that an encoded delimiter is data and an octet no text, as the hint says, and those about more text than
a hint writes."""


TOLD = {"control octet": "control-octet", "if this is a host": "unusual-name"}
"""Warnings of which the words of a hint warn."""


class Edit(NamedTuple):
    """The text from `start` to `end` becomes `new`."""

    start: int
    end: int
    new: str


class Case(NamedTuple):
    """A hint about the `text` from `start` to `end`, as a pattern `found` it."""

    text: str
    start: int
    end: int
    found: re.Match[str]
    profile: Profile

    @property
    def authority(self) -> Authority:
        found = authority_of(self.text, self.profile)
        assert found is not None
        return found

    def becomes(self, new: str) -> list[Edit]:
        """The text at fault becomes another one, or nothing."""
        return [Edit(self.start, self.end, new)]

    def gets(self, before: str) -> list[Edit]:
        return [Edit(self.start, self.start, before)]

    def follows_scheme(self, slashes: str) -> list[Edit]:
        """These slashes, and no others, stand between the colon of the scheme and the text at fault."""
        return [Edit(self.text.index(":") + 1, self.start, slashes)]


Action: TypeAlias = Callable[[Case], list[Edit]]
"""Returns the edits that a hint leaves the choice between."""


def escaped(text: str) -> str:
    return encoded(text.encode("utf-8", "surrogatepass"))


def written(case: Case) -> list[Edit]:
    """Escapes of all characters, or of the first one."""
    whole = escaped(case.text[case.start : case.end]) == case.found[1]
    return [Edit(case.start, case.end if whole else case.start + 1, case.found[1])]


def removed(case: Case) -> list[Edit]:
    return case.becomes("")


def encoded_first(case: Case) -> list[Edit]:
    return [Edit(case.start, case.start + 1, escaped(case.text[case.start]))]


def cut(case: Case) -> list[Edit]:
    return [Edit(case.start, len(case.text), "")]


def login_encoded(case: Case) -> list[Edit]:
    """The named characters are encoded in both parts of a login, which its first colon divides; so are illegal ones."""
    start, end = case.text.index("//") + 2, case.text.rindex("@")
    held = f"{case.profile.unreserved}!$&'()*+,;=?\n\t\0".translate(
        {ord(each): None for each in re.findall("`(.)`", case.found[0])}
    )
    parts = (
        "".join(each if each in held else escaped(each) for each in part) for part in case.text[start:end].split(":", 1)
    )
    return [Edit(start, end, ":".join(parts))]


def without_login(case: Case) -> list[Edit]:
    return [Edit(case.authority.start, case.authority.host, "")]


def bracketed(case: Case) -> list[Edit]:
    """Brackets around the address; its last group may be the port. A zone is left out."""
    _, _, start, _, end = case.authority
    address = case.text[start:end].partition("%")[0].removeprefix("[")
    without, _, port = address.rpartition(":")
    return [Edit(start, end, f"[{address}]"), Edit(start, end, f"[{without}]:{port}")]


def unbracketed(case: Case) -> list[Edit]:
    _, _, start, _, end = case.authority
    return [Edit(start, end, re.sub(r"[\[\]]", "", case.text[start:end]))]


def without_zone(case: Case) -> list[Edit]:
    zone = re.compile(r"%[^]/]*").search(case.text, case.text.index("["))
    assert zone is not None
    return [Edit(*zone.span(), "")]


def without_port(case: Case) -> list[Edit]:
    port = re.compile(":[0-9]*").match(case.text, case.start)
    assert port is not None
    return [Edit(*port.span(), "")]


ACTIONS: dict[str, tuple[Action, ...]] = {
    r"(?:the text is not UTF-8 there: )?write ((?:%[0-9A-F]{2})+)(?:,|$| if)": (written,),
    r"write its octets in UTF-8, ((?:%[0-9A-F]{2})+)": (written,),
    r"write (\S+) for the character, or %25": (
        lambda case: [Edit(case.start, case.start + len("%uXXXX"), case.found[1])],
        lambda case: [Edit(case.start, case.start + 1, "%25")],
    ),
    r"a percent sign is written %25": (lambda case: case.becomes("%25"),),
    r"write %.., .* and %.. for .* in a user name or password": (login_encoded,),
    r"if this is a user name and a password, write %.. for `.` in them": (login_encoded,),
    r"write %23 in a user name|encode it|a reserved character that is data must be|a URL has one fragment": (
        encoded_first,
    ),
    r"remove the white space, or write `:` before a port": (removed, lambda case: case.becomes(":")),
    r"leave it out.* write (%\S+) if (?:it|the)": (removed, written),
    r"leave out the (?:query|parameters) if (?:it begins|they begin) here, or write (%..)": (cut, written),
    r"read the nonstandard form by .*, or write (%..)": (written,),
    r"write `(.)` if .*, or (%..) if": (
        lambda case: case.becomes(case.found[1]),
        lambda case: case.becomes(case.found[2]),
    ),
    r"write `(.)` before it, or (%..) if": (
        lambda case: case.gets(case.found[1]),
        lambda case: [Edit(case.start, case.start + 1, case.found[2])],
    ),
    r"write `(.)` before it$": (lambda case: case.gets(case.found[1]),),
    r"(.*: )?leave it out|leave out (?:the second `:`|the dot at the end|one of the dots)|remove (?:it|the white)": (
        removed,
    ),
    r"leave out the fragment; .*(%23)|`fix` splits.*(%23)": (cut, encoded_first),
    r"leave out the fragment|`fix` splits|leave out the white space at the end|leave out the text after": (cut,),
    r"leave out the text before the `@`": (without_login,),
    r"write `/` if the host ends here, or leave out": (lambda case: case.becomes("/"), without_login),
    r"leave out the zone": (without_zone,),
    r"leave out the brackets": (unbracketed,),
    r"write brackets around|write a `\]` after": (bracketed,),
    r"leave out ([`\"])(.+)\1 and \1(.+?)\1": (
        lambda case: [
            Edit(case.start, len(case.text), case.text[case.start :].strip()[len(case.found[2]) : -len(case.found[3])])
        ],
    ),
    r"leave out `(;.+)`, which is not": (lambda case: [Edit(case.start - len(case.found[1]), case.start, "")],),
    r"leave out the text before the URL": (
        lambda case: [Edit(0, case.text.rindex(" ", 0, case.text.index(":")) + 1, "")],
    ),
    r"write `/` instead of the `:`": (lambda case: [Edit(case.start - 1, case.start, "/")],),
    r"write .* after `//`, or leave out the third `/`": (lambda case: [Edit(case.start, case.start + 1, "")],),
    r"leave out the `//`": (lambda case: [Edit(case.start, case.start + 2, "")],),
    r"leave out the colon, or write the port": (lambda case: [Edit(case.start - 1, case.start, "")],),
    r"leave out the colon": (without_port,),
    r"write `(.)` of US-ASCII|write `(.)` instead": (lambda case: case.becomes(case.found[1] or case.found[2]),),
    r"write `://` instead of `(.+)`": (lambda case: [Edit(case.start, case.start + len(case.found[1]), "://")],),
    r"write a colon": (lambda case: case.gets(":"),),
    r"write `//` before the host, or `///`": (
        lambda case: case.follows_scheme("//"),
        lambda case: case.follows_scheme("///"),
    ),
    r"write `//` before": (lambda case: case.follows_scheme("//"),),
    r"write a (?:second )?`/`": (lambda case: case.gets("/"),),
    r"write (\S+), as `urlschemes unicode`": (
        lambda case: [Edit(case.authority.host, case.authority.colon, case.found[1])],
    ),
    r"write the character itself": (
        lambda case: [Edit(case.start, case.start + 3, chr(int(case.text[case.start + 1 : case.start + 3], 16)))],
    ),
    r"a drive letter begins": (lambda case: [Edit(0, len(case.text), "file:///" + case.text.replace("\\", "/"))],),
    r"if this is a host": (
        lambda case: (
            [Edit(0, 0, "http://")]
            if case.text[case.end + 1 : case.end + 2].isdigit()
            else [Edit(0, case.end + 1, f"http://{case.text[: case.end]}/")]
        ),
    ),
    r"leave out `(.+)`, which is not name=value": (
        lambda case: [Edit(case.start - len(case.found[1]), case.start, "")],
    ),
    r"leave out the prefix `URL:`": (lambda case: [Edit(0, len("URL:"), "")],),
    r"did you mean (\S+?)(?: or \S+)?\?": (lambda case: case.becomes(case.found[1]),),
    r"a host alone is not a URL": (lambda _: [Edit(0, 0, "http://")],),
    r'add "(.*)"': (lambda case: [Edit(len(case.text), len(case.text), case.found[1])],),
}
RULES = re.compile(
    "begin with the name|labels hold|the port is a decimal number|the [a-z ]+ has no escapes|a host has one port|"
    "write the [a-z ]+ in decimal digits|"
    "a number has|write a name, an IPv4|write a domain name|write the name in|RFC 1738 has no IPv6|an IPv6 address has|"
    "an IPv4 address at|no domain name has this form|IDNA 2008 lets|an address is four|an address alone|"
    "the labels of|this is |add (the|a) |there are two schemes|(it|the `.` after it) is a delimiter|it is ambiguous|"
    r"if this is a drive letter|Registry\(|`parse_generic`|"
    "leave them out if|if a user name and a password end|write `//` and|leave out the second port|encode its octets"
)


@cache
def examples(profile: str) -> list[str]:
    registry = REGISTRIES[profile]
    return [example.url for name in schemes_of_plugins(registry) for example in registry.registration(name).examples]


@cache
def hints_of_records(profile: str) -> frozenset[str]:
    syntaxes = [REGISTRIES[profile].registration(name).syntax for name in REGISTRIES[profile]]
    return frozenset(part.says for syntax in syntaxes for part in syntax.parts.values() if part.says)


def edits_of(hint: str, text: str, span: tuple[int, int], profile: Profile) -> list[Edit]:
    """Return what a hint says to do; nothing if it states a rule."""
    hint = hint.replace(f"; {LATER}", "").removesuffix("; `fix` repairs it").removesuffix(", or let `fix` do it")
    if hint in hints_of_records(profile.name) or hint == "`fix` repairs it":
        return []
    found = next((each for each in (re.match(pattern, hint) for pattern in ACTIONS) if each), None)
    if found is None:
        assert RULES.match(hint), f"write the action of a hint of a new form, or add it to the rules: {hint}"
        return []
    return [edit for action in ACTIONS[found.re.pattern] for edit in action(Case(text, *span, found, profile))]


def problem(text: str, edit: Edit, hint: str, span: tuple[int, int], registry: Registry) -> str | None:
    """Return what is wrong with `text` after an edit because of the text of `span`; None if the law holds."""
    start, end, new = edit
    edited = text[:start] + new + text[end:]
    changed = next((at for at in range(start, start + len(new)) if edited[at] != text[at : at + 1]), start + len(new))
    try:
        registry.parse(edited)
    except InvalidURL as error:
        if error.position is None or error.position < (min(changed + 1, start + len(new)) or 1):
            return f"{edited!a}: {error}"
    except URLError:
        return None  # a scheme that nobody has
    if new in text[start:end]:
        return None  # nothing was written
    told = {code for words, code in TOLD.items() if words in hint}
    known = KNOWN.union(told, (each.code for each in check(text[: span[0]] + text[span[1] :], registry=registry)))
    for each in check(edited, registry=registry):
        begin, stop = each.span or (0, 0)
        if each.severity == "warning" and each.code not in known and begin < start + len(new) and stop > changed:
            return f"{edited!a}: {each}"
    return None


def problems(text: str, profile: str) -> Iterator[tuple[str, str]]:
    """Yield the hints about the first error of a text, by `parse` and by `check`, that break the law, and why."""
    registry = REGISTRIES[profile]
    try:
        registry.parse(text)
    except (InvalidURL, UnknownScheme) as error:
        findings = (each for each in check(text, registry=registry) if each.severity == "error")
        first = next(each for each in findings if (each.code == "unknown-scheme") == isinstance(error, UnknownScheme))
        span = first.span or (0, 0)
        for hint in {error.hint, first.hint} - {None}:
            found = [
                problem(text, edit, str(hint), span, registry)
                for edit in edits_of(str(hint), text, span, registry.profile)
            ]
            is_choice = re.match("write (brackets|a `])", str(hint)) is not None  # with and without a port
            if found and (all(found) if is_choice else any(found)):
                yield str(hint), str(next(filter(None, found)))
    except URLError:
        return


@pytest.mark.parametrize(
    "text",
    [*(row["text"] for row in MISTAKES), *OTHERS, "news:>", "news:~>", "aftp://h/~", "ws://#x", "URL:ftp://h/'#~"],
    ids=ascii,
)
def test_a_hint_names_the_later_profile_exactly_if_that_reads_the_text(text: str) -> None:
    names_it = set()
    try:
        default_registry.parse(text)
    except InvalidURL as error:
        hint = next(each.hint for each in check(text) if each.severity == "error")
        said = error, error.hint, hint, " ".join(explain(text).split())
        names_it = {LATER in str(each) for each in said}
    except UnknownScheme:
        pass
    is_read = REGISTRIES["rfc3986"].is_valid(text)
    assert names_it <= {is_read}
    assert is_read or not any(LATER in str(each.hint) for each in check(text) if each.code != "unknown-scheme")


@pytest.mark.parametrize(
    "read",
    [
        lambda: default_registry.parse("ftp://h/~a", HttpURL),
        lambda: default_registry.parse("http://h/~a", HttpURL),
        lambda: default_registry.convert(REGISTRIES["rfc3986"].parse("http://h/~a")),
        lambda: default_registry.convert(REGISTRIES["rfc3986"].parse_generic("http://h/~a")),
    ],
)
def test_no_hint_names_the_later_profile_where_another_type_is_wanted(read: Callable[[], object]) -> None:
    with pytest.raises(InvalidURL) as caught:
        read()
    assert LATER not in str(caught.value)
    with pytest.raises(InvalidURL, match=re.escape(LATER)):
        default_registry.parse("http://h/~a", URL)


def mutated(chance: random.Random, profile: str) -> str:
    """Return an example with one character left out, inserted or replaced."""
    text = chance.choice(examples(profile))
    at, kind = chance.randrange(len(text) + 1), chance.randrange(3)
    return text[:at] + (chance.choice(CHARACTERS) if kind else "") + text[at + (kind != 1) :]


@pytest.mark.parametrize("number", [40, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("profile", REGISTRIES)
def test_a_hint_offers_fix_exactly_if_it_repairs_the_text(profile: str, number: int) -> None:
    chance, registry = random.Random(5), REGISTRIES[profile]
    texts = [*(row["text"] for row in MISTAKES), *OTHERS, "URL:a", *(mutated(chance, profile) for _ in range(number))]
    for text in chain(texts, [f"URL:{each}" for each in texts[::5]]):
        errors = [each for each in check(text, registry=registry) if each.severity == "error"]
        is_offered = "`fix`" in "".join(str(each.hint) for each in errors)
        try:
            fix(text, registry=registry)
            is_right = is_offered or not errors
        except URLError:
            is_right = not is_offered
        assert is_right, ascii(text)
        with suppress(UnknownScheme):
            assert not errors or ("`fix`" in " ".join(explain(text, registry=registry).split())) is is_offered


@pytest.mark.parametrize("profile", REGISTRIES)
@pytest.mark.parametrize("text", [*(row["text"] for row in MISTAKES), *OTHERS], ids=ascii)
def test_a_hint_about_a_mistake_is_right(profile: str, text: str) -> None:
    assert not list(problems(text, profile))


@pytest.mark.parametrize(
    ("profile", "seed", "count"),
    [
        *product(REGISTRIES, [0], [80]),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in product(REGISTRIES, range(1, 7), [1500])),
    ],
)
def test_a_hint_about_a_url_with_one_wrong_character_is_right(profile: str, seed: int, count: int) -> None:
    chance = random.Random(seed)
    for _ in range(count):
        text = mutated(chance, profile)
        assert not list(problems(text, profile)), ascii(text)
