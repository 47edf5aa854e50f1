r"""Replays of access algorithms without sockets: a test writes the script, the algorithm must follow it.

    script = Script(
        connect("host.dom", 70),
        client("about"),                       # a str is one line, CR LF is added; bytes are sent as they are
        server(b"Hello.\r\n.\r\n"),
        server_closes(),
    )
    outcome = replay(access(url), script)
    assert outcome.content == b"Hello.\r\n"

The server follows the script: it sends its next octets as soon as the client has done everything above them,
on whichever connection. What the client does on different connections may come in any order; on one it must do exactly
what is written. A client that does anything else raises `Departure`, an AssertionError that shows the expected step and
the script, as they were written.

`split_everywhere` splits the server's octets everywhere; `fault_everywhere` runs the script once for every fault at
every request. Use both for every good script of a scheme. The rules of a real access apply (policy, limits,
deadline): the replay is a backend of `urlschemes_access.dialogue`. Waiting costs no time.

steps.py           the steps; each prints the call that makes it
script.py          Script: steps in order, each on an open connection
replaying.py       replay: runs an algorithm; Replay: one run
backend.py         ReplayBackend: a backend of dialogues that follows the script
progress.py        which steps are done, and which is next
outcome.py         Outcome, Departure
splitting.py       split_everywhere
faults.py          fault_everywhere
recording.py       Recording: the dialogue of a real access
observing.py       observed: an algorithm whose requests are reported
"""

from __future__ import annotations

from urlschemes_testing.replay.faults import FaultRun, fault_everywhere
from urlschemes_testing.replay.outcome import Departure, Outcome
from urlschemes_testing.replay.recording import Recording
from urlschemes_testing.replay.replaying import replay
from urlschemes_testing.replay.script import Script
from urlschemes_testing.replay.splitting import split_everywhere
from urlschemes_testing.replay.steps import (
    Step,
    answers,
    client,
    client_closes,
    connect,
    connect_back,
    credentials,
    exchange,
    file,
    folder,
    follow,
    removed,
    server,
    server_closes,
    server_resets,
    silence,
    start_tls,
    upload,
    written,
)

__all__ = [
    "Departure",
    "FaultRun",
    "Outcome",
    "Recording",
    "Script",
    "Step",
    "answers",
    "client",
    "client_closes",
    "connect",
    "connect_back",
    "credentials",
    "exchange",
    "fault_everywhere",
    "file",
    "folder",
    "follow",
    "removed",
    "replay",
    "server",
    "server_closes",
    "server_resets",
    "silence",
    "split_everywhere",
    "start_tls",
    "upload",
    "written",
]
