"""The policy of urlschemes as a guard for other HTTP clients.

    import urlschemes_guard.httpx as guarded                    # also .httpx2
    with guarded.Client(policy=Policy()) as client:
        client.get(url)

    urlschemes_guard.requests.Session(Policy()).get(url)

    urlschemes_guard.aiohttp.session(PolicyConnector(policy))

Every request, redirect and connection obeys the policy. HTTP/2, pools, TLS, streaming and cookies stay the client's.
What it refuses is raised as an error of the client's own family, with `error`, `rule` and `hint`.

httpx.py       PolicyTransport, AsyncPolicyTransport, Client, AsyncClient
httpx2.py      the same for httpx2
requests.py    PolicyAdapter, Session
aiohttp.py     PolicyConnector, session, timeout_of
transports.py  what httpx.py and httpx2.py share, with connections.py
request.py     what they share: the visit in progress, and the texts of a refusal
decoding.py    content decoded in pieces, for clients that decode without a bound
"""
