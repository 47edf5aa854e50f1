"""From rules as text to a syntax that matches, divides, composes and explains texts.

The input is rules in the notation of RFC 1738 section 5, or of another profile, and the parts that a record names. The
output is a `Syntax`: one regular expression with named parts, the octets that each part may hold, the text that parts
compose, and what may come next at any position of a text. This package does not know URLs or plugins, and reads no file
but the shared rules of a profile.

    profile.py          Profile: what the URLs of one generation share, whatever their scheme
    bnf.py              rules, and the notation of section 5: from text, and back
    rule_tree.py        the rules of one scheme as one tree, with its parts marked
    automaton.py        which characters may come next
    pattern.py          the tree as one regular expression of linear time
    regex_compat.py     regular expressions that mean the same to every interpreter
    syntax_builder.py   checks of rules and parts; the automaton with the exclusions
    syntax.py           Syntax: all of these for one scheme, computed when needed
    composer.py         texts composed of parts
    part.py             Part: decoding the text of a part, and encoding its value
    octets.py           octets, escapes and character sets
    derivation.py       positions of the automaton in words, for messages
"""
