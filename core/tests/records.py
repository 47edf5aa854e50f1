"""A made-up scheme: its record, with every kind of part."""

RECORD = """\
api = 1
scheme = "x-album"
status = "experimental"
title = "Albums of pictures"
reference = "The album specification, section 2; another"
contact = "the tests"
change_controller = "the tests"
default_port = 4711
operations = ["access"]
encoding_considerations = "UTF-8."
interoperability_considerations = "None known."
security_considerations = "Whoever knows an album's name may look at it."

[syntax]
rule = "albumurl"
hierarchy = "apath"
bnf = '''
albumurl = "x-album://" login [ "/" apath [ "?" words ] [ ";size=" digits ]]  ; section 2.1
apath    = asegment *[ "/" asegment ]
asegment = *[ uchar | ":" | "@" ]
words    = *[ uchar | "/" | "=" ]
'''

[syntax.parts]
user     = { at = "user" }
password = { at = "password" }
host     = { at = "host" }
port     = { at = "port", number = true }
albums   = { at = "apath", element = "asegment", take = "all but the last" }
picture  = { at = "apath", element = "asegment", take = "last" }
words    = { at = "words", exclude = ["0A"] }
size     = { at = "albumurl/digits", number = true }

[[examples]]
url = "x-album://h/a/b?c;size=3"
parts = { host = "h", port = 4711, albums = ["a"], picture = "b", words = "c", size = 3 }
says = "every part but the login"

[[examples]]
url = "x-album:h"
invalid = true
says = "the // is missing"
"""
