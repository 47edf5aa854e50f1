"""Gateways: URLs that are reached through a URL of another scheme (section 4).

A gateway is a template such as `http://gw.dom/fetch?{url}`; the whole URL stands in the place of `{url}`, encoded. It
is used to read, and for nothing else, and it is reached directly: no gateway leads through another.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from urlschemes.errors import InvalidURL, UnsafeURL
from urlschemes.grammar.octets import SCHEME_NAME
from urlschemes.grammar.part import Part
from urlschemes.grammar.syntax import Syntax
from urlschemes.redaction import one_line, redact
from urlschemes.url.value import URL
from urlschemes_access.dialogue.destinations import Reach
from urlschemes_access.policy import is_dotted_quad

if TYPE_CHECKING:
    from urlschemes.scheme.registration import Registration
    from urlschemes_access.policy import Policy

__all__ = ["OPERATIONS", "Template", "check_asked"]

OPERATIONS = frozenset({"access", "find attributes"})
"""What may go through a gateway. What changes something, or talks to somebody, goes to the host that the URL names."""

_PLACE = "{url}"


class Template(NamedTuple):
    """The template of a gateway: what stands before the URL, and what behind it."""

    before: str
    behind: str

    @classmethod
    def parse(cls, text: str) -> Template:
        """The template that `text` is. Raises ValueError, whose text says what it lacks."""
        before, place, behind = text.partition(_PLACE)
        if not place or _PLACE in behind:
            raise ValueError(f"it needs {_PLACE} once, where the URL is to stand")
        scheme, colon, rest = before.partition(":")
        if not colon or not SCHEME_NAME.fullmatch(scheme):
            raise ValueError("it begins with no name of a scheme")
        if rest.startswith("//") and not rest[2:].partition("/")[1]:
            raise ValueError(f"{_PLACE} stands before the path: the URL would choose the host")
        try:
            URL.parse(f"{before}a{behind}")
        except InvalidURL as error:
            raise ValueError(f"it is no URL: {error.message}") from None
        return cls(before, behind)

    @property
    def scheme(self) -> str:
        """The scheme that the gateway is reached by."""
        return self.before.partition(":")[0].lower()

    def filled(self, url: URL) -> str:
        """The text of the URL through which `url` is reached. Each character but letters, digits, `-._` is encoded."""
        from urllib.parse import quote

        return f"{self.before}{quote(str(url), safe='')}{self.behind}"


def check_asked(url: URL, policy: Policy, registration: Registration | None) -> None:
    """Check the URL that somebody else is about to be told, as far as its text says where it leads.

    `registration` is the record of its scheme, if somebody provides it. Raises UnsafeURL for what no one else may
    learn, a user name or a password, and for what could not be accessed directly either; PolicyDenied.
    """
    policy.check_scheme(url.scheme)
    part = next((part for part in ("password", "user") if url.raw.get(part) is not None), None)
    if part is None and registration is None and "@" in str(url).partition("//")[2].partition("/")[0]:
        part = "user"
    if part is None and redact(str(url)) != str(url):
        part = "password"
    if part is not None:
        raise UnsafeURL(
            f"the URL holds a {part}, and the gateway that it is reached through would learn it",
            scheme=url.scheme,
            part=part,
            section="RFC 1738 section 6",
            hint="leave it out of the URL, or access it where no gateway is configured",
        )
    if registration is None:
        url.check_line()
        if url.schemepart.startswith("//"):
            _check_authority(url, policy)
        return
    Reach(policy, registration).admit(url)
    host = url.raw.get("host")
    if isinstance(host, str) and not registration.local and is_dotted_quad(host):
        policy.check_address(host)


def _check_authority(url: URL, policy: Policy) -> None:
    """Check where a URL leads whose scheme nobody provides, by the Common Internet Scheme Syntax (section 3.1)."""
    written = url.schemepart[2:].partition("/")[0]
    if not written:
        return
    found = _authority().fullmatch(written)
    if found is None:
        raise UnsafeURL(
            f"where the host stands, the URL has {one_line(repr(written), 80)}, which each reader may take for another",
            scheme=url.scheme,
            part="host",
            section="RFC 1738 section 3.1",
            hint="write a domain name or four groups of digits, and a port",
        )
    policy.check_host(found["host"].lower())
    if is_dotted_quad(found["host"]):
        policy.check_address(found["host"])
    if found["port"] is not None:
        policy.check_port(int(found["port"]))


@cache
def _authority() -> Syntax:
    return Syntax("authority = hostport", "authority", [Part("host", ["host"]), Part("port", ["port"], number=True)])
