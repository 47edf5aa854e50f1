"""From a `Registration`, a URL type and the name of a module of algorithms to a `Scheme`.

This package does not know which plugin provides it.

    scheme.py    Scheme, and what every URL type owes to its users
"""
