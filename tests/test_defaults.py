"""The defaults: who decides, what may be reached, what is sent, how long and how much.

The details are tested where they are decided (the tests of access and of each plugin);
here is one test for each thing that a caller relies on without asking for it, with the schemes that are installed.
"""

from __future__ import annotations

import os
import socket
import ssl
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from opening import HERE, content_of
from workspace import metadata, write

import urlschemes
import urlschemes_access
from urlschemes import Registry, UnsafeURL
from urlschemes import default_registry as REGISTRY  # noqa: N812  it does not change here
from urlschemes.errors import UnsupportedOperation
from urlschemes.url.value import LIMIT
from urlschemes_access import Client, Credentials, Entry, Limits, Policy, PolicyDenied
from urlschemes_access.backends import tls
from urlschemes_access.errors import AuthRequired, RedirectRefused, TLSError
from urlschemes_access.operations import parse_found
from urlschemes_access.protocol import LINE, TEXT_LINE, Peer
from urlschemes_access.settings import options_of
from urlschemes_cli.app import command
from urlschemes_servers import ftp_server, http_server, make_certificates, nntp_server
from urlschemes_servers.http import HttpResponse, redirect
from urlschemes_servers.nntp import Newsgroup, article
from urlschemes_testing.rogue import hears, refusing, rogue, says, stays_silent

SPECIFIED = [record for record in REGISTRY.registrations() if record.status != "experimental"]
READABLE = {"file", "ftp", "gopher", "http", "https", "news", "nntp", "prospero", "wais"}


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    (tmp_path / "notes.txt").write_bytes(b"notes")
    return tmp_path


def sent(events: list[Any]) -> bytes:
    return b"".join(each.octets for each in events if each.kind == "send")


# Who decides


def test_a_program_reaches_the_public_internet_and_a_typed_url_this_machine_too(notes: Path) -> None:
    with http_server(notes) as server:
        with pytest.raises(PolicyDenied) as refusal:
            urlschemes_access.access(f"http://{server}/notes.txt")
        assert refusal.value.rule == "networks"
        assert server.requests == []
        assert CliRunner().invoke(command, ["access", f"http://{server}/notes.txt"]).stdout == "notes"


def test_what_a_typed_url_leads_to_was_found_and_not_typed() -> None:
    with http_server(handler=redirect("http://10.1.2.3/")) as server:
        done = CliRunner().invoke(command, ["access", f"http://{server}/"])
        assert (done.exit_code, "a redirect led there" in done.stderr, "--allow" in done.stderr) == (4, True, False)


# Schemes


def test_what_can_be_read_is_read_by_access_and_nothing_else_is() -> None:
    assert {record.scheme for record in SPECIFIED if "access" in record.operations} == READABLE
    for url, verb, name in (
        ("telnet://127.0.0.1/", "open session", "session"),
        ("mailto:joe@host.dom", "send", "send"),
    ):
        with pytest.raises(UnsupportedOperation, match=f"it offers {verb}"):
            urlschemes_access.access(url, policy=HERE)
        done = CliRunner().invoke(command, ["access", url])
        assert (done.exit_code, f"`urlschemes {name} URL`" in done.stderr) == (4, True)


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_the_record_describes_each_option_of_a_scheme_and_no_other(name: str) -> None:
    scheme = REGISTRY[name]
    record = scheme.registration
    taken = {option for each in record.operations for option in options_of(scheme.algorithm(each))}
    assert {name for name, option in record.options.items() if option.description} == taken == set(record.options)


def test_no_file_is_read_or_written_until_a_folder_is_allowed(notes: Path) -> None:
    url = f"file://{notes}/notes.txt"
    for policy in (Policy.untrusted(), HERE):
        with pytest.raises(PolicyDenied) as refusal:
            content_of(url, policy=policy)
        assert refusal.value.rule == "roots"
        with pytest.raises(PolicyDenied) as refusal:
            urlschemes_access.replace(url, b"other", policy=replace(policy, roots=(str(notes),)))
        assert refusal.value.rule == "writable"
    assert content_of(url, policy=replace(HERE, roots=(str(notes),))) == b"notes"


STRANGER = """\
scheme = "x-stranger"
[syntax]
rule = "url"
bnf = 'url = "x-stranger:" *uchar'
"""


def test_a_found_url_reaches_no_third_partys_scheme_unless_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = {"x-stranger": "stranger_here"}
    write(
        tmp_path, metadata("stranger", {"urlschemes.schemes": claims}) | {"stranger_here/registration.toml": STRANGER}
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    registry = Registry()
    assert "x-stranger" in registry
    found = parse_found(registry, "x-stranger:a")
    with pytest.raises(PolicyDenied, match="a third-party plugin provides its scheme") as refusal:
        urlschemes_access.access(found, registry=registry)
    assert refusal.value.rule == "schemes"
    with pytest.raises(UnsupportedOperation):  # the scheme is for parsing only
        urlschemes_access.access(found, policy=Policy(schemes=frozenset({"x-stranger"})), registry=registry)
    with http_server(handler=redirect("x-stranger:a")) as server, pytest.raises(RedirectRefused) as refused:
        urlschemes_access.access(
            f"http://{server}/", policy=replace(HERE, schemes=frozenset({"http", "x-stranger"})), registry=registry
        )
    assert refused.value.reason == "scheme"


# Redirects


def test_redirects_lead_from_http_to_http_and_https_and_to_nothing_else() -> None:
    for profile in ("rfc1738", "rfc3986"):
        leads = {each.scheme: each.redirects for each in Registry(profile=profile).registrations() if each.redirects}
        assert leads == {
            "http": ("http", "https"),
            "https": ("https",),
            "prospero": ("prospero",),  # what FORWARDED names
        }
    for scheme in ("ftp", "gopher", "file", "telnet", "mailto", "x-foo"):
        with (
            http_server(handler=redirect(f"{scheme}://127.0.0.1/")) as server,
            pytest.raises(RedirectRefused) as refusal,
        ):
            content_of(f"http://{server}/")
        assert refusal.value.reason == "scheme"


# Ports and addresses


def test_a_scheme_reaches_its_own_ports_and_those_that_no_other_protocol_is_known_for() -> None:
    own = {record.scheme: {*record.ports, record.default_port} - {None} for record in SPECIFIED}
    assert own == {
        "file": set(),
        "ftp": {21},
        "gopher": {70},
        "http": {80},
        "https": {443},
        "mailto": {25, 465, 587},
        "news": {119},
        "nntp": {119},
        "prospero": {191, 1525},
        "telnet": {23},
        "vemmi": {575},
        "wais": {210},
    }
    for url in ("http://127.0.0.1:25/", "gopher://127.0.0.1:119/0a", "ftp://127.0.0.1:6667/a", "nntp://127.0.0.1:23/a"):
        with pytest.raises(PolicyDenied) as refusal:
            urlschemes_access.access(url, policy=HERE)
        assert refusal.value.rule == "ports"


@pytest.mark.parametrize("profile", ["rfc1738", "rfc3986"])
def test_a_scheme_that_sends_parts_of_the_url_decoded_does_not_reach_services_that_obey_lines(profile: str) -> None:
    registry = urlschemes.default_registry.in_profile(profile)
    path = {"wais": "db", "nntp": "misc.test/1", "telnet": ""}
    rules = {}
    for scheme in ("ftp", "gopher", "http", "https", "nntp", "prospero", "telnet", "wais", "x-example"):
        url = f"{scheme}://127.0.0.1:6379/{path.get(scheme, 'a')}"
        operation = "open session" if scheme == "telnet" else "access"
        with pytest.raises(PolicyDenied) as refusal:
            urlschemes_access.operate(operation, url, registry=registry)
        rules[scheme] = refusal.value.rule
    # Those of the others are checked before the address is.
    assert rules == dict.fromkeys(rules, "ports") | dict.fromkeys(("http", "https"), "networks")


@pytest.mark.parametrize("scheme", ["ftp", "gopher", "http", "https", "nntp", "prospero", "wais"])
def test_no_scheme_reaches_a_private_address_by_default(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    monkeypatch.setattr("socket.socket", lambda *arguments, **_: made.append(arguments))
    path = {"wais": "db", "nntp": "misc.test/1"}.get(scheme, "a")
    for host in ("127.0.0.1", "10.0.0.1", "169.254.169.254", "100.64.0.1", "224.0.0.1"):
        with pytest.raises(PolicyDenied) as refusal:
            urlschemes_access.access(f"{scheme}://{host}/{path}")
        assert refusal.value.rule == "networks"
    assert made == []


def test_every_address_of_a_host_must_be_allowed_and_the_name_is_asked_for_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []
    real = socket.getaddrinfo

    def two(host: Any, *arguments: Any, **named: Any) -> Any:
        asked.append(host)
        return [*real("127.0.0.1", *arguments, **named), *real("8.8.8.8", *arguments, **named)]

    monkeypatch.setattr("socket.getaddrinfo", two)
    with pytest.raises(PolicyDenied) as refusal:
        urlschemes_access.access("http://two.example/")
    assert (refusal.value.rule, asked) == ("networks", [b"two.example"])
    for host in ("0177.0.0.1", "127.1", "2130706433", "0x7f.1"):
        with pytest.raises((UnsafeURL, urlschemes.InvalidURL)):
            urlschemes_access.access(f"http://{host}/", policy=HERE)
    assert len(asked) == 1


def test_ftp_data_comes_by_epsv_and_never_by_port(notes: Path) -> None:
    events: list[Any] = []
    with ftp_server(notes) as server:
        assert content_of(f"ftp://{server}/notes.txt", trace=events.append) == b"notes"
    said = sent(events)
    assert b"EPSV" in said
    assert b"PORT" not in said
    assert b"EPRT" not in said


# Credentials and the environment


def test_credentials_come_from_the_url_or_the_caller_and_from_nowhere_else(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / ".netrc").write_text("machine 127.0.0.1 login joe password opensesame\n")
    (home / ".netrc").chmod(0o600)
    for name, value in {"HOME": str(home), "NETRC": str(home / ".netrc"), "USER": "joe", "LOGNAME": "joe"}.items():
        monkeypatch.setenv(name, value)
    with rogue(says("220 hello"), hears(), says("331 password"), hears(), says("530 no")) as server:
        with pytest.raises(AuthRequired):
            content_of(f"ftp://{server}/notes.txt")
        assert server.heard == [b"USER anonymous\r\nPASS anonymous@example.com\r\n"]
    wanted = HttpResponse(401, b"", [("WWW-Authenticate", 'Basic realm="a"')])
    with http_server(handler=wanted) as http:
        with pytest.raises(AuthRequired):
            content_of(f"http://{http}/")
        assert all("authorization" not in each.headers for each in http.requests)


def test_no_password_that_is_asked_for_goes_out_in_clear_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Peer, "is_loopback", False)  # http may send one to a loopback address

    def give(_: Any) -> Credentials:
        return Credentials("joe", "opensesame")

    wanted = HttpResponse(401, b"", [("WWW-Authenticate", 'Basic realm="a"')])
    with http_server(handler=wanted) as http:
        with pytest.raises(AuthRequired, match="in clear text"):
            content_of(f"http://{http}/", credentials=give)
        assert len(http.requests) == 1
    groups = {"misc.test": Newsgroup([article("Hello", "First.")])}
    events: list[Any] = []
    with nntp_server(groups, users={"joe": "opensesame"}) as (host, port):
        with pytest.raises(AuthRequired):
            urlschemes_access.access(
                f"nntp://{host}:{port}/misc.test/1", policy=HERE, credentials=give, trace=events.append
            )
        assert b"AUTHINFO" not in sent(events)
        allowed = {"allow_cleartext": True}
        assert b"First." in content_of(f"nntp://{host}:{port}/misc.test/1", credentials=give, options=allowed)


def test_the_environment_leads_nowhere_unless_it_is_trusted(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = tmp_path / "keys.log"
    groups = {"misc.test": Newsgroup([article("Hello", "First.", message_id="1@host.dom")])}
    certificates = make_certificates()
    with (
        refusing() as nobody,
        http_server(notes) as http,
        http_server(notes, tls=certificates.server) as https,
        nntp_server(groups) as (host, port),
    ):
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY", "ftp_proxy", "gopher_proxy"):
            monkeypatch.setenv(name, f"http://{nobody}/")
        monkeypatch.setenv("URLSCHEMES_GATEWAYS", f"http=ftp://{nobody}/{{url}}")
        monkeypatch.setenv("SSLKEYLOGFILE", str(keys))
        monkeypatch.setenv("NNTPSERVER", f"{host}:{port}")
        assert content_of(f"http://{http}/notes.txt") == b"notes"
        tls._context.cache_clear()
        with pytest.raises(TLSError):
            content_of(f"https://{https}/notes.txt")
        assert not keys.exists()
        with pytest.raises(UnsupportedOperation, match="and a trusted NNTPSERVER"):
            content_of("news:1@host.dom")
        monkeypatch.delenv("URLSCHEMES_GATEWAYS")
        trusting = Client.from_configuration(trust_env=True, policy=HERE)
        with trusting.access("news:1@host.dom") as document:
            assert b"First." in document.read()  # type: ignore[union-attr]
        done = CliRunner().invoke(command, ["access", "-v", "news:1@host.dom"])
        assert "First." in done.stdout
        assert f"* option server is {host}:{port}, from the environment variable NNTPSERVER" in done.stderr


def test_tls_is_verified_and_1_2_at_least(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys"))
    tls._context.cache_clear()
    context = tls.TLSFiles().context()
    assert context.verify_mode == ssl.CERT_REQUIRED
    assert context.check_hostname
    assert context.minimum_version >= ssl.TLSVersion.TLSv1_2
    assert not context.keylog_filename
    assert tls.TLSFiles().context() is context


# How long and how much


def test_the_limits_are_these() -> None:
    assert Limits() == Limits(
        deadline=None,
        resolve=10,
        connect=10,
        first_octet=20,
        idle=60,
        lowest_rate=1024,
        rate_window=30,
        content=64 * 1024 * 1024,
        entries=100_000,
        hops=5,
        connections=16,
        datagrams=1024,
    )
    assert (LIMIT, LINE, TEXT_LINE) == (64 * 1024, 8 * 1024, 64 * 1024)


# Output, files, mail, logs


def test_a_name_that_a_server_gives_becomes_no_local_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    named = HttpResponse(200, b"x", [("Content-Disposition", 'attachment; filename="../evil"')])
    with http_server(handler=named) as server:
        assert CliRunner().invoke(command, ["access", f"http://{server}/evil"]).stdout == "x"
        assert CliRunner().invoke(command, ["access", "-o", str(tmp_path), f"http://{server}/evil"]).exit_code == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="this system has no /proc")  # noqa: PTH112
def test_a_file_is_one_of_this_machine_and_none_of_the_systems() -> None:
    everything = replace(HERE, roots=("/",), writable=("/",))
    for path in ("/proc/self/environ", "/dev/null", "/sys/kernel/notes"):
        with pytest.raises(PolicyDenied):
            content_of(f"file://{path}", policy=everything)
        with pytest.raises(PolicyDenied):
            urlschemes_access.replace(f"file://{path}", b"", policy=everything)
    with pytest.raises((UnsafeURL, PolicyDenied, UnsupportedOperation)):
        content_of("file://other.example/etc/hosts", policy=everything)


def test_mail_is_sent_to_one_recipient_once_it_was_confirmed() -> None:
    from urlschemes_mailto import compose, send

    message = compose("mailto:joe@host.dom", subject="a", body="b", sender="ann@host.dom")
    with rogue(stays_silent()) as server:
        for confirm in (None, lambda _: False):
            with pytest.raises(PolicyDenied) as refusal:
                send(message, relay=str(server), confirm=confirm, policy=HERE)
            assert refusal.value.rule == "confirm"
        two = EmailMessage()
        two["From"], two["To"] = "ann@host.dom", "joe@host.dom, jim@host.dom"
        two.set_content("b")
        with pytest.raises(urlschemes.URLError):
            send(two, relay=str(server), confirm=True, policy=HERE)
        assert server.visits == []


def test_no_password_is_printed_of_a_url() -> None:
    url = urlschemes.parse("ftp://joe:opensesame@host.dom/a")
    entry = Entry(name="a", url=str(url))
    with pytest.raises(PolicyDenied) as refusal:
        urlschemes_access.access("ftp://joe:opensesame@host.dom:25/a")
    for shown in (repr(url), url.redacted(), repr(entry), str(refusal.value), repr(refusal.value)):
        assert "opensesame" not in shown
