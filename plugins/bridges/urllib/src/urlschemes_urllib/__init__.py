"""A handler of urllib.request that opens the URLs of chosen schemes under a policy.

    opener = urllib.request.build_opener(URLHandler("gopher", "ftp", policy=Policy.untrusted()))
    with opener.open("gopher://host.dom/0/notes.txt") as response:
        ...

handler.py     URLHandler
response.py    responses: the octets of a document or a table of a listing, with a header
"""

from urlschemes_urllib.handler import URLHandler

__all__ = ["URLHandler"]
