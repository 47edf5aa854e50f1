"""Logins from a netrc file: which hosts get them, and files that are not used."""

from __future__ import annotations

import os
import subprocess
import sys
import traceback
from pathlib import Path

import pytest

from urlschemes import __version__
from urlschemes.errors import ConfigurationError, PluginError
from urlschemes_access import Client, Credentials, Policy
from urlschemes_access.errors import AuthRequired
from urlschemes_access.protocol import Authenticate
from urlschemes_netrc import urlschemes_credentials as credentials
from urlschemes_servers import FtpUser, ftp_server, http_server, make_certificates
from urlschemes_servers.http import HttpRequest, HttpResponse, redirect

HERE = Policy.interactive()
SECRET = "seCret-tok3n"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the owner of a file is not checked there")


@pytest.fixture
def file(tmp_path, monkeypatch) -> Path:
    """The netrc file of this test, which is empty."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("NETRC", raising=False)
    path = tmp_path / ".netrc"
    path.touch(mode=0o600)
    return path


def credentials_for(host: str, user: str | None = None, port: int = 21) -> Credentials | None:
    return credentials(Authenticate(host, port, user=user))


# Hosts


@pytest.mark.parametrize(
    ("host", "user", "given"),
    [
        ("host.example", None, Credentials("me", SECRET)),
        ("host.example", "me", Credentials("me", SECRET)),
        ("host.example", "you", None),
        ("HOST.example", None, Credentials("me", SECRET)),
        ("other.example", None, Credentials("they", "theirs")),
        ("sub.host.example", None, None),
        ("host.example.evil.example", None, None),
        ("[2001:db8:0::1]", None, Credentials("we", "ours")),
        ("[2001:db8::2]", None, Credentials("we", "ours")),
        ("[2001:db8::]", None, None),
        ("[host.example]", None, None),
        ("ost.example", None, None),
        ("host.example.", None, Credentials("me", SECRET)),
        ("host.example..", None, None),
        ("host.example@evil.example", None, None),
        ("host.example:21", None, None),
        ("default", None, None),
        ("macdef", None, None),
        ("", None, None),
        ("nologin.example", None, None),
        ("nologin.example", "me", None),
    ],
)
def test_an_entry_is_for_its_host_alone(file, host, user, given):
    file.write_text(
        f"machine host.example login me password {SECRET}\n"
        "machine Other.Example\n\tlogin they\n\tpassword theirs\n\n"
        f"machine nologin.example password {SECRET}\n"
        "machine 2001:DB8::1 login we password ours\nmachine [2001:db8::2] login we password ours\n"
        "macdef init\nmachine evil.example login me password x\n\n"
    )
    assert credentials_for(host, user) == given
    assert credentials_for(host, user, port=2121) == given  # the file does not distinguish ports
    assert credentials_for("evil.example") is None  # it is in a macro


def test_the_default_entry_is_used_for_anonymous_only(file):
    file.write_text(f"default login me password {SECRET}\n")
    assert credentials_for("any.example") is None
    file.write_text("default login anonymous password me@host.example\n")
    assert credentials_for("any.example") == Credentials("anonymous", "me@host.example")
    assert credentials_for("any.example", "me") is None


def test_a_file_named_by_the_variable_must_exist(file, monkeypatch, tmp_path):
    assert credentials_for("host.example") is None
    file.unlink()
    assert credentials_for("host.example") is None
    other = tmp_path / "other"
    other.write_text(f"machine host.example login me password {SECRET}\n")
    other.chmod(0o600)
    monkeypatch.setenv("NETRC", str(other))
    assert credentials_for("host.example") == Credentials("me", SECRET)
    other.unlink()
    with pytest.raises(ConfigurationError, match="cannot be used: No such file"):  # it was named
        credentials_for("host.example")


# Files that cannot be used


@pytest.mark.parametrize(
    ("octets", "message"),
    [
        (f"machine host.example login me\n{SECRET}\n".encode(), "is malformed in line 3, or just before it"),
        (f"machine host.example password {SECRET} unknown {SECRET}".encode(), "is malformed in line 1"),
        (f"{SECRET}".encode(), "is malformed in line 1"),
        (b"machine", "is malformed in line "),
        (b"# " + b"x" * (1024 * 1024), "is longer than 1048576 octets"),
    ],
)
def test_an_unusable_file_is_an_error_that_shows_no_content(file, octets, message):
    file.write_bytes(octets)
    with pytest.raises(ConfigurationError, match=message) as caught:
        credentials_for("host.example")
    assert caught.value.source == str(file)
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o660, 0o644])
def test_a_file_that_others_can_read_is_not_used(file, mode):
    file.write_text(f"machine host.example login me password {SECRET}\n")
    file.chmod(mode)
    with pytest.raises(ConfigurationError, match="cannot be used: other users can read it"):
        credentials_for("host.example")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user_is_not_used_by_root_either(file):  # as with sudo, where HOME stays the user's
    file.write_text(f"machine host.example login me password {SECRET}\n")
    os.chown(file, 12345, -1)
    with pytest.raises(ConfigurationError, match="cannot be used: it belongs to another user"):
        credentials_for("host.example")


# With servers on this machine


def test_a_login_for_an_ftp_server(file, tmp_path):
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "notes").write_bytes(b"content")
    file.write_text(f"machine 127.0.0.1 login me password {SECRET}\n")
    client = Client(policy=HERE)
    with ftp_server(tmp_path / "files", {"me": FtpUser(SECRET)}, anonymous=False) as server:
        url = f"ftp://me@{server}/notes"
        with pytest.raises(AuthRequired):  # without credentials_from_hooks
            client.access(url)
        with client.access(url, credentials=client.credentials_from_hooks) as document:
            assert document.read() == b"content"
        with pytest.raises(AuthRequired):
            client.access(f"ftp://you@{server}/", credentials=client.credentials_from_hooks)


def refuse(_: HttpRequest) -> HttpResponse:
    return HttpResponse(401, headers=[("WWW-Authenticate", 'Basic realm="r"')])


def test_a_redirect_to_another_host_gets_no_login(file):  # as in CVE-2024-47081, CVE-2024-11053
    file.write_text(f"machine localhost login me password {SECRET}\n")
    certificates = make_certificates()
    client = Client(policy=HERE, ssl_context=certificates.client())

    def redirect_after_login(request: HttpRequest) -> HttpResponse:
        return redirect(f"https://{other}/") if "Authorization" in request.headers else refuse(request)

    with (
        http_server(handler=refuse, tls=certificates.server) as other,
        http_server(handler=redirect_after_login, tls=certificates.server) as server,
    ):
        with pytest.raises(AuthRequired, match=r"127\.0\.0\.1 requires a user name and a password"):
            client.access(f"https://localhost:{server.port}/", credentials=client.credentials_from_hooks)
        assert "Authorization" in server.requests[-1].headers
        assert [each for each in other.requests if "Authorization" in each.headers] == []
        assert len(other.requests) == 1


def test_a_user_name_that_looks_like_a_host_gets_no_login_of_that_host(file):  # as in CVE-2024-47081
    file.write_text(f"machine localhost login me password {SECRET}\n")
    client = Client(policy=HERE)
    seen = []

    def recorded(request: Authenticate) -> Credentials | None:
        seen.append((request.host, client.credentials_from_hooks(request)))
        return seen[-1][1]

    with ftp_server(file.parent, {"me": FtpUser(SECRET)}, anonymous=False) as server, pytest.raises(AuthRequired):
        client.access(f"ftp://localhost%3A21@{server}/", credentials=recorded)
    assert seen == [("127.0.0.1", None)]


def test_a_malformed_file_fails_the_access_that_needs_it_and_no_other(file, tmp_path):
    (tmp_path / "notes").write_bytes(b"content")
    file.write_text(f"machine 127.0.0.1 login me password {SECRET} {SECRET}\n")
    client = Client(policy=HERE)
    with ftp_server(tmp_path, {"me": FtpUser(SECRET)}) as server:
        with pytest.raises(PluginError) as caught:
            client.access(f"ftp://me@{server}/notes", credentials=client.credentials_from_hooks)
        assert str(caught.value) == (
            f"the hook urlschemes_credentials of urlschemes-netrc {__version__} failed: "
            f"the netrc file {file} is malformed in line 2, or just before it"
        )
        assert SECRET not in "".join(traceback.format_exception(caught.value))
        with client.access(f"ftp://{server}/notes") as document:
            assert document.read() == b"content"


def test_the_command_uses_the_file_with_its_option(file, tmp_path):
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "notes").write_bytes(b"content")
    file.write_text(f"machine 127.0.0.1 login me password {SECRET}\n")
    with ftp_server(tmp_path / "files", {"me": FtpUser(SECRET)}, anonymous=False) as server:

        def run(*words: str) -> subprocess.CompletedProcess[str]:
            command = [sys.executable, "-m", "urlschemes_cli", "access", *words, f"ftp://me@{server}/notes"]
            return subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=60, stdin=subprocess.DEVNULL
            )

        without, with_option = run(f"--allow-port={server.port}"), run("--plugin-credentials", "-v")
    assert (without.returncode, without.stdout) == (3, "")
    assert (with_option.returncode, with_option.stdout) == (0, "content")
    assert SECRET not in with_option.stderr
