"""Tools for testing URL schemes.

    replay          dialogues replayed without a socket, cut at every octet, with a fault at every step
    rogue           servers on 127.0.0.1 that misbehave
    loopback        servers on 127.0.0.1, one thread for each visitor
    strategies      Hypothesis strategies: `urls("gopher")`, `near_misses("gopher")`
    examples        the examples of a registration record, checked

Import what you need from these modules; this package imports none of them.
"""
