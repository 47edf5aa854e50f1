"""From rules as text to a syntax that matches, divides, composes and explains texts.

The input is BNF in the notation of RFC 1738 section 5, and the parts that a record names. The output is a `Syntax`: one
regular expression with named parts, the octets that each part may hold, the text that parts compose, and what may come
next at any position of a text. This package does not know URLs, plugins, or files other than its own `rfc1738.bnf`.

    bnf.py              text to a tree of rules, and back
    rule_tree.py        the rules of one scheme written out, with its parts marked
    automaton.py        which character may come next
    pattern.py          the tree as one regular expression, linear by construction
    regex_compat.py     regular expressions that every supported interpreter reads alike
    syntax_builder.py   checks of rules and parts; the automaton with the octets that the record excludes
    syntax.py           Syntax: all of these for one scheme, computed when needed
    composer.py         the text of a URL that has given parts
    part.py             Part: how the text of a part becomes a value, and back
    octets.py           octets, escapes and character sets
    derivation.py       what is expected at a position of a text
"""
