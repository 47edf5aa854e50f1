"""The policy as a guard: it decides, and does no I/O. Accesses ask it, and so do guarded clients.

    guard = Guard(Policy.untrusted())
    visit = guard.visit()                                     # one request of the program, with its redirects
    visit.check_url("http", "host.dom", 80, own=frozenset({80}))
    addresses = await resolve(visit, backend, "host.dom", 80) # or the client's own resolver
    visit.allowed_addresses(addresses, "host.dom")
    visit.check_peer(("192.0.2.7", 80), "192.0.2.7", 80, "host.dom")

Each method raises PolicyDenied or another error of `urlschemes_access.errors`, or returns.

route.py          Route: the hosts, ports and addresses that one operation may reach; resolve
requested_url.py  RequestedURL, which hooks get
visit.py          Guard and Visit: a route of another client, with its time, its octets and the hooks of plugins
"""

from urlschemes_access.guard.requested_url import RequestedURL
from urlschemes_access.guard.route import Resolver, Route, resolve
from urlschemes_access.guard.visit import Guard, Visit

__all__ = ["Guard", "RequestedURL", "Resolver", "Route", "Visit", "resolve"]
