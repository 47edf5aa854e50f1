"""Count the cases of the tests of urlschemes-guard that each client holds: plain, guarded, and guarded by ssrfguard.

    python3 dev --group bridges --group benchmark python benchmarks/guard_cases.py             ten minutes
    python3 dev --group bridges --group benchmark python benchmarks/guard_cases.py --failed    and name those that fail

The cases are the tables in plugins/bridges/guard/tests. A case that must be refused is held if nothing was dialled that
the policy forbids. One that must end is held if the client gave up in two seconds. One that must work is held if its
test passes. All servers are on loopback; names are answered, and other addresses refused, in this process.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import inspect
import itertools
import os
import sys
import tempfile
import threading
import warnings
from collections import defaultdict
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from urlschemes_access import Limits, Policy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TESTS = Path(__file__).resolve().parents[1] / "plugins" / "bridges" / "guard" / "tests"
sys.path.insert(0, str(TESTS))
guarded, web, refusals, limits, works = (
    importlib.import_module(name) for name in ("guarded", "local_web", "test_refusals", "test_limits", "test_works")
)
PATIENCE = 2.0
"""Seconds in which a client must give up; each limit of time is 0.4 or less."""
GROUPS = ("literal", "spellings", "names", "parsers", "redirects", "ports", "limits", "works")
allowed_ports: set[int] = {80, 443}
"""The ports that peers must be told: those of http, and of the servers that run."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="benchmarks/guard_cases.py", description=__doc__.partition("\n")[0])
    parser.add_argument("--failed", action="store_true", help="name the cases that are not held")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    threading.excepthook = lambda _: None  # threads of clients that were cut off
    for name in [each for each in os.environ if each.lower().endswith("_proxy")]:
        del os.environ[name]
    rows = [["", *GROUPS]]
    failed: list[str] = []
    with web.loopback_only(web.Network()):  # also for threads that outlive their case
        for client in contenders():
            held: dict[str, list[bool]] = defaultdict(list)
            for group, case, was_held in cases(client):
                held[group].append(was_held)
                if not was_held:
                    failed.append(f"{client.name}: {group}: {case}")
            rows.append([client.name, *(f"{sum(held[group])}/{len(held[group])}" for group in GROUPS)])
            print(f"{client.name}: {sum(map(sum, held.values()))} held", file=sys.stderr)
    libraries = ("httpx", "httpx2", "requests", "aiohttp", "ssrfguard")
    print(", ".join(f"{name} {importlib.metadata.version(name)}" for name in libraries), "\n")
    for row in rows:
        print(f"{row[0]:28}", *(f"{cell:>9}" for cell in row[1:]))
    if options.failed:
        print("", *failed, sep="\n")


# The clients


def contenders() -> list[Any]:
    """Return the clients: as they are, ours, and those of ssrfguard."""
    return [
        guarded.Guarded("httpx", "httpx", guarded.httpx_fetch(_plain_httpx)),
        guarded.Guarded("requests", "requests", guarded.requests_fetch(_plain_requests, _seconds)),
        guarded.Guarded("aiohttp", "aiohttp", guarded.aiohttp_fetch(_plain_aiohttp)),
        guarded.Guarded("ssrfguard, httpx", "httpx", guarded.httpx_fetch(_ssrfguard_httpx("Client"))),
        guarded.Guarded(
            "ssrfguard, httpx async", "httpx", guarded.httpx_async_fetch(_ssrfguard_httpx("AsyncClient"), "asyncio")
        ),
        guarded.Guarded("ssrfguard, requests", "requests", guarded.requests_fetch(_ssrfguard_requests, _seconds)),
        *(replace(each, name=f"urlschemes, {each.name}") for each in guarded.ALL),
    ]


def _seconds(policy: Policy) -> float:
    """Return the least limit of time that a policy has, as the timeout of a client that knows only one."""
    known = policy.limits
    return min(known.deadline or 20, known.resolve, known.first_octet, known.idle)


def _plain_httpx(*, policy: Policy, timeout: float, **options: Any) -> Any:
    httpx: Any = importlib.import_module("httpx")
    del options["registry"]
    return httpx.Client(timeout=min(timeout, _seconds(policy)), max_redirects=policy.limits.hops, **options)


def _plain_requests(policy: Policy, **_: Any) -> Any:
    session: Any = importlib.import_module("requests").Session()
    session.max_redirects = policy.limits.hops
    return session


def _plain_aiohttp(policy: Policy, *, ssl: Any, cookie_jar: Any, **_: Any) -> Any:
    aiohttp: Any = importlib.import_module("aiohttp")
    connector = aiohttp.TCPConnector(ssl=ssl, resolver=aiohttp.ThreadedResolver())
    seconds = _seconds(policy)
    timeout = aiohttp.ClientTimeout(total=policy.limits.deadline or 20, sock_connect=seconds, sock_read=seconds)
    return aiohttp.ClientSession(connector=connector, timeout=timeout, cookie_jar=cookie_jar)


def _in_ssrfguard(policy: Policy) -> Any:
    return importlib.import_module("ssrfguard").Policy(
        allowed_networks=policy.networks,
        allowed_ports=frozenset(allowed_ports),
        allow_userinfo=policy.user_information is True,
        max_redirects=policy.limits.hops,
    )


def _ssrfguard_httpx(name: str) -> Callable[..., Any]:
    def make(*, policy: Policy, timeout: float, **options: Any) -> Any:
        del options["registry"]
        module: Any = importlib.import_module("ssrfguard.httpx")
        return getattr(module, name)(policy=_in_ssrfguard(policy), timeout=min(timeout, _seconds(policy)), **options)

    return make


def _ssrfguard_requests(policy: Policy, **_: Any) -> Any:
    return importlib.import_module("ssrfguard.requests").Session(policy=_in_ssrfguard(policy))


# The cases


@contextmanager
def network() -> Iterator[tuple[Any, Callable[..., Any]]]:
    """Yield the names that resolve, and a function that starts a server."""
    names = web.Network()
    with web.loopback_only(names), ExitStack() as stack:

        def serve(answers: Any = None, *, at: str = "127.0.0.1", context: Any = None) -> Any:
            server = web.Server(answers or {}, at, context)
            threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
            stack.callback(server.stop)
            allowed_ports.add(server.port)
            return server

        yield names, serve


def cases(client: Any) -> Iterator[tuple[str, str, bool]]:
    """Yield each group and case, and whether a client held it."""
    for make in (_refused, _parsers, _redirects, _limits, _works):
        yield from make(client)


def _dials(client: Any, names: Any, policy: Policy, *urls: str) -> list[tuple[str, int]]:
    """Return what a client dialled for the URLs, one after another."""
    names.dials.clear()
    for url in urls:
        _fetch(client, policy, url)
    return [*names.dials]


def _fetch(client: Any, policy: Policy, url: str, **options: Any) -> list[Any] | None:
    """Return the answers, or None if the client raised an error."""
    with suppress(Exception):  # refusals of every library
        found: list[Any] = client.fetch(policy, url, **options)
        return found
    return None


def _refused(client: Any) -> Iterator[tuple[str, str, bool]]:
    with network() as (names, serve):
        for host in refusals.LITERAL:
            yield "literal", host, not _dials(client, names, Policy(), f"http://{host}/")
        server = serve()
        names.names = {"localhost": [["127.0.0.1", "::1"]]}
        for host in refusals.EXOTIC:
            dials = _dials(client, names, Policy(), f"http://{host}/", f"http://{host}:{server.port}/")
            yield "spellings", host, not dials
        for answers, url in itertools.product(refusals.ANSWERS, refusals.NAMED):
            names.names = {"name.test": [answers]}
            dials = _dials(client, names, Policy(), url)
            yield "names", f"{url} {answers}", all(address in refusals.PUBLIC for address, _ in dials)
        names.names = {"twice.test": [["127.0.0.1"], ["127.0.0.2"]]}
        dials = _dials(client, names, refusals.HERE, *[f"http://twice.test:{server.port}/"] * 2)
        yield "names", "rebinding", {address for address, _ in dials} == {"127.0.0.1"}
        for port in refusals.PORTS:
            yield "ports", str(port), not _dials(client, names, refusals.HERE, f"http://127.0.0.1:{port}/")


def _parsers(client: Any) -> Iterator[tuple[str, str, bool]]:
    with network() as (names, serve):
        good, bad = serve(), serve(at="127.0.0.2")
        for trick in refusals.TRICKS:
            dials = _dials(client, names, refusals.HERE, trick.format(a=good.port, b=bad.port))
            yield "parsers", repr(trick), {address for address, _ in dials} <= {"127.0.0.1"}


def _redirects(client: Any) -> Iterator[tuple[str, str, bool]]:
    for status, target in itertools.product(refusals.STATUSES, refusals.TARGETS):
        with network() as (names, serve):
            other = serve(at="127.0.0.2")
            names.names = {"other.test": [["127.0.0.2"]]}
            place = web.respond(status, Location=target.format(port=other.port))
            server = serve({"/": place, "*": web.respond(404)})
            dials = _dials(client, names, refusals.HERE, f"http://127.0.0.1:{server.port}/")
            held = all(address == "127.0.0.1" and port not in refusals.PORTS for address, port in dials)
            yield "redirects", f"{status} {target}", bool(server.heard) and held and not other.heard


def _limits(client: Any) -> Iterator[tuple[str, str, bool]]:
    def ends(policy: Policy, act: Any = None, *, url: str = "http://127.0.0.1:{}/", **options: Any) -> bool:
        """Return True if a client gives up in time, or gets no more than the limit."""
        with network() as (names, serve):
            names.slow = {"slow.test": PATIENCE + 1}
            context = options.pop("context", None)
            server = serve({"*": act} if act else {}, context=context)
            found: list[Any] = []
            work = threading.Thread(
                target=lambda: found.append(_fetch(client, policy, url.format(server.port), **options)), daemon=True
            )
            work.start()
            work.join(PATIENCE)
            if not found:
                server.stop()
                work.join(2 * PATIENCE)
                return False
            return found[0] is None or sum(len(each.body) for each in found[0]) <= policy.limits.content

    for act in limits.TOO_LATE:
        yield "limits", f"deadline, {act.__name__}", ends(limits.SHORT, act)
    with _authority() as authority:
        context, trusting, file = web.contexts(authority)
        verify = str(file) if client.library == "requests" else trusting
        for act in limits.TOO_LATE_IN_TLS:
            held = ends(limits.SHORT, act, url="https://127.0.0.1:{}/", context=context, verify=verify)
            yield "limits", f"deadline over TLS, {act.__name__}", held
    upload: dict[str, Any] = {"url": "http://127.0.0.1:{}/slow-upload", "method": "POST", "content": b"x" * 30_000_000}
    yield "limits", "deadline, slow upload", ends(limits.SHORT, limits.read_slowly, **upload)
    for policy in (limits.SHORT, Policy(limits=Limits(resolve=0.2))):
        yield "limits", f"slow name server, {policy}", ends(policy, url="http://slow.test/")
    for limit, act in limits.OTHER_WAITS:
        yield "limits", f"{limit}, {act.__name__}", ends(Policy(networks=("127.0.0.1",), limits=limit), act)
    small = Policy(networks=("127.0.0.1",), limits=Limits(content=1_000_000, decoded=1_000_000))
    yield "limits", "endless content", ends(small, limits.endless)
    for coding in limits.CODINGS:
        bomb = web.respond(200, limits.encoded(coding, bytes(20_000_000)), Content_Encoding=coding.rpartition(" ")[2])
        yield "limits", f"bomb, {coding}", ends(small, bomb)
    for limit, most in ((Limits(hops=3), 4), (Limits(connections=2), 2)):
        with network() as (_, serve):
            server = serve({"*": web.respond(302, Location="/", Connection="close")})
            _fetch(client, Policy(networks=("127.0.0.1",), limits=limit), f"http://127.0.0.1:{server.port}/")
            yield "limits", str(limit), len(server.heard) <= most


@contextmanager
def _authority() -> Iterator[Any]:
    """Yield an authority of certificates and its file, as the fixture of the tests does."""
    made = importlib.import_module("trustme").CA()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "ca.pem")
        made.cert_pem.write_to_path(str(file))
        yield made, file


def _works(client: Any) -> Iterator[tuple[str, str, bool]]:
    tests = [*vars(works).values(), limits.test_content_with_a_coding_arrives]
    for test in tests:
        name = getattr(test, "__name__", "")
        if not name.startswith("test_") or "client" not in inspect.signature(test).parameters:
            continue
        tables = [mark.args for mark in test.pytestmark if mark.name == "parametrize" and mark.args[0] != "client"]
        for values in itertools.product(*(table for _, table in tables)):
            with network() as (names, serve), _authority() as authority:
                fixtures = {"client": client, "network": names, "serve": serve, "authority": authority}
                fixtures |= {argument: value for (argument, _), value in zip(tables, values, strict=True)}
                wanted = {each: fixtures[each] for each in inspect.signature(test).parameters}
                held = False
                with suppress(Exception, pytest.fail.Exception):
                    test(**wanted)
                    held = True
                yield "works", f"{name} {values or ''}", held


if __name__ == "__main__":
    main()
