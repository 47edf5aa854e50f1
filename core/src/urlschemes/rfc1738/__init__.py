"""The profile of RFC 1738: the shared rules of section 5, and what follows from its other sections.

The rest of the core knows a profile only; other profiles are distributions of their own, with a package like this one.

    algorithms.py       what `urlschemes.url.algorithms` asks of a profile; one spelling of a URL (section 2.2)
    host_messages.py    messages about hosts (section 3.1)
    resolution.py       relative references (RFC 1808)
"""

from urlschemes.grammar.bnf import BNFReader
from urlschemes.grammar.profile import Profile

__all__ = ["RFC1738", "profile"]

profile = Profile(
    name="rfc1738",
    record="registration.toml",
    module="",
    package=__name__,
    rules_file="rfc1738.bnf",
    notation=BNFReader,
    document="RFC 1738",
    sections={"characters": "2.2", "hierarchy": "2.3", "operations": "2", "security": "6"},
    rule_names={
        "authority": "ip-schemepart",
        "character": "xchar",
        "escape": "escape",
        "digit": "digit",
        "server": "hostport",
    },
    host_rules=("host",),
    host_hint="labels hold letters, digits and hyphens, begin and end with a letter or digit, and the last begins with "
    "a letter",
    address_hint="RFC 1738 has no IPv6 addresses: write a domain name or an IPv4 address",
    successor="rfc3986",
    authority_ends="/",
    escapes_in_host=False,
    levels=(),
)

RFC1738 = profile
"""The profile of RFC 1738, which is used where no other is named."""
