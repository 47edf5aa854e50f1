"""The dialogue of one operation: every rule of an access, and no I/O.

    algorithm  --requests-->  Dialogue  --calls-->  backend  --system calls-->

In: the requests of an algorithm (`urlschemes_access.protocol`). Out: calls of a backend, and to the caller the resource
that the algorithm opens and delivers. An OSError of the backend becomes an error of `urlschemes_access.errors`, which
is raised in the algorithm at the request that failed.

All below the algorithm are coroutines; those of a blocking backend never suspend. An interrupt or a cancelled task may
end any `await`: what is open is then closed at once, without another `await`, and the algorithm is closed like any
generator. It sees neither KeyboardInterrupt nor CancelledError.

lifecycle.py           Dialogue: open, pull, call, finish, close
context.py             Operation: what a dialogue knows of it; Context: what the parts of a dialogue share
algorithm_runner.py    runs the algorithm, and contains its failures
connecting.py          Connect, ConnectBack, StartTLS
transfers.py           Send, Receive, Ready, Close
file_requests.py       OpenFile, Keep, Remove, Examine, ListFolder
caller_requests.py     Authenticate, Ask, Pull; the content of the caller in pieces of a good size
destinations.py        Follow, and the policy applied to URLs
deadline.py            the total deadline
trace.py               trace events, without secrets
system_errors.py       messages for the system's errors

The dialogue does not know sockets, registries or configuration files.
"""

from __future__ import annotations

from urlschemes_access.dialogue.context import Operation
from urlschemes_access.dialogue.lifecycle import Dialogue

__all__ = ["Dialogue", "Operation"]
