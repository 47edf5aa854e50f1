"""One access under way: every rule, and no I/O.

A dialogue runs an access algorithm (wire.py) and holds what is true whoever does the I/O: the deadline, the policy,
the caps, the trace, what has been opened and delivered, which fault of the system is which error. Its methods are
generators of primitive steps (steps.py), which a backend performs: the blocking one in drive.py, or one for an event
loop.

    algorithm  --requests-->  Dialogue  --steps-->  backend  --system calls-->

A step's OSError becomes an error of errors.py, which is thrown into the algorithm at the request that failed.

The rooms, from the top:

    dialogue.py      Dialogue: open, pull, call, finish, close; runs the algorithm
    redirects.py     Follow
    connecting.py    Connect, ConnectBack, StartTLS: names resolved, addresses checked and dialled
    files.py         OpenFile, Keep, Remove, Examine, ListFolder
    peers.py         what is open: Send, Receive, Ready, Close
    caller.py        what is asked of the caller: Authenticate, Ask, Pull
    reach.py         where the access may go, by the policy and by what it did so far
    trace.py         what is told of it, and the secrets that no trace shows
    deadline.py      the total deadline
    handed.py        what an algorithm hands out, checked
    faults.py        breaches of the contract, limits exceeded, the system's reasons
"""

from __future__ import annotations

from urlschemes_access.dialogue.lifecycle import Dialogue

__all__ = ["Dialogue"]
