"""A registry of two made-up schemes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from urlschemes import Registration, Registry

HOSTS = """
api = 1
scheme = "x-hosts"
status = "experimental"
title = "Things of hosts"
reference = "nowhere"
contact = "the tests"
change_controller = "the tests"
encoding_considerations = "None."
interoperability_considerations = "None."
security_considerations = "None."

[syntax]
rule = "hostsurl"
bnf = '''
hostsurl = "x-hosts://" login [ "/" thing ]
thing    = *uchar
'''

[syntax.parts]
user = { at = "user" }
password = { at = "password" }
host = { at = "host" }
port = { at = "port", number = true }
thing = { at = "thing" }
"""


@pytest.fixture
def hosts_record() -> str:
    """The record of x-hosts."""
    return HOSTS


@pytest.fixture
def registry(registration: Callable[..., Registration]) -> Registry:
    """A registry of x-word, with one or more characters, and x-hosts, with login, host and port."""
    made = Registry([])
    made.register(registration("x-word"))
    made.register(Registration.from_text(HOSTS, source="the tests"))
    return made
