"""A static site of a registry: a page for each scheme, and an index that can be searched.

What it says comes from the records; no plugin is imported, and no page makes a request to another host.

    site        the pages, from the registry to their texts
    schemes     what the page of one scheme says
    examples    the examples of a record, taken apart
    notation    the text of rules, with links between them
    diagrams    railroad diagrams of rules
    prose       running text: links to RFCs, code
    folder      the folder that the pages are written to
    command     `urlschemes site`

The pages themselves are `templates/`.
"""

from urlschemes_site.folder import FolderRefused, write
from urlschemes_site.site import TITLE, pages

__all__ = ["TITLE", "FolderRefused", "pages", "write"]
