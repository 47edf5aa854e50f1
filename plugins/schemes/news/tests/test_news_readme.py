"""The examples of the README."""

from __future__ import annotations

from pathlib import Path

from pages import check_readme

from urlschemes_servers.nntp import Newsgroup, article, nntp_server


def test_the_examples_of_the_readme() -> None:
    articles = [article("Hello", "First words.\n", message_id="1@ucbvax.Berkeley.EDU")]
    with nntp_server({"misc.test": Newsgroup(articles)}) as address:
        check_readme(Path(__file__).parents[1], address=address)
