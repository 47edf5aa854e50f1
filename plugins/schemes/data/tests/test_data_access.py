"""Access to data URLs: their content and media type, and what has none."""

from __future__ import annotations

from base64 import b64decode
from urllib.parse import unquote

import pytest
from opening import content_of

import urlschemes_access
from urlschemes.errors import UnsafeURL
from urlschemes_access import Client, Document, Limits, Policy
from urlschemes_access.errors import LimitExceeded, PolicyDenied
from urlschemes_data.rfc3986 import registration
from urlschemes_rfc3986 import registry
from urlschemes_servers import http_server
from urlschemes_servers.http import HttpResponse


def access(text: str, policy: Policy | None = None) -> Document:
    return urlschemes_access.open_document(text, registry=registry, policy=policy)


@pytest.mark.parametrize(
    "example", [each for each in registration.examples if each.parts is not None], ids=lambda each: each.url[:60]
)
def test_the_content_of_the_examples_is_delivered(example) -> None:
    data = example.parts["data"]
    with access(example.url) as document:
        assert document.read() == (b64decode(data) if "base64" in example.parts else data.encode())
        assert document.terminated


@pytest.mark.parametrize(
    ("text", "media_type", "content"),
    [
        ("data:,%00%FF", "text/plain;charset=US-ASCII", b"\0\xff"),
        ("data:;charset=utf-8,", "text/plain;charset=utf-8", b""),
        ("data:;a=b;BASE64,%2b%2F%3d%3d", "text/plain;a=b", b"\xfb"),
        ("data:image/svg%2Bxml,a", "image/svg+xml", b"a"),
        ("data:text/html;a=b%3Bc%5C%22;d=%22e%3B%22;f=%22,", r'text/html;a="b;c\\\"";d="e;";f="\""', b""),
    ],
)
def test_the_media_type_is_as_mime_writes_it(text: str, media_type: str, content: bytes) -> None:
    with access(text) as document:
        assert (document.media_type, document.read()) == (media_type, content)


@pytest.mark.parametrize(
    ("text", "part", "position", "message"),
    [
        ("data:;base64,YQ=", "data", 16, "base64 ends too early"),
        ("data:;base64,YQ===", "data", 17, "invalid octet 0x3D in base64"),
        ("data:;base64,%59Q%2D=", "data", 17, "invalid octet 0x2D in base64"),
        ("data:;base64,YQ==%0A", "data", 17, "invalid octet 0x0A in base64"),
        ("data:a%2Fb/c,", "type", 5, "'a/b' is not a token"),
        ("data:a/%C3%A9,", "subtype", 7, "is not a token"),
        ("data:a/b;c%3D=d,", "parameters", 8, "'c=' is not a token"),
        ("data:a/b;c=%FF,", "parameters", 8, "not printable US-ASCII"),
        ("data:a/b;c=%0D%0A,", "parameters", 8, "control octet 0D"),
    ],
)
def test_what_has_no_content_or_media_type_is_refused(text: str, part: str, position: int, message: str) -> None:
    with pytest.raises(UnsafeURL, match=message) as refused:
        access(text)
    assert (refused.value.part, refused.value.position) == (part, position)


def test_the_policy_holds() -> None:
    with pytest.raises(LimitExceeded), access("data:,abcd", Policy(limits=Limits(content=3))) as document:
        document.read()
    with pytest.raises(PolicyDenied) as denied:
        access("data:,a", Policy(schemes={"https"}))
    assert denied.value.rule == "schemes"


def test_a_gateway_leads_from_or_to_a_data_url() -> None:
    with http_server(handler=lambda request: HttpResponse(200, request.target.encode())) as server:
        for url, template in (("data:,a", f"http://{server}/{{url}}"), ("x-nobody:a", "data:,/{url}")):
            gateways = {url.partition(":")[0]: template}
            client = Client(registry=registry, policy=Policy.interactive(), gateways=gateways)
            assert unquote(content_of(url, client).decode()) == f"/{url}"
