"""Steps as text for error messages, and as Python source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes_testing.replay import steps

if TYPE_CHECKING:
    from urlschemes_testing.replay.steps import Step

__all__ = ["describe", "source"]


def describe(step: Step) -> str:
    """Return a description of a step."""
    match step:
        case steps.Connect(host=host, port=port):
            return f"{step.on}: the client connects to {host}, port {port}"
        case steps.ConnectBack(port=port):
            return f"{step.on}: the client opens a data connection to port {port}"
        case steps.StartTLS(host=host):
            return f"{step.on}: the client starts TLS with {host}"
        case steps.Client(octets=octets):
            return f"{step.on}: the client sends {octets!r}"
        case steps.ClientCloses():
            return f"{step.on}: the client closes"
        case steps.Server(octets=octets):
            return f"{step.on}: the server sends {octets!r}"
        case steps.Silence():
            return f"{step.on}: silence"
        case steps.ServerCloses():
            return f"{step.on}: the server closes"
        case steps.ServerResets():
            return f"{step.on}: the server resets"
        case steps.Follow(location=location, to=to):
            return f"the caller follows {location!r} to {to}"
        case steps.Login(given=given):
            return f"the caller logs in as {given.user!r}" if given else "the caller gives no login"
        case steps.Answers(given=texts):
            return f"the caller answers {texts!r}"
        case steps.Upload(octets=octets):
            return f"the caller uploads {octets!r}"
        case steps.LocalFile(facts=facts):
            return f"the machine has the {facts.kind} {facts.path!r}"
        case steps.Written(path=path, octets=octets, to=to):
            return f"the client opens {path!r} to {to}, and writes {octets!r}"
        case steps.Removed(path=path):
            return f"the client removes {path!r}"
        case _:
            return repr(step)


def source(step: Step) -> str:
    """Return the call that makes a step."""

    def call(name: str, *arguments: object, on: str = "", **more: object) -> str:
        shown = [repr(argument) for argument in arguments]
        shown += [f"{key}={value!r}" for key, value in (("on", on), *more.items()) if value]
        return f"{name}({', '.join(shown)})"

    def octets(of: bytes) -> steps.Text:
        line = of[:-2]
        return line.decode() if of.endswith(b"\r\n") and line.isascii() and b"\n" not in line else of

    match step:
        case steps.Connect(on, host, port, transport, error):
            return call("connect", host, port, on=on, transport=transport if transport == "udp" else "", error=error)
        case steps.ConnectBack(on, port, error):
            return call("connect_back", port, on=on, error=error)
        case steps.StartTLS(on, host, error):
            return call("start_tls", host, on=on, error=error)
        case steps.Client(on, sent, early):
            return call("client", octets(sent), on=on, early=early)
        case steps.Server(on, received):
            return call("server", octets(received), on=on)
        case steps.ClientCloses(on):
            return call("client_closes", on=on)
        case steps.Silence(on):
            return call("silence", on=on)
        case steps.ServerCloses(on):
            return call("server_closes", on=on)
        case steps.ServerResets(on):
            return call("server_resets", on=on)
        case steps.Follow(_, location, to):
            return call("follow", location, to)
        case steps.Login(_, given):
            return call("credentials", given.user, given.password) if given else call("credentials", None)
        case steps.Answers(_, texts):
            return call("answers", *texts)
        case steps.Upload(_, pulled):
            return call("upload", pulled)
        case steps.LocalFile(_, facts, content, error):
            if facts.kind == "directory":
                return call("folder", facts.path, modified=facts.modified, error=error)
            return call("file", facts.path, content, size=facts.size, modified=facts.modified, error=error)
        case steps.Written(_, path, content, to, error):
            return call("written", path, content, to=to, error=error)
        case steps.Removed(_, path, error):
            return call("removed", path, error=error)
        case _:
            raise TypeError(step)
