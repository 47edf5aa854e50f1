"""From a registration record to a scheme.

In goes the text of a `registration.toml`; out comes a `Registration`, and with a URL type and the name of a module of
algorithms, a `Scheme`. This package does not know which plugin provides it.

    registration.py     Registration: the record of one scheme
    record_fields.py    the fields of a record, checked one by one
    scheme.py           Scheme, and what every URL type owes to its users
"""
