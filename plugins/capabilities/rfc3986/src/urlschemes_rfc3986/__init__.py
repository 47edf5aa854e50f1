"""Today's URLs: the profile of RFC 3986, its shared rules, and what follows from its sections 5 and 6.

    from urlschemes_rfc3986 import parse

    url = parse("https://host.dom/a?b#c")
    url.path, url.query, url.fragment

    rfc3986.abnf        the rules of appendix A, and what schemes with a server need
    abnf.py             the notation of RFC 5234 and RFC 7405, read to the same rules as that of RFC 1738
    algorithms.py       what a profile offers to the rest of urlschemes
    command.py          `urlschemes unicode`
    domain_names.py     labels of domain names in all languages (IDNA 2008)
    generic_uri.py      URI: the URLs of schemes that have no record
    host_findings.py    what is legal in a host, but misleads its reader or programs
    host_messages.py    messages about hosts (section 3.2.2)
    iri.py              URLs in the characters of all languages (RFC 3987)
    normalization.py    one spelling for URLs of one meaning (section 6.2)
    references.py       relative references as values (section 4.2), and between URLs
    resolution.py       what a reference means (section 5)
    uri_warnings.py     what is legal in a URL, but unwise

A scheme plugin has a record of this profile in `registration.rfc3986.toml`, and code in its module `rfc3986`. The type
of its URLs has the field `fragment: str | None = FRAGMENT`.
"""

from typing import Any, Final

from urlschemes.grammar.profile import Profile
from urlschemes.registry.registry import default_registry
from urlschemes.url.fields import text_part
from urlschemes_rfc3986.abnf import ABNFReader

__all__ = ["FRAGMENT", "is_valid", "parse", "parse_generic", "profile", "registry"]

profile = Profile(
    name="rfc3986",
    record="registration.rfc3986.toml",
    module="rfc3986",
    package=__name__,
    rules_file="rfc3986.abnf",
    notation=ABNFReader,
    document="RFC 3986",
    sections={
        "characters": "2",
        "hierarchy": "1.2.3",
        "operations": "1.2.2",
        "security": "7",
    },
    rule_names={
        "authority": "authority",
        "character": "pct-encoded",
        "escape": "pct-encoded",
        "digit": "DIGIT",
        "server": "server",
    },
    host_rules=("named-host", "host"),
    host_hint="write a name, an IPv4 address, or an IPv6 address in brackets",
    address_hint="write brackets around an IPv6 address",
    authority_ends="/?#",
    escapes_in_host=True,
    levels=("case", "percent-encoding", "dot-segments", "scheme"),
)

FRAGMENT: Final[Any] = text_part(
    default=None, doc="The text after the `#`, as written; None without a `#`. It is never sent."
)
"""The field `fragment` of each type of URLs of this profile."""

registry: Final = default_registry.in_profile(profile)
"""The default registry in this profile. It looks for plugins when it is first needed."""
parse = registry.parse
parse_generic = registry.parse_generic
is_valid = registry.is_valid
