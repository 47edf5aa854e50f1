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
        case steps.ClientConnects(host=host, port=port):
            return f"{step.on}: the client connects to {host}, port {port}"
        case steps.ClientConnectsBack(port=port):
            return f"{step.on}: the client opens a data connection to port {port}"
        case steps.ClientStartsTLS(host=host):
            return f"{step.on}: the client starts TLS with {host}"
        case steps.ClientSends(octets=octets):
            return f"{step.on}: the client sends {octets!r}"
        case steps.ClientCloses():
            return f"{step.on}: the client closes"
        case steps.ServerSends(octets=octets):
            return f"{step.on}: the server sends {octets!r}"
        case steps.Silence():
            return f"{step.on}: silence"
        case steps.ServerCloses():
            return f"{step.on}: the server closes"
        case steps.ServerResets():
            return f"{step.on}: the server resets"
        case steps.CallerFollows(location=location, to=to):
            return f"the caller follows {location!r} to {to}"
        case steps.CallerLogsIn(given=given):
            return f"the caller logs in as {given.user!r}" if given else "the caller gives no login"
        case steps.CallerAnswers(given=texts):
            return f"the caller answers {texts!r}"
        case steps.CallerUploads(octets=octets):
            return f"the caller uploads {octets!r}"
        case steps.LocalFile(facts=facts):
            return f"the machine has the {facts.kind} {facts.path!r}"
        case steps.ClientWrites(path=path, octets=octets, to=to):
            return f"the client opens {path!r} to {to}, and writes {octets!r}"
        case steps.ClientRemoves(path=path):
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
        case steps.ClientConnects(on, host, port, transport, error):
            return call("connect", host, port, on=on, transport=transport if transport == "udp" else "", error=error)
        case steps.ClientConnectsBack(on, port, error):
            return call("connect_back", port, on=on, error=error)
        case steps.ClientStartsTLS(on, host, error):
            return call("start_tls", host, on=on, error=error)
        case steps.ClientSends(on, sent, early):
            return call("client", octets(sent), on=on, early=early)
        case steps.ServerSends(on, received):
            return call("server", octets(received), on=on)
        case steps.ClientCloses(on):
            return call("client_closes", on=on)
        case steps.Silence(on):
            return call("silence", on=on)
        case steps.ServerCloses(on):
            return call("server_closes", on=on)
        case steps.ServerResets(on):
            return call("server_resets", on=on)
        case steps.CallerFollows(_, location, to):
            return call("follow", location, to)
        case steps.CallerLogsIn(_, given):
            return call("credentials", given.user, given.password) if given else call("credentials", None)
        case steps.CallerAnswers(_, texts):
            return call("answers", *texts)
        case steps.CallerUploads(_, pulled):
            return call("upload", pulled)
        case steps.LocalFile(_, facts, content, error):
            if facts.kind == "directory":
                return call("folder", facts.path, modified=facts.modified, error=error)
            return call("file", facts.path, content, size=facts.size, modified=facts.modified, error=error)
        case steps.ClientWrites(_, path, content, to, error):
            return call("written", path, content, to=to, error=error)
        case steps.ClientRemoves(_, path, error):
            return call("removed", path, error=error)
        case _:
            raise TypeError(step)
