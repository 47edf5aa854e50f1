"""Markdown pages about the schemes of a registry: one for each scheme, an index, and the rules that schemes share.

    command         `urlschemes site`
    site_pages      all pages: the index, the shared rules, the schemes
    scheme_page     the page of one scheme
    diagrams        railroad diagrams of rules
    markdown_text   the text of records as Markdown
    output_folder   the folder that the pages are written to

The content comes from the records; no plugin of a scheme is imported. Any generator of sites takes the pages.
"""

from urlschemes_site.output_folder import FolderRefused, write
from urlschemes_site.site_pages import TITLE, pages

__all__ = ["TITLE", "FolderRefused", "pages", "write"]
