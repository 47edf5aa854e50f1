"""Secrets are hidden in traces, errors and attributes."""

from __future__ import annotations

import pytest
from fake_servers import (
    Serve,
    until_gone,
)
from talk_scheme import TalkURL, fetch, run

from urlschemes_access.attributes import Attributes
from urlschemes_access.errors import (
    DeadlineExceeded,
    RemoteError,
    Truncated,
)
from urlschemes_access.protocol import (
    Algorithm,
    Open,
)

pytestmark = pytest.mark.usefixtures("backend")


def test_a_password_repeated_by_the_server_is_hidden_in_errors() -> None:
    def algorithm() -> Algorithm[None]:
        yield from Open("document")
        try:
            raise Truncated("cut after hunt\xe8r22")
        except Truncated as error:
            raise RemoteError("PASS hunt\xe8r22?", text="PASS hunt\\xe8r22?", hint="not hunt\xe8r22") from error

    document = run(algorithm(), url=TalkURL.parse("x-talk://me:hunt%C3%A8r22@127.0.0.1/"))
    with pytest.raises(RemoteError) as fault:
        document.read()
    assert str(fault.value) == "PASS ***?; not ***"
    assert (fault.value.text, fault.value.args) == ("PASS ***?", ("PASS ***?",))
    assert str(fault.value.__cause__) == "cut after ***"


def test_a_password_repeated_by_the_server_is_hidden_in_attributes() -> None:
    url = TalkURL.parse("x-talk://joe:hunter2@127.0.0.1:7/")

    def algorithm() -> Algorithm[None]:
        yield from Open("attributes", Attributes(name="a", fields={"reply": "226 stored hunter2", "other": "226 ok"}))

    assert run(algorithm(), url=url).fields == {"reply": "226 stored ***", "other": "226 ok"}


def test_an_error_is_one_printable_line_without_the_password(serve: Serve) -> None:
    port = serve(until_gone)
    url = TalkURL.parse(f"x-talk://me:hunter22@127.0.0.1:{port}/")
    with pytest.raises(DeadlineExceeded) as late:
        run(fetch(port), url=url).read()
    text = str(late.value)
    assert "hunter22" not in text
    assert text.isprintable()
    assert text.isascii()
    assert len(text) <= 300
