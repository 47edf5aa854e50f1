"""Recording: the dialogue of a real access, as a script for a test."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from urlschemes.errors import URLError
from urlschemes_access.attributes import FileFacts
from urlschemes_access.errors import ConnectError, Truncated
from urlschemes_access.protocol import (
    Algorithm,
    Ask,
    Authenticate,
    Close,
    Connect,
    ConnectBack,
    Examine,
    Follow,
    Keep,
    ListFolder,
    OpenFile,
    Peer,
    Pull,
    Receive,
    Remove,
    Request,
    Send,
    StartTLS,
)
from urlschemes_testing.replay import steps
from urlschemes_testing.replay.observing import observed
from urlschemes_testing.replay.script import Script

if TYPE_CHECKING:
    from urlschemes_testing.replay.steps import Step

__all__ = ["Recording"]


class Recording:
    """Records the script of an algorithm while any backend runs it.

        recording = Recording()
        operation = urlschemes_access.dialogue.Operation(url, urlschemes_access.settings.Settings(policy=...))
        dialogue = urlschemes_access.dialogue.Dialogue(recording.of(access(url)), operation)
        urlschemes_access.resources.synchronous.run(dialogue).read()
        print(recording.script.source())

    It contains passwords: use logins made for tests.
    """

    def __init__(self) -> None:
        self._steps: list[Step] = []
        self._names: dict[Peer, str] = {}
        self._outputs: dict[Peer, steps.ClientWrites] = {}

    @property
    def script(self) -> Script:
        """The script recorded so far."""
        return Script(*self._steps)

    def of(self, algorithm: Algorithm[None]) -> Algorithm[None]:
        """Return the algorithm, to be recorded while it runs."""
        return observed(algorithm, after=self._note)

    def _note(self, request: Request[Any], answer: Any, raised: BaseException | None) -> None:
        error = raised if isinstance(raised, URLError) else None
        match request:
            case Connect(host=host, port=port, transport=transport):
                name = self._name(answer, "connection" if transport == "tcp" else "datagrams")
                self._steps.append(steps.connect(host, port, on=name, transport=transport, error=error))
            case ConnectBack(port=port):
                self._steps.append(steps.connect_back(port, on=self._name(answer, "data"), error=error))
            case StartTLS(peer=peer, host=host):
                self._steps.append(steps.start_tls(host, on=self._names[peer], error=error))
            case Send(peer=peer, octets=octets) if peer in self._outputs:
                known = self._outputs[peer]
                self._outputs[peer] = replace(known, content=known.content + octets)
            case Keep(peer=peer):
                self._steps.append(replace(self._outputs.pop(peer), error=error))
            case Remove(path=path):
                self._steps.append(steps.removed(path, error=error))
            case Send(peer=peer) if error is None:
                self._steps.append(steps.client(request.octets, on=self._names[peer]))
            case Receive(peer=peer):
                self._received(peer, answer, error)
            case Close(peer=peer) if self._names.get(peer, "").startswith("data") and self._sent_last(peer):
                self._steps.append(steps.client_closes(on=self._names[peer]))
            case Follow(location=location):
                self._steps.append(steps.follow(location, error or answer))
            case Authenticate() if error is None:
                self._steps.append(steps.credentials(**asdict(answer)) if answer else steps.credentials(None))
            case Ask() if error is None:
                self._steps.append(steps.answers(*answer))
            case Pull() if answer:
                self._steps.append(steps.upload(b"".join(answer)))
            case OpenFile(path=path, to="read") if error is None:
                self._names[answer] = path
            case OpenFile(path=path, to=to) if to != "read":
                made = steps.written(path, to=to, error=error)
                if error is None:
                    self._outputs[answer] = made
                else:
                    self._steps.append(made)
            case Examine() if isinstance(answer, FileFacts):
                self._found(_local(answer))
            case ListFolder(path=path) if error is None:
                self._found(steps.folder(path), *map(_local, answer))
            case OpenFile(path=path) | Examine(path=path) | ListFolder(path=path):
                self._steps.append(steps.file(path, error=error))
            case _:
                pass

    def _name(self, peer: object, name: str) -> str:
        count = sum(1 for known in self._names.values() if known.partition(" ")[0] == name)
        unique = name if not count else f"{name} {count + 1}"
        if isinstance(peer, Peer):
            self._names[peer] = unique
        return unique

    def _sent_last(self, peer: Peer) -> bool:
        on = self._names[peer]
        on_it = [step for step in self._steps if isinstance(step, steps.OnConnection) and step.on == on]
        return isinstance(on_it[-1], steps.ClientSends)

    def _received(self, peer: Peer, octets: bytes | None, error: URLError | None) -> None:
        on = self._names[peer]
        if peer.address is None:
            self._read(on, octets or b"")
        elif isinstance(error, (ConnectError, Truncated)):
            self._steps.append(steps.server_resets(on=on))
        elif octets is None:
            self._steps.append(steps.silence(on=on))
        elif octets:
            self._steps.append(steps.server(octets, on=on))
        elif not any(isinstance(step, steps.ServerCloses) and step.on == on for step in self._steps):
            self._steps.append(steps.server_closes(on=on))

    def _found(self, *files: steps.LocalFile) -> None:
        known = {step.path for step in self._steps if isinstance(step, steps.LocalFile)}
        self._steps += [each for each in files if each.path not in known]

    def _read(self, path: str, octets: bytes) -> None:
        for number, step in enumerate(self._steps):
            if isinstance(step, steps.LocalFile) and step.path == path:
                self._steps[number] = replace(step, content=step.content + octets)
                return
        self._steps.append(steps.file(path, octets))


def _local(facts: FileFacts) -> steps.LocalFile:
    made = steps.folder if facts.kind == "directory" else steps.file
    return made(facts.path, kind=facts.kind, size=facts.size or None, modified=facts.modified)
