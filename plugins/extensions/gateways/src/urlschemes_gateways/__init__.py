"""Gateways as the first Web browsers were told of them: by variables of the environment, one for each scheme.

The library of CERN's browsers, and those that were made from it, looked for `WWW_<scheme>_GATEWAY` before it accessed a
URL of that scheme. Where the variable held the address of a gateway, what was accessed in place of
`wais://host.dom:210/db?words` was the path `/host.dom:210/db?words` at the gateway: the host of the URL became the
first segment of the path, and whatever path the gateway's own address had was lost.

    WWW_wais_GATEWAY=http://gw.dom:8001/        wais://host.dom/db?a  ->  http://gw.dom:8001/host.dom/db?a

Nothing is done where the registry does not trust the environment.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from urlschemes.grammar.octets import SCHEME_NAME
from urlschemes.registry.hooks import hookimpl

if TYPE_CHECKING:
    from urlschemes import URL

__all__ = ["urlschemes_gateway"]

_GATEWAY = re.compile(rf"({SCHEME_NAME.pattern})://([A-Za-z0-9.\-]{{1,255}}(?::\d{{1,5}})?)/?", re.ASCII)


@hookimpl
def urlschemes_gateway(url: URL, trust_env: bool) -> str | None:
    """The URL at the gateway that the environment names for the scheme. Raises ConfigurationError."""
    variable = f"WWW_{url.scheme}_GATEWAY"
    gateway = os.environ.get(variable) if trust_env else None
    return _through(url, variable, gateway) if gateway else None


def _through(url: URL, variable: str, gateway: str) -> str:
    from urlschemes.errors import ConfigurationError

    found = _GATEWAY.fullmatch(gateway)
    if found is None:
        raise ConfigurationError(
            f"the environment variable {variable} is no address of a gateway: {gateway!r}",
            source=f"the environment variable {variable}",
            key=variable,
            hint="it is written like http://gw.dom:8001/, without a path: the host of the URL takes its place",
        )
    slashes, host, path = _hierarchy(url)
    if not slashes or not host:
        raise ConfigurationError(
            f"the environment variable {variable} cannot lead to {url.scheme} URLs that name no host",
            source=f"the environment variable {variable}",
            key=variable,
            hint="unset it, or configure the gateway with a template ([gateways] in the configuration)",
        )
    scheme, authority = found.groups()
    return f"{scheme}://{authority}/{host}{path}"


def _hierarchy(url: URL) -> tuple[str, str, str]:
    """The two slashes, what stands for the host, and all that follows, as far as they are there."""
    rest = str(url).partition(":")[2]
    if not rest.startswith("//"):
        return "", "", rest
    host, slash, path = rest[2:].partition("/")
    return "//", host, slash + path
