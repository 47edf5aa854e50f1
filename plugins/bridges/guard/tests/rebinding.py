"""Fetch from names whose addresses change, with the guarded clients: run by test_rebinding.py, in a network of its own.

The name server is on port 53 of this network, where /etc/resolv.conf names it. It answers the first look-up of a name
with an address that the policy allows, and each later one with loopback. All addresses belong to the interface lo.
"""

from __future__ import annotations

import http.client
import ipaddress
import json
import socketserver
import sys
import threading
from importlib.util import find_spec
from typing import Any

from guarded import ALL, Guarded
from local_web import Server, respond

from urlschemes_access import Policy

ADDRESSES = {"four.test": ("203.0.113.1", "127.0.0.1"), "six.test": ("2001:db8::1", "::1")}
"""The addresses of each name: that of the first look-up, and that of all others."""
POLICY = Policy(networks=tuple(first for first, _ in ADDRESSES.values()))
asked: list[str] = []


class NameServer(socketserver.BaseRequestHandler):
    """Answers one question of RFC 1035 with one address, or with none of its type."""

    def handle(self) -> None:
        octets, connection = self.request
        end = octets.index(0, 12) + 5  # a name, and its type and class
        labels, place = [], 12
        while size := octets[place]:
            labels.append(octets[place + 1 : place + 1 + size].decode().lower())
            place += 1 + size
        name, kind = ".".join(labels), int.from_bytes(octets[end - 4 : end - 2])
        answer = b""
        if name in ADDRESSES:
            address = ipaddress.ip_address(ADDRESSES[name][name in asked])
            if kind == {4: 1, 6: 28}[address.version]:  # A, AAAA
                asked.append(name)
                packed = address.packed
                answer = b"\xc0\x0c" + octets[end - 4 : end] + bytes(4) + len(packed).to_bytes(2) + packed
        head = octets[:2] + b"\x81\x80\0\x01" + bool(answer).to_bytes(2) + bytes(4)
        connection.sendto(head + octets[12:end] + answer, self.client_address)


def fetched(client: Guarded, url: str) -> str:
    """Return the address that a client reached, or the rule of the policy that refused."""
    try:
        (answer,) = client.fetch(POLICY, url)
    except client.module.RequestRefused as error:
        return str(error.rule)
    return answer.body.decode()


def fetched_unguarded(name: str, port: int) -> str:
    connection = http.client.HTTPConnection(name, port, timeout=20)
    connection.request("GET", "/")
    body = connection.getresponse().read().decode()
    connection.close()
    return body


def main() -> None:
    reached: list[str] = []

    def answer(handler: Any) -> None:
        address = handler.connection.getsockname()[0].removeprefix("::ffff:")
        reached.append(address)
        respond(200, address.encode())(handler)

    names, web = socketserver.UDPServer(("127.0.0.1", 53), NameServer), Server({"*": answer}, "::", None)
    for server in (names, web):
        threading.Thread(target=server.serve_forever, daemon=True).start()
    found: dict[str, dict[str, Any]] = {}
    for client in [None, *(each for each in ALL if find_spec(each.library))]:
        for name in ADDRESSES:
            asked.clear()
            reached.clear()
            url = f"http://{name}:{web.port}/"
            got = [fetched_unguarded(name, web.port) if client is None else fetched(client, url) for _ in range(2)]
            found.setdefault(str(client), {})[name] = [got, [*asked], [*reached]]
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
