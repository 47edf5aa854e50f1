"""The profile of RFC 1738: the shared rules of section 5, and what follows from its other sections.

The rest of the core knows a profile only; other profiles are distributions of their own, with a package like this one.

    algorithms.py       what a profile offers to the rest of the core, and its type
    host_messages.py    messages about hosts (section 3.1)
    normalization.py    one spelling for URLs of one meaning (section 2.2)
    resolution.py       relative references (RFC 1808)
"""

from urlschemes.grammar.profile import RFC1738

__all__ = ["profile"]

profile = RFC1738
