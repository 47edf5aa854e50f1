"""URLs in running text (RFC 1738, Appendix; RFC 3986, Appendix C): find them, and write them so that they are found.

    from urlschemes_text import find, wrap

    [found.url for found in find("See <URL:http://h/a> and ftp://h/b.")]
    wrap(url, fragment="top", width=72)

`find` returns the URLs that `wrap` wrote, and is certain of them.

    search          find
    window          the piece of a text that is being searched
    bare_urls       the end of a URL without brackets
    passages        the results: Found, Broken; fill_placeholders
    wrapping        wrap
"""

from urlschemes_text.passages import Broken, Found, Passage, fill_placeholders
from urlschemes_text.search import find
from urlschemes_text.wrapping import wrap

__all__ = ["Broken", "Found", "Passage", "fill_placeholders", "find", "wrap"]
