"""A made-up scheme, which the tests of the drivers talk."""

from urlschemes.scheme.registration import Registration
from urlschemes.url.value import LoginURL

RECORD = """
api = 1
scheme = "x-talk"
status = "experimental"
title = "A protocol for tests"
reference = "none"
contact = "nobody"
change_controller = "nobody"
default_port = 7
operations = ["access"]
redirects = ["x-talk", "x-talks"]
encoding_considerations = "none"
interoperability_considerations = "none"
security_considerations = "none"
[syntax]
rule = "talkurl"
bnf = '''
talkurl = "x-talk://" login [ "/" what ]
what    = *uchar
'''
[syntax.parts]
user = { at = "user" }
password = { at = "password" }
host = { at = "host" }
port = { at = "port", number = true }
what = { at = "what" }
"""
TALK = Registration.from_text(RECORD, source="test")


class TalkURL(LoginURL, registration=TALK):
    """A URL of it."""
