"""The examples of the README."""

from __future__ import annotations

from pathlib import Path

from pages import check_readme

from urlschemes_servers import HttpRequest, HttpResponse, http_server, make_certificates


def test_the_examples_of_the_readme(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Hello.\n")
    (tmp_path / "private.txt").write_text("For joe.\n")

    def guard(request: HttpRequest) -> HttpResponse | None:
        if request.target == "/private.txt" and request.headers["Authorization"] is None:
            return HttpResponse(401, headers=[("WWW-Authenticate", 'Basic realm="private"')])
        return None

    certificates = make_certificates()
    with http_server(tmp_path, handler=guard, tls=certificates.server) as address:
        check_readme(Path(__file__).parents[1], address=address, ssl_context=certificates.client())
