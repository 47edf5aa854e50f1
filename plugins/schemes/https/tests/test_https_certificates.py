"""The files that say which servers a client trusts, and who the client is; and what errors of TLS say."""

from __future__ import annotations

import asyncio
import pickle
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import trustme
from opening import content_of

from urlschemes.errors import ConfigurationError
from urlschemes_access import AsyncClient, AsyncDocument, Client, Policy
from urlschemes_access.config_file import ConfigFile
from urlschemes_access.errors import AccessError, TLSError
from urlschemes_servers import make_certificates
from urlschemes_servers.http import HttpAddress, echo, http_server
from urlschemes_testing.loopback import Loopback

HERE = Policy.interactive()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of files: `ca.pem`; `me.pem` and `me.key`, apart and in `both.pem`; and some that cannot be used."""
    folder = tmp_path_factory.mktemp("certificates")
    authority = trustme.CA()
    mine = authority.issue_cert("joe@host.dom")
    (folder / "ca.pem").write_bytes(authority.cert_pem.bytes())
    (folder / "me.pem").write_bytes(mine.cert_chain_pems[0].bytes())
    (folder / "me.key").write_bytes(mine.private_key_pem.bytes())
    (folder / "both.pem").write_bytes(mine.private_key_and_cert_chain_pem.bytes())
    (folder / "other.key").write_bytes(authority.issue_cert("ann@host.dom").private_key_pem.bytes())
    (folder / "text.pem").write_text("no certificate")
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(server)
    CONTEXTS[folder] = server
    return folder


CONTEXTS: dict[Path, ssl.SSLContext] = {}


@pytest.fixture
def server(folder: Path) -> Iterator[HttpAddress]:
    with http_server(handler=echo, tls=CONTEXTS[folder]) as server:
        yield server


@pytest.fixture(params=[ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def strict_server(folder: Path, request: pytest.FixtureRequest) -> Iterator[HttpAddress]:
    """A server that requires a client certificate."""
    authority = trustme.CA()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(folder / "ca.pem"))
    context.maximum_version = request.param
    context.verify_mode = ssl.CERT_REQUIRED
    authority.issue_cert("127.0.0.1").configure_cert(context)
    (folder / "server-ca.pem").write_bytes(authority.cert_pem.bytes())
    with http_server(handler=echo, tls=context) as server:
        yield server


def read(client: Client, url: str, **arguments: Any) -> bytes:
    return content_of(url, client, **arguments)


def test_a_server_of_an_authority_in_a_file_is_trusted(server: HttpAddress, folder: Path) -> None:
    url, cacert = f"https://{server}/a", folder / "ca.pem"
    configured = Client.from_configuration(ConfigFile({"tls": {"cacert": str(cacert)}}), policy=HERE)
    for client in (Client(policy=HERE, cacert=cacert), configured):
        assert read(client, url) == b"/a"
        assert read(pickle.loads(pickle.dumps(client)), url) == b"/a"
        with pytest.raises(TLSError):
            read(client, url, ssl_context=make_certificates().client())
    other = make_certificates().client()
    for client in (Client(policy=HERE), Client(policy=HERE, ssl_context=other)):
        assert read(client, url, cacert=str(cacert)) == b"/a"

    async def read_on_a_loop() -> bytes:
        async with AsyncClient(policy=HERE, cacert=cacert) as client, await client.access(url) as document:
            assert isinstance(document, AsyncDocument)
            return await document.read()

    assert asyncio.run(read_on_a_loop()) == b"/a"


@pytest.mark.parametrize("files", [{"cert": "both.pem"}, {"cert": "me.pem", "key": "me.key"}])
def test_a_server_may_require_a_client_certificate(
    strict_server: HttpAddress, folder: Path, files: dict[str, str]
) -> None:
    client = Client(policy=HERE, cacert=folder / "server-ca.pem")
    with pytest.raises(AccessError) as refused:
        read(client, f"https://{strict_server}/a")
    if isinstance(refused.value, TLSError):  # some systems reset the connection before the alert is read
        assert "client certificate; cert=" in str(refused.value.hint)
    assert read(client, f"https://{strict_server}/a", **{name: folder / file for name, file in files.items()}) == b"/a"


async def read_on_a_loop(client: AsyncClient, address: str) -> bytes:
    async with await client.access(f"https://{address}/") as document:
        assert isinstance(document, AsyncDocument)
        return await document.read()


@pytest.mark.parametrize("on_a_loop", [False, True])
def test_a_damaged_record_is_an_error_of_tls(server: HttpAddress, folder: Path, on_a_loop: bool) -> None:
    def damage(client: socket.socket) -> None:
        """Forward everything, the response with its octets changed."""
        with socket.create_connection((server.host, server.port)) as upstream:

            def forward_requests() -> None:
                with suppress(OSError):
                    while octets := client.recv(65536):
                        upstream.sendall(octets)

            threading.Thread(target=forward_requests, daemon=True).start()
            while octets := upstream.recv(65536):
                client.sendall(bytes(octet ^ 1 for octet in octets) if server.requests else octets)

    def access(url: str) -> object:
        if on_a_loop:
            return asyncio.run(AsyncClient(policy=HERE, cacert=folder / "ca.pem").operate("access", url))
        return Client(policy=HERE, cacert=folder / "ca.pem").access(url)

    with Loopback(damage) as proxy, pytest.raises(TLSError, match=r"TLS with 127\.0\.0\.1 failed after 0 octets"):
        access(f"https://{proxy.address}/a")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"cacert": "absent.pem"}, r"cacert: the file '.*absent.pem' cannot be used: No such file"),
        ({"cacert": "text.pem"}, "it holds no certificate in PEM form"),
        ({"cert": "text.pem"}, "it holds no certificate and private key in PEM form"),
        ({"cert": "me.pem", "key": "other.key"}, "the private key belongs to another certificate"),
    ],
)
def test_files_that_cannot_be_used_are_named(
    server: HttpAddress, folder: Path, files: dict[str, str], message: str
) -> None:
    client = Client(policy=HERE, **{name: folder / file for name, file in files.items()})  # type: ignore[arg-type]  # one setting each
    with pytest.raises(ConfigurationError, match=message):
        read(client, f"https://{server}/")
    assert server.requests == []


def test_a_private_key_that_is_encrypted_is_not_asked_for_its_password(server: HttpAddress, folder: Path) -> None:
    from cryptography.hazmat.primitives import serialization  # what trustme stands on

    key = serialization.load_pem_private_key((folder / "me.key").read_bytes(), None)
    form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.BestAvailableEncryption(b"x")
    (folder / "locked.key").write_bytes(key.private_bytes(*form))
    with pytest.raises(ConfigurationError, match="the private key is encrypted"):
        read(Client(policy=HERE, cert=folder / "me.pem", key=folder / "locked.key"), f"https://{server}/")


def test_wrong_settings_are_refused_at_once() -> None:
    with pytest.raises(TypeError, match="cacert must be the path of a file, not int"):
        Client(cacert=3)  # type: ignore[arg-type]  # the point of the test
    with pytest.raises(ConfigurationError, match="key is given without cert"):
        Client(key="me.key")
    for table, key in (({"cacert": "ca.pem"}, "tls.cacert"), ({"key": "/me.key"}, "tls.key"), ({"ca": "/x"}, "tls.ca")):
        with pytest.raises(ConfigurationError) as refused:
            Client.from_configuration(ConfigFile({"tls": table}))
        assert refused.value.key == key
