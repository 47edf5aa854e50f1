r"""A driver without sockets: an access algorithm is run against a dialogue that the test wrote down.

    dialogue = Dialogue(
        connect("host.dom", 70),
        client("about"),                       # a str is one line, CR LF is added; bytes are exactly those octets
        server(b"Hello.\r\n.\r\n"),
        server_closes(),
    )
    outcome = replay(access(url), dialogue)
    assert outcome.content == b"Hello.\r\n"

The dialogue is a script for the other side: it says its next words as soon as the client has done everything that
stands above them, on whichever connection. What the client does on different connections may come in any order; on one
it must do exactly what is written. A client that does anything else raises `Departure`, an AssertionError that tells
what was due and what came.

`split_everywhere` runs a dialogue cut at every octet of what the other side says; `fault_everywhere` runs it once for
every fault at every request. Both are meant for every good dialogue of every scheme.

The rooms, from the top:

    recording.py    the dialogue of a real access, written down
    faults.py       fault_everywhere
    cuts.py         split_everywhere
    player.py       the driver: answers an algorithm's requests from the script
    course.py       how far the script has come, and what is due on each connection
    outcome.py      what comes of it: Outcome, Departure
    dialogue.py     the script: steps in order, each on a connection that is there
    wording.py      steps in words, and as Python source
    steps.py        the steps, and the functions that make them
"""

from __future__ import annotations

from urlschemes_testing.replay.faults import FaultRun, fault_everywhere
from urlschemes_testing.replay.outcome import Departure, Outcome
from urlschemes_testing.replay.player import replay
from urlschemes_testing.replay.recording import Recording
from urlschemes_testing.replay.script import Dialogue
from urlschemes_testing.replay.splitting import split_everywhere
from urlschemes_testing.replay.steps import (
    Step,
    answers,
    client,
    client_closes,
    connect,
    connect_back,
    credentials,
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
    "Dialogue",
    "FaultRun",
    "Outcome",
    "Recording",
    "Step",
    "answers",
    "client",
    "client_closes",
    "connect",
    "connect_back",
    "credentials",
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
