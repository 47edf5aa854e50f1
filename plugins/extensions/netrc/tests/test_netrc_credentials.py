"""Logins from a netrc file: whom they are given to, and whom never."""

from __future__ import annotations

import os
import traceback
from pathlib import Path

import pytest

import urlschemes
import urlschemes_access
from urlschemes import Registry
from urlschemes.errors import ConfigurationError, PluginError
from urlschemes_access import Credentials, Policy
from urlschemes_access.errors import AuthRequired
from urlschemes_access.protocol import Authenticate
from urlschemes_netrc import urlschemes_credentials as credentials
from urlschemes_servers import FtpUser, ftp_server, http_server, make_certificates
from urlschemes_servers.http import HttpRequest, HttpResponse, redirect

HERE = Policy.interactive()
SECRET = "seCret-tok3n"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="whose a file is cannot be told there")


@pytest.fixture
def file(tmp_path, monkeypatch) -> Path:
    """The netrc file of this test, which is empty."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("NETRC", raising=False)
    path = tmp_path / ".netrc"
    path.touch(mode=0o600)
    return path


def asked(host: str, user: str | None = None, port: int = 21) -> Credentials | None:
    return credentials(Authenticate(host, port, user=user))


# Whom an entry is for


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
        ("ost.example", None, None),
        ("host.example.", None, None),
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
        "macdef init\nmachine evil.example login me password x\n\n"
    )
    assert asked(host, user) == given
    assert asked(host, user, port=2121) == given  # the file cannot tell ports apart
    assert asked("evil.example") is None  # it stands in a macro


def test_the_default_entry_gives_no_secret_to_anybody(file):
    file.write_text(f"default login me password {SECRET}\n")
    assert asked("any.example") is None
    file.write_text("default login anonymous password me@host.example\n")
    assert asked("any.example") == Credentials("anonymous", "me@host.example")
    assert asked("any.example", "me") is None


def test_without_a_file_nothing_is_known(file, monkeypatch, tmp_path):
    assert asked("host.example") is None
    file.unlink()
    assert asked("host.example") is None
    other = tmp_path / "other"
    other.write_text(f"machine host.example login me password {SECRET}\n")
    other.chmod(0o600)
    monkeypatch.setenv("NETRC", str(other))
    assert asked("host.example") == Credentials("me", SECRET)
    other.unlink()
    with pytest.raises(ConfigurationError, match="cannot be used: No such file"):  # it was named, so it is meant
        asked("host.example")


# Files that cannot be used


@pytest.mark.parametrize(
    ("octets", "says"),
    [
        (f"machine host.example login me\n{SECRET}\n".encode(), "is malformed in line 3, or just before it"),
        (f"machine host.example password {SECRET} unknown {SECRET}".encode(), "is malformed in line 1"),
        (f"{SECRET}".encode(), "is malformed in line 1"),
        (b"machine", "is malformed in line "),
        (b"# " + b"x" * (1024 * 1024), "is longer than 1048576 octets"),
    ],
)
def test_a_file_that_cannot_be_used_says_why_and_shows_nothing_of_itself(file, octets, says):
    file.write_bytes(octets)
    with pytest.raises(ConfigurationError, match=says) as caught:
        asked("host.example")
    assert caught.value.source == str(file)
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o660, 0o644])
def test_a_file_that_is_open_to_others_is_not_used(file, mode):
    file.write_text(f"machine host.example login me password {SECRET}\n")
    file.chmod(mode)
    with pytest.raises(ConfigurationError, match="cannot be used: it is open to others; chmod 600"):
        asked("host.example")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_somebody_else_is_not_used_by_root_either(file):  # as with sudo, where HOME stays the user's
    file.write_text(f"machine host.example login me password {SECRET}\n")
    os.chown(file, 12345, -1)
    with pytest.raises(ConfigurationError, match="cannot be used: it belongs to somebody else"):
        asked("host.example")


def test_what_is_read_is_what_was_looked_at(file, tmp_path, monkeypatch):
    """Whoever exchanges the file while it is read gains nothing: it is opened once."""
    file.write_text(f"machine host.example login me password {SECRET}\n")
    other = tmp_path / "other"
    other.write_text("machine host.example login me password theirs\n")
    other.chmod(0o666)
    real = os.open

    def swapped(path, *more):
        descriptor = real(path, *more)
        if path == str(file):
            other.replace(file)
        return descriptor

    monkeypatch.setattr(os, "open", swapped)
    assert asked("host.example") == Credentials("me", SECRET)
    monkeypatch.undo()
    monkeypatch.setenv("NETRC", str(file))
    with pytest.raises(ConfigurationError, match="it is open to others"):
        asked("host.example")


def test_what_is_no_file_is_not_waited_for(file):
    file.unlink()
    os.mkfifo(file, 0o600)
    with pytest.raises(ConfigurationError, match="cannot be used: it is no regular file"):
        asked("host.example")
    file.unlink()
    file.mkdir()
    with pytest.raises(ConfigurationError, match="cannot be used: it is no regular file"):
        asked("host.example")
    file.rmdir()
    file.symlink_to(file)
    with pytest.raises(ConfigurationError, match="cannot be used"):
        asked("host.example")


# On real servers


def test_a_login_for_an_ftp_server(file, tmp_path):
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "notes").write_bytes(b"content")
    file.write_text(f"machine 127.0.0.1 login me password {SECRET}\n")
    registry = Registry()
    with ftp_server(tmp_path / "files", {"me": FtpUser(SECRET)}, anonymous=False) as server:
        url = f"ftp://me@{server}/notes"
        with pytest.raises(AuthRequired):  # nobody asked for it
            urlschemes_access.access(url, policy=HERE, registry=registry)
        with urlschemes_access.access(
            url, policy=HERE, credentials=registry.credentials_from_hooks, registry=registry
        ) as document:
            assert document.read() == b"content"
        with pytest.raises(AuthRequired):
            urlschemes_access.access(
                f"ftp://you@{server}/", policy=HERE, credentials=registry.credentials_from_hooks, registry=registry
            )


def closed(_: HttpRequest) -> HttpResponse:
    return HttpResponse(401, headers=[("WWW-Authenticate", 'Basic realm="r"')])


def test_a_redirect_to_another_host_gets_nothing(file):  # as in CVE-2024-47081, CVE-2024-11053
    file.write_text(f"machine localhost login me password {SECRET}\n")
    registry = Registry()
    certificates = make_certificates()

    def opens(request: HttpRequest) -> HttpResponse:
        return redirect(f"https://{evil}/") if "Authorization" in request.headers else closed(request)

    with (
        http_server(handler=closed, tls=certificates.server) as evil,
        http_server(handler=opens, tls=certificates.server) as server,
    ):
        with pytest.raises(AuthRequired, match=r"127\.0\.0\.1 wants a user name and a password"):
            urlschemes_access.access(
                f"https://localhost:{server.port}/",
                policy=HERE,
                ssl_context=certificates.client(),
                credentials=registry.credentials_from_hooks,
                registry=registry,
            )
        assert "Authorization" in server.requests[-1].headers
        assert [each for each in evil.requests if "Authorization" in each.headers] == []
        assert len(evil.requests) == 1


def test_a_user_name_that_looks_like_a_host_gets_nothing_for_that_host(file):  # as in CVE-2024-47081
    file.write_text(f"machine localhost login me password {SECRET}\n")
    registry = Registry()
    seen = []

    def given(request: Authenticate) -> Credentials | None:
        seen.append((request.host, registry.credentials_from_hooks(request)))
        return seen[-1][1]

    with ftp_server(file.parent, {"me": FtpUser(SECRET)}, anonymous=False) as server, pytest.raises(AuthRequired):
        urlschemes_access.access(f"ftp://localhost%3A21@{server}/", policy=HERE, credentials=given, registry=registry)
    assert seen == [("127.0.0.1", None)]


def test_a_malformed_file_fails_the_access_and_no_other(file, tmp_path):
    (tmp_path / "notes").write_bytes(b"content")
    file.write_text(f"machine 127.0.0.1 login me password {SECRET} {SECRET}\n")
    registry = Registry()
    with ftp_server(tmp_path, {"me": FtpUser(SECRET)}) as server:
        with pytest.raises(PluginError) as caught:
            urlschemes_access.access(
                f"ftp://me@{server}/notes", policy=HERE, credentials=registry.credentials_from_hooks, registry=registry
            )
        said = "".join(traceback.format_exception(caught.value))
        assert str(caught.value) == (
            "the hook urlschemes_credentials of urlschemes-netrc 0.1.0 failed: "
            f"the netrc file {file} is malformed in line 2, or just before it"
        )
        assert SECRET not in said
        with urlschemes_access.access(f"ftp://{server}/notes", policy=HERE, registry=registry) as document:
            assert document.read() == b"content"
    assert urlschemes.is_valid("ftp://host.dom/")


def test_the_command_asks_where_it_is_told_to(file, tmp_path):
    import subprocess
    import sys

    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "notes").write_bytes(b"content")
    file.write_text(f"machine 127.0.0.1 login me password {SECRET}\n")
    with ftp_server(tmp_path / "files", {"me": FtpUser(SECRET)}, anonymous=False) as server:

        def run(*words: str) -> subprocess.CompletedProcess[str]:
            command = [sys.executable, "-m", "urlschemes_cli", "access", *words, f"ftp://me@{server}/notes"]
            return subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=60, stdin=subprocess.DEVNULL
            )

        without, told = run(f"--allow-port={server.port}"), run("--plugin-credentials", "-v")
    assert (without.returncode, without.stdout) == (3, "")
    assert (told.returncode, told.stdout) == (0, "content")
    assert SECRET not in told.stderr
