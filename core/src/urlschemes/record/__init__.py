"""From the text of a `registration.toml` to a `Registration`: what RFC 1738 section 4 demands of a scheme.

This package does not know URLs, nor which plugin has the record.

    registration.py     Registration: the record of one scheme
    record_fields.py    the fields of a record, checked one by one
    record_table.py     the table of a record: with what it takes from another, for one profile
"""
