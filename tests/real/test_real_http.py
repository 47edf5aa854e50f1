"""http and https with nginx: the requests, responses and uploads, octet by octet."""

import http.client
import random
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import trustme
from opening import HERE
from real_servers import HAS_IPV6, free_port, greets, program, stop, wait

import urlschemes
import urlschemes_access
from urlschemes_access import Credentials, Document, Policy
from urlschemes_access.errors import AuthRequired, PolicyDenied, RedirectRefused, RemoteError, TLSError, Truncated
from urlschemes_access.protocol import Authenticate
from urlschemes_access.protocol.ranges import Range
from urlschemes_http import HttpURL
from urlschemes_https import HttpsURL

pytestmark = pytest.mark.real_server

CONFIGURATION = """
daemon off; master_process off; worker_processes 1; pid nginx.pid; error_log stderr warn;
events {{ worker_connections 64; }}
http {{
  access_log off; default_type application/octet-stream;
  types {{ text/html html; text/plain txt; }}
  client_body_temp_path b; proxy_temp_path p; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
  large_client_header_buffers 4 128k;
  server {{
    listen 127.0.0.1:{clear};
    listen 127.0.0.1:{tls} ssl;
    {ipv6}
    ssl_certificate {certificate}; ssl_certificate_key {certificate};
    root {root};
    merge_slashes off;
    location / {{ }}
    location /echo {{ default_type "text/plain; charset=utf-8"; return 200 "$request_method $request_uri $http_host"; }}
    location /headers {{ return 200 "$http_accept_encoding|$http_connection|$http_user_agent|$http_accept"; }}
    location = /relative {{ absolute_redirect off; return 301 /text.txt; }}
    location = /absolute {{ return 302 /text.txt; }}
    location = /unclean {{ return 302 /echo~x?next=/y#z; }}
    location = /loop {{ return 307 /loop; }}
    location = /to-tls {{ return 308 https://127.0.0.1:{tls}/text.txt; }}
    location = /to-clear {{ return 308 http://127.0.0.1:{clear}/text.txt; }}
    location = /to-gopher {{ return 302 gopher://127.0.0.1:70/; }}
    location = /gone {{ return 410; }}
    location = /busy {{ add_header Retry-After 7 always; return 503; }}
    location = /nothing {{ return 204; }}
    location /store/ {{ dav_methods PUT DELETE; client_max_body_size 8m; alias {root}/store/; }}
    location /locked/ {{
      dav_methods PUT DELETE; auth_basic "the store"; auth_basic_user_file {passwords}; alias {root}/store/;
    }}
    location /vault/ {{ auth_basic "the vault"; auth_basic_user_file {passwords}; alias {root}/; }}
    location /chunked/ {{ ssi on; ssi_types *; alias {root}/; }}
    location /closed/ {{ ssi on; ssi_types *; chunked_transfer_encoding off; alias {root}/; }}
  }}
}}
"""

SIZES = (0, 1, 1000, 16384, 65535, 65536, 65537, 1_000_003, 5 * 2**20)


@dataclass
class Server:
    clear: int
    tls: int
    root: Path

    def http(self, rest: str) -> HttpURL:
        return HttpURL.parse(f"http://127.0.0.1:{self.clear}{rest}")

    def https(self, rest: str) -> HttpsURL:
        return HttpsURL.parse(f"https://127.0.0.1:{self.tls}{rest}")


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def nginx(tmp_path_factory: pytest.TempPathFactory, authority: trustme.CA) -> Iterator[Server]:
    executable = program("nginx", package="nginx-light")
    prefix = tmp_path_factory.mktemp("nginx")
    certificate = prefix / "certificate.pem"
    authority.issue_cert("127.0.0.1", "::1", "localhost").private_key_and_cert_chain_pem.write_to_path(certificate)
    root = prefix / "root"
    (root / "store").mkdir(parents=True)
    (root / "store" / "folder").mkdir()
    octets = random.Random(1738)
    for size in SIZES:
        # SSI looks for `<!--#`, which must not be in there by chance.
        (root / f"{size}.bin").write_bytes(octets.randbytes(size).replace(b"<", b">"))
    (root / "text.txt").write_text("Grüße\n", "utf-8")
    (root / "odd;name=1 &~.txt").write_text("odd", "ascii")
    (prefix / "passwords").write_text("joe:{PLAIN}secret\n", "ascii")
    clear, tls = free_port(), free_port()
    places = {"root": root, "certificate": certificate, "passwords": prefix / "passwords"}
    ipv6 = f"listen [::1]:{clear}; listen [::1]:{tls} ssl;" if HAS_IPV6 else ""
    (prefix / "nginx.conf").write_text(CONFIGURATION.format(clear=clear, tls=tls, ipv6=ipv6, **places))
    with (prefix / "stderr").open("wb") as stderr:
        process = subprocess.Popen([executable, "-p", f"{prefix}/", "-c", f"{prefix}/nginx.conf"], stderr=stderr)
    try:
        wait("nginx", lambda: greets(clear, b""), process, prefix / "stderr")
        yield Server(clear, tls, root)
    finally:
        stop(process)


def opened(url: HttpURL, *, policy: Policy, **how: Any) -> Document:
    return urlschemes_access.open_document(url, policy=policy, **how)


@pytest.fixture(scope="module")
def trust(authority: trustme.CA) -> ssl.SSLContext:
    return ssl.create_default_context(cadata=authority.cert_pem.bytes().decode("ascii"))


TARGETS = [
    "/echo",
    "/echo/a%2fb%2Fc/%7e%7E/%41",
    "/echo//b/./../%2e%2e/c",
    "/echo/;p=1:@&=+$-_.!*'(),",
    "/echo?",
    "/echo/x?q=%3f&%2F=%00;a=:@",
    "/echo/%0d%0aX-Injected:%201",
    "/echo/" + "long/" * 10_000,
]


@pytest.mark.parametrize("target", TARGETS)
def test_request_target_arrives_as_the_url_writes_it(nginx: Server, target: str) -> None:
    with opened(nginx.http(target), policy=HERE) as document:
        assert document.read_text() == f"GET {target} 127.0.0.1:{nginx.clear}"
        assert document.media_type == "text/plain; charset=utf-8"


def test_what_the_request_says_of_us(nginx: Server) -> None:
    with opened(nginx.http("/headers"), policy=HERE) as document:
        assert document.read_text() == f"identity|close|urlschemes/{urlschemes.__version__}|*/*"


@pytest.mark.parametrize("folder", ["", "/chunked", "/closed"])
@pytest.mark.parametrize("size", SIZES)
def test_content_is_the_same_as_by_http_client(nginx: Server, folder: str, size: int) -> None:
    written = (nginx.root / f"{size}.bin").read_bytes()
    other = http.client.HTTPConnection("127.0.0.1", nginx.clear, timeout=10)
    other.request("GET", f"{folder}/{size}.bin")
    by_http_client = other.getresponse().read()
    other.close()
    with opened(nginx.http(f"{folder}/{size}.bin"), policy=HERE) as document:
        framing = document.attributes.fields[":framing"]
        octets = document.read()
    assert octets == by_http_client == written
    if size:
        assert framing == {"": "length", "/chunked": "chunked", "/closed": "close"}[folder]
    assert document.terminated


def test_name_with_odd_characters(nginx: Server) -> None:
    url = HttpURL(host="127.0.0.1", port=nginx.clear, path="odd;name=1 &~.txt")
    with opened(url, policy=HERE) as document:
        assert document.read() == b"odd"


@pytest.mark.parametrize("start", ["/relative", "/absolute", "/to-tls"])
def test_redirect(nginx: Server, trust: ssl.SSLContext, start: str) -> None:
    with opened(nginx.http(start), policy=HERE, ssl_context=trust) as document:
        assert document.read_text() == "Grüße\n"
        assert document.url == (nginx.https if start == "/to-tls" else nginx.http)("/text.txt")


def test_redirect_to_what_is_no_url_by_rfc_1738_is_repaired_where_one_repair_is_right(nginx: Server) -> None:
    with opened(nginx.http("/unclean"), policy=HERE) as document:
        assert document.read_text().startswith("GET /echo%7Ex?next=%2Fy ")


@pytest.mark.parametrize(("start", "reason"), [("/loop", "hops"), ("/to-gopher", "scheme")])
def test_redirect_that_is_refused(nginx: Server, start: str, reason: str) -> None:
    with pytest.raises(RedirectRefused) as refused:
        urlschemes_access.access(nginx.http(start), policy=HERE)
    assert refused.value.reason == reason


def test_redirect_out_of_tls_is_refused(nginx: Server, trust: ssl.SSLContext) -> None:
    with pytest.raises(RedirectRefused):
        urlschemes_access.access(nginx.https("/to-clear"), policy=HERE, ssl_context=trust)


@pytest.mark.parametrize(
    ("target", "status", "text", "temporary"),
    [
        ("/missing", 404, "Not Found", False),
        ("/gone", 410, "Gone", False),
        ("/busy", 503, "Service Temporarily Unavailable", True),
    ],
)
def test_refusal(nginx: Server, target: str, status: int, text: str, temporary: bool) -> None:
    with pytest.raises(RemoteError) as refused:
        urlschemes_access.access(nginx.http(target), policy=HERE)
    assert (refused.value.status, refused.value.text, refused.value.temporary) == (status, text, temporary)


def test_no_content(nginx: Server) -> None:
    with opened(nginx.http("/nothing"), policy=HERE) as document:
        assert document.read() == b""


def test_attributes_by_head(nginx: Server) -> None:
    attributes = urlschemes_access.find_attributes(nginx.http("/absolute"), policy=HERE)
    status = (nginx.root / "text.txt").stat()
    assert attributes.media_type == "text/plain"
    assert attributes.size == status.st_size
    assert attributes.modified is not None
    assert attributes.modified.timestamp() == int(status.st_mtime)
    assert attributes.fields["server"].startswith("nginx/")


def test_https_and_a_login(nginx: Server, trust: ssl.SSLContext) -> None:
    url = nginx.https("/vault/text.txt")
    asked = []

    def login(question: Authenticate) -> Credentials:
        asked.append((question.host, question.port, question.realm))
        return Credentials("joe", "secret")

    with opened(url, policy=HERE, ssl_context=trust, credentials=login) as document:
        assert document.read_text() == "Grüße\n"
    assert asked == [("127.0.0.1", nginx.tls, "the vault")]
    with pytest.raises(AuthRequired):
        urlschemes_access.access(url, policy=HERE, ssl_context=trust)
    with opened(nginx.http("/vault/text.txt"), policy=HERE, credentials=login) as document:
        assert document.read_text() == "Grüße\n"


def test_https_without_trust_in_the_authority(nginx: Server) -> None:
    with pytest.raises(TLSError):
        urlschemes_access.access(nginx.https("/text.txt"), policy=HERE)


def test_http_on_the_port_of_tls_is_a_refusal_of_the_server(nginx: Server) -> None:
    with pytest.raises(RemoteError) as refused:
        urlschemes_access.access(HttpURL.parse(f"http://127.0.0.1:{nginx.tls}/"), policy=HERE)
    assert refused.value.status == 400
    assert "The plain HTTP request was sent to HTTPS port" in str(refused.value)


# --- Writing ----------------------------------------------------------------------------------------------------------

NAMES = ["plain.bin", "a%20b;c=1&%7E.bin", "per%25cent", "gr%C3%BC%C3%9Fe"]


def on_disk(nginx: Server, name: str) -> Path:
    return nginx.root / "store" / unquote(name)


def read_by_http_client(nginx: Server, target: str) -> bytes:
    """Return the content that http.client reads."""
    with closing(http.client.HTTPConnection("127.0.0.1", nginx.clear, timeout=10)) as other:
        other.request("GET", target)
        return other.getresponse().read()


def put_by_http_client(nginx: Server, target: str, content: bytes) -> int:
    with closing(http.client.HTTPConnection("127.0.0.1", nginx.clear, timeout=10)) as other:
        other.request("PUT", target, content)
        return other.getresponse().status


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("piece", [None, 60_001], ids=["whole", "in pieces"])
def test_what_is_put_is_what_http_client_puts_and_gets(nginx: Server, size: int, piece: int | None) -> None:
    content = (nginx.root / f"{size}.bin").read_bytes()
    pieces = content if piece is None else [content[at : at + piece] for at in range(0, size, piece)]
    made = urlschemes_access.replace(nginx.http("/store/ours"), pieces, policy=HERE)
    assert made.fields[":status"] == "201 Created"
    assert put_by_http_client(nginx, "/store/theirs", content) == 201
    assert on_disk(nginx, "ours").read_bytes() == on_disk(nginx, "theirs").read_bytes() == content
    assert read_by_http_client(nginx, "/store/ours") == content
    assert urlschemes_access.replace(nginx.http("/store/ours"), b"x", policy=HERE).fields[":status"] == "204 No Content"
    assert on_disk(nginx, "ours").read_bytes() == b"x"
    for name in ("ours", "theirs"):
        assert urlschemes_access.delete(nginx.http(f"/store/{name}"), policy=HERE).fields[":status"] == "204 No Content"
        assert not on_disk(nginx, name).exists()


@pytest.mark.parametrize("name", NAMES)
def test_curl_stores_under_the_same_urls(nginx: Server, name: str, tmp_path: Path) -> None:
    curl = program("curl")
    (tmp_path / "content").write_bytes(b"by curl")
    url = nginx.http(f"/store/{name}")
    urlschemes_access.replace(url, b"by us", policy=HERE)
    assert [each.name for each in (nginx.root / "store").iterdir() if each.is_file()] == [unquote(name)]
    command = [curl, "--silent", "--show-error", "--fail", "--globoff", "--noproxy", "*", "--max-time", "20", str(url)]
    subprocess.run([*command, "--upload-file", str(tmp_path / "content")], check=True, timeout=30)
    assert on_disk(nginx, name).read_bytes() == b"by curl"
    with opened(url, policy=HERE) as document:
        assert document.read() == b"by curl"
    subprocess.run([*command, "--request", "DELETE"], check=True, timeout=30)
    assert [each for each in (nginx.root / "store").iterdir() if each.is_file()] == []


def test_what_nginx_refuses_to_write(nginx: Server) -> None:
    for operation, target, status in (
        ("replace", "/plain", 405),
        ("delete", "/text.txt", 405),
        ("replace", "/store/folder/", 409),
        ("replace", "/store/missing/a", 500),  # what nginx says where the folder is missing
        ("delete", "/store/missing", 404),
        ("delete", "/store/folder", 409),
    ):
        with pytest.raises(RemoteError) as refused:
            urlschemes_access.operate(
                operation, nginx.http(target), None if operation == "delete" else b"x", policy=HERE
            )
        assert refused.value.status == status
    for target in ("/relative", "/to-tls"):
        with pytest.raises(RedirectRefused) as moved:
            urlschemes_access.replace(nginx.http(target), b"x", policy=HERE)
        assert moved.value.reason == "writing"
    assert (nginx.root / "text.txt").read_text("utf-8") == "Grüße\n"


def test_too_much_is_refused_before_it_is_sent_or_while_it_is(nginx: Server) -> None:
    with pytest.raises(RemoteError) as refused:
        urlschemes_access.replace(nginx.http("/store/large"), bytes(9 * 2**20), policy=HERE)
    assert (refused.value.status, refused.value.sent) == (413, None)
    with pytest.raises((RemoteError, Truncated)) as cut:
        urlschemes_access.replace(nginx.http("/store/large"), (bytes(2**20) for _ in range(64)), policy=HERE)
    assert cut.value.sent
    assert cut.value.sent < 64 * 2**20
    assert not on_disk(nginx, "large").exists()


def test_writing_with_a_login_over_tls(nginx: Server, trust: ssl.SSLContext) -> None:
    url = nginx.https("/locked/a")

    def login(_: Authenticate) -> Credentials:
        return Credentials("joe", "secret")

    urlschemes_access.replace(url, b"for joe", policy=HERE, ssl_context=trust, credentials=login)
    assert on_disk(nginx, "a").read_bytes() == b"for joe"
    for operation, content in (("replace", b"x"), ("delete", None)):
        with pytest.raises(AuthRequired) as refused:
            urlschemes_access.operate(operation, url, content, policy=HERE, ssl_context=trust)
        assert refused.value.sent is None
    assert on_disk(nginx, "a").read_bytes() == b"for joe"
    urlschemes_access.delete(url, policy=HERE, ssl_context=trust, credentials=login)
    assert not on_disk(nginx, "a").exists()


def test_an_upload_that_is_given_up_leaves_nothing(nginx: Server) -> None:
    def content() -> Iterator[bytes]:
        yield b"x" * 100_000
        yield b"y" * 100_000
        raise KeyError("the caller's own")

    with pytest.raises(KeyError):
        urlschemes_access.replace(nginx.http("/store/cut"), content(), policy=HERE)
    urlschemes_access.replace(nginx.http("/store/next"), b"x", policy=HERE)
    assert not on_disk(nginx, "cut").exists()
    urlschemes_access.delete(nginx.http("/store/next"), policy=HERE)


# The profile rfc3986


@pytest.mark.skipif(not HAS_IPV6, reason="this system has no ::1")
def test_the_urls_of_today_reach_an_ipv6_address(nginx: Server, trust: ssl.SSLContext, tmp_path: Path) -> None:
    client = urlschemes_access.Client(
        registry=urlschemes.Registry(profile="rfc3986"), policy=HERE, ssl_context=trust, keep_connections=True
    )

    with client:
        for scheme, port in (("http", nginx.clear), ("https", nginx.tls)):
            base = f"{scheme}://[::1]:{port}"
            with client.open_document(f"{base}/echo/~a?b=%5B%5D#c") as document:
                assert document.read_text() == f"GET /echo/~a?b=%5B%5D [::1]:{port}"
                assert document.url.raw["fragment"] == "c"
            with client.open_document(f"{base}/relative#top") as document:
                assert document.read_text() == "Grüße\n"
                assert str(document.url) == f"{base}/text.txt#top"
            with client.open_document(f"{base}/unclean") as document:
                assert document.read_text() == f"GET /echo~x?next=/y [::1]:{port}"
                assert document.url.raw["fragment"] == "z"
            stored = client.registry.parse(f"{base}/store/six#x")
            client.replace(stored, b"octets")
            with client.open_document(stored, options={"range": Range(1, 3)}) as document:
                document.save(tmp_path / scheme)
            assert (tmp_path / scheme).read_bytes() == b"ct"
            client.delete(stored)
        with pytest.raises(PolicyDenied, match="a redirect led there"):
            client.access(f"http://[::1]:{nginx.clear}/to-tls")  # to 127.0.0.1, which was not reached before
