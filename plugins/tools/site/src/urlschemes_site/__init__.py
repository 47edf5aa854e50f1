"""A static site of a registry: a page for each scheme, and an index that can be searched.

    command         `urlschemes site`
    site_pages      all pages, from the registry to HTML
    scheme_page     the content of the page of one scheme
    examples        the examples of a record, split into their parts
    grammar_text    the text of rules, with links between them
    diagrams        railroad diagrams of rules
    linked_text     text with links to RFCs, and with code
    output_folder   the folder that the pages are written to
    templates/      the pages as Jinja templates

The content comes from the records; no plugin of a scheme is imported, and no page makes a request to another host.
"""

from urlschemes_site.output_folder import FolderRefused, write
from urlschemes_site.site_pages import TITLE, pages

__all__ = ["TITLE", "FolderRefused", "pages", "write"]
