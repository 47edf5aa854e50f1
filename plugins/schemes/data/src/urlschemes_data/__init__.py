"""Access to data URLs (RFC 2397), whose content is within the URL.

    data:<type>/<subtype>;<attribute>=<value>;base64,<data>

The record is that of the ledger of urlschemes-iana, in the profile of RFC 3986: the module `rfc3986` has the scheme,
`access.py` the algorithm.
"""
