"""Backends: they carry out the primitives that a dialogue yields.

In: primitives (primitives.py), such as Resolve, Dial, Read or UseFile. Out: their results, or the system's OSError.

primitives.py     the interface of a backend
blocking.py       the blocking backend
event_loop.py     the backend for asyncio; it uses loop_sockets.py
local_files.py    files below allowed folders; used by both
new_file.py       NewFile: a file that replaces another when it is complete
sockets.py        sockets and TLS contexts; used by both
tls_files.py      the files of cacert, cert and key; a context made of them
connection_pool.py connections that a client keeps between operations
worker_threads.py threads for what cannot be interrupted; used by both

A backend does not know URLs, policies or algorithms. Only these modules open sockets and files.
"""
