"""Backends: they carry out what a dialogue needs, with sockets, files and threads.

In: calls of the methods of Backend and Channel (backend.py). Out: their results, or the system's OSError.

backend.py        the interface of a backend; drive, which runs a dialogue on one that blocks
blocking.py       the blocking backend
event_loop.py     the backend for asyncio; it uses loop_sockets.py
system.py         the resolver and local files, for both
local_files.py    files below allowed folders
new_file.py       NewFile: a file that replaces another when it is complete
sockets.py        sockets, for both
tls.py            TLS contexts, and the files of cacert, cert and key
connection_pool.py connections that a client keeps between operations
worker_threads.py threads for actions that cannot be interrupted

A backend does not know URLs, policies or algorithms. Only these modules open sockets and files.
"""
