"""URLs in context (the Appendix of RFC 1738): find them in running text, and write them so that they are found.

from urlschemes_text import find, wrap

[found.url for found in find("See <URL:http://h/a> and ftp://h/b.")]
wrap(url, fragment="top", width=72)
"""

from urlschemes_text.search import Broken, Found, Passage, find, wrap

__all__ = ["Broken", "Found", "Passage", "find", "wrap"]
