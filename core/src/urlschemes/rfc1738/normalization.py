"""One spelling for URLs of one meaning (RFC 1738 section 2.2)."""

from __future__ import annotations

from functools import partial

from urlschemes.grammar.part import Part, Raw
from urlschemes.rfc1738 import RFC1738
from urlschemes.url.building import is_decoded, recomposed, spelled
from urlschemes.url.value import URL


def normalized(url: URL, level: str | None) -> str:  # noqa: ARG001  there is one level
    """Return the text of `url` with everything that does not change its meaning written in one way.

    The name of the scheme and the host are in lower case, literals as in the rules. There is no default port, and no
    zero before a number. Characters that a part may hold as they are are not encoded; but in a part that travels as it
    is written, such as the path of an http URL, a character that may be reserved stays as it was. A character that the
    record warns of is encoded. The `/` after the host is written if the record says that it may be omitted.
    """
    scheme, colon, rest = recomposed(url, partial(_plain, url)).partition(":")
    if url.syntax.slash_may_be_omitted and "/" not in rest.removeprefix("//"):
        rest += "/"
    return scheme.lower() + colon + rest


def _plain(url: URL, part: Part, raw: Raw) -> Raw | None:
    """Return `raw` with everything that does not change its meaning written in one way; None for the default port."""
    if part.number or is_decoded(part):
        text = spelled(url, part, raw)
        return None if part.name == "port" and text == str(url.default_port) else text
    text = str(raw)
    return RFC1738.normal(text) if part.as_written else text.lower()
