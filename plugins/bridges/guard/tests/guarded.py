"""The guarded clients behind one face: a program's requests, one after another, in one client."""

from __future__ import annotations

import asyncio
import importlib
import io
import ssl
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


def _httpx(library: str) -> Callable[..., list[Got]]:
    def fetch(
        policy: Any, *urls: str, verify: Any = True, http2: bool = False, registry: Any = None, **options: Any
    ) -> list[Got]:
        module: Any = importlib.import_module(f"urlschemes_guard.{library}")
        method = options.pop("method", "GET")
        with module.Client(
            policy=policy, registry=registry, verify=verify, http2=http2, follow_redirects=True, timeout=20
        ) as client:
            found = []
            for url in urls:
                response = client.request(method, url, **options)
                found.append(Got(response.status_code, response.content, str(response.url), response.headers))
            return found

    return fetch


def _httpx_async(library: str, backend: str) -> Callable[..., list[Got]]:
    def fetch(
        policy: Any, *urls: str, verify: Any = True, http2: bool = False, registry: Any = None, **options: Any
    ) -> list[Got]:
        module: Any = importlib.import_module(f"urlschemes_guard.{library}")
        method = options.pop("method", "GET")

        async def run() -> list[Got]:
            found = []
            async with module.AsyncClient(
                policy=policy, registry=registry, verify=verify, http2=http2, follow_redirects=True, timeout=20
            ) as client:
                for url in urls:
                    response = await client.request(method, url, **options)
                    found.append(Got(response.status_code, response.content, str(response.url), response.headers))
            return found

        import anyio

        return anyio.run(run, backend=backend)

    return fetch


def _requests(policy: Any, *urls: str, registry: Any = None, **options: Any) -> list[Got]:
    from urlschemes_guard.requests import Session

    options.setdefault("timeout", 20)
    method = options.pop("method", "GET")
    if "content" in options:
        options["data"] = options.pop("content")
    options.pop("http2", None)
    if isinstance(options.get("verify"), ssl.SSLContext):
        options["verify"] = options["verify"].cafile  # type: ignore[attr-defined]  # set by the test
    with Session(policy, registry=registry) as session:
        found = []
        for url in urls:
            response = session.request(method, url, **options)
            found.append(Got(response.status_code, response.content, str(response.url), response.headers))
        return found


def _aiohttp(policy: Any, *urls: str, registry: Any = None, verify: Any = True, **options: Any) -> list[Got]:
    import aiohttp

    from urlschemes_guard.aiohttp import PolicyConnector, session

    method = options.pop("method", "GET")
    options.pop("http2", None)
    if "content" in options:
        options["data"] = io.BytesIO(options.pop("content"))
    if "auth" in options:
        options["headers"] = {"Authorization": aiohttp.encode_basic_auth(*options.pop("auth"))}

    async def run() -> list[Got]:
        found = []
        connector = PolicyConnector(policy, registry=registry, ssl=verify)
        async with session(connector, cookie_jar=aiohttp.CookieJar(unsafe=True)) as client:
            for url in urls:
                async with client.request(method, url, **options) as response:
                    found.append(Got(response.status, await response.read(), str(response.url), response.headers))
        return found

    return asyncio.run(run())


ALL = [
    Guarded("httpx", "httpx", _httpx("httpx")),
    Guarded("httpx, asyncio", "httpx", _httpx_async("httpx", "asyncio")),
    Guarded("httpx, trio", "httpx", _httpx_async("httpx", "trio")),
    Guarded("httpx2", "httpx2", _httpx("httpx2")),
    Guarded("httpx2, asyncio", "httpx2", _httpx_async("httpx2", "asyncio")),
    Guarded("requests", "requests", _requests),
    Guarded("aiohttp", "aiohttp", _aiohttp, complete=False),
]


def clients(*, complete: bool = False, only: str = "") -> Any:
    """Return the mark of a test for each client; with `complete`, for those that bound content."""
    chosen = [each for each in ALL if (each.complete or not complete) and each.library.startswith(only)]
    return pytest.mark.parametrize("client", chosen, ids=str, indirect=True)
