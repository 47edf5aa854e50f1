"""The guarded clients behind one face: a program's requests, one after another, in one client."""

from __future__ import annotations

import asyncio
import importlib
import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

NEEDS = "needs {}: python3 dev --group bridges pytest"


@dataclass
class Got:
    """An answer."""

    status: int
    body: bytes
    url: str
    headers: Any


@dataclass
class Guarded:
    """A guarded client. `family` is the base of its errors; `complete` is False if it bounds no content."""

    name: str
    library: str
    fetch: Callable[..., list[Got]]
    complete: bool = True

    @property
    def module(self) -> Any:
        return importlib.import_module(f"urlschemes_guard.{self.library}")

    @property
    def family(self) -> type[Exception]:
        client: Any = importlib.import_module(self.library)
        found: type[Exception] = {
            "requests": lambda: client.RequestException,
            "aiohttp": lambda: client.ClientError,
        }.get(self.library, lambda: client.TransportError)()
        return found

    def __str__(self) -> str:
        return self.name


def httpx_fetch(make: Callable[..., Any]) -> Callable[..., list[Got]]:
    """Return `fetch` for clients that `make` makes from a policy and the arguments of httpx."""

    def fetch(
        policy: Any, *urls: str, verify: Any = True, http2: bool = False, registry: Any = None, **options: Any
    ) -> list[Got]:
        method = options.pop("method", "GET")
        with make(
            policy=policy, registry=registry, verify=verify, http2=http2, follow_redirects=True, timeout=20
        ) as client:
            found = []
            for url in urls:
                response = client.request(method, url, **options)
                found.append(Got(response.status_code, response.content, str(response.url), response.headers))
            return found

    return fetch


def httpx_async_fetch(make: Callable[..., Any], backend: str) -> Callable[..., list[Got]]:
    """Return the same for asynchronous clients."""

    def fetch(
        policy: Any, *urls: str, verify: Any = True, http2: bool = False, registry: Any = None, **options: Any
    ) -> list[Got]:
        method = options.pop("method", "GET")

        async def run() -> list[Got]:
            found = []
            async with make(
                policy=policy, registry=registry, verify=verify, http2=http2, follow_redirects=True, timeout=20
            ) as client:
                for url in urls:
                    response = await client.request(method, url, **options)
                    found.append(Got(response.status_code, response.content, str(response.url), response.headers))
            return found

        import anyio

        return anyio.run(run, backend=backend)

    return fetch


def requests_fetch(
    make: Callable[..., Any], timeout: Callable[[Any], float] = lambda _: 20
) -> Callable[..., list[Got]]:
    """Return `fetch` for sessions that `make` makes from a policy; `timeout` returns that of requests."""

    def fetch(policy: Any, *urls: str, registry: Any = None, **options: Any) -> list[Got]:
        options.setdefault("timeout", timeout(policy))
        method = options.pop("method", "GET")
        if "content" in options:
            options["data"] = options.pop("content")
        options.pop("http2", None)
        with make(policy, registry=registry) as session:
            found = []
            for url in urls:
                response = session.request(method, url, **options)
                found.append(Got(response.status_code, response.content, str(response.url), response.headers))
            return found

    return fetch


def aiohttp_fetch(make: Callable[..., Any]) -> Callable[..., list[Got]]:
    """Return `fetch` for sessions that `make` makes from a policy and the arguments of a session and a connector."""

    def fetch(policy: Any, *urls: str, registry: Any = None, verify: Any = True, **options: Any) -> list[Got]:
        import aiohttp

        method = options.pop("method", "GET")
        options.pop("http2", None)
        if "content" in options:
            options["data"] = io.BytesIO(options.pop("content"))
        if "auth" in options:
            options["headers"] = {"Authorization": aiohttp.encode_basic_auth(*options.pop("auth"))}

        async def run() -> list[Got]:
            found = []
            jar = aiohttp.CookieJar(unsafe=True)
            try:
                async with make(policy, registry=registry, ssl=verify, cookie_jar=jar) as session:
                    for url in urls:
                        async with session.request(method, url, **options) as response:
                            content = await response.read()
                            found.append(Got(response.status, content, str(response.url), response.headers))
            finally:
                if verify is not True:  # aiohttp does not wait until connections of TLS are closed
                    await asyncio.sleep(0.1)
            return found

        return asyncio.run(run())

    return fetch


def _of(library: str, name: str) -> Callable[..., Any]:
    """Return a function that makes clients of the class `name` of a module of the guard."""

    def make(*arguments: Any, **options: Any) -> Any:
        return getattr(importlib.import_module(f"urlschemes_guard.{library}"), name)(*arguments, **options)

    return make


def _aiohttp(policy: Any, *, registry: Any, ssl: Any, cookie_jar: Any) -> Any:

    from urlschemes_guard.aiohttp import PolicyConnector, session

    return session(PolicyConnector(policy, registry=registry, ssl=ssl), cookie_jar=cookie_jar)


ALL = [
    Guarded("httpx", "httpx", httpx_fetch(_of("httpx", "Client"))),
    Guarded("httpx, asyncio", "httpx", httpx_async_fetch(_of("httpx", "AsyncClient"), "asyncio")),
    Guarded("httpx, trio", "httpx", httpx_async_fetch(_of("httpx", "AsyncClient"), "trio")),
    Guarded("httpx2", "httpx2", httpx_fetch(_of("httpx2", "Client"))),
    Guarded("httpx2, asyncio", "httpx2", httpx_async_fetch(_of("httpx2", "AsyncClient"), "asyncio")),
    Guarded("requests", "requests", requests_fetch(_of("requests", "Session"))),
    Guarded("aiohttp", "aiohttp", aiohttp_fetch(_aiohttp), complete=False),
]


def clients(*, complete: bool = False, only: str = "") -> Any:
    """Return the mark of a test for each client; with `complete`, for those that bound content."""
    chosen = [each for each in ALL if (each.complete or not complete) and each.library.startswith(only)]
    return pytest.mark.parametrize("client", chosen, ids=str, indirect=True)
