"""Tools for testing URL schemes.

replay/            dialogues replayed without a socket, split at every octet, with a fault at every request
rogue.py           servers on 127.0.0.1 that misbehave
loopback.py        servers on 127.0.0.1, bounded in time
demonstration.py   demonstrations, which plugins provide for `urlschemes demo` and the review
strategies.py      Hypothesis strategies: `urls("gopher")`, `near_misses("gopher")`
examples.py        checks the examples of a registration record

Import what you need from these modules; this package imports none of them.
"""
