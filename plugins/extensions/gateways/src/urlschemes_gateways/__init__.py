"""Gateways from environment variables, as the first Web browsers used them: `WWW_<scheme>_GATEWAY`.

CERN's library, and the browsers made from it, looked for this variable before they accessed a URL of the scheme. If it
held the address of a gateway, they accessed the path `/host.dom:210/db?words` of the gateway in place of
`wais://host.dom:210/db?words`: the host of the URL became the first segment of the path, and the path of the gateway's
own address was lost.

    WWW_wais_GATEWAY=http://gw.dom:8001/        wais://host.dom/db?a  ->  http://gw.dom:8001/host.dom/db?a

Nothing is done if the client does not trust the environment.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from urlschemes.errors import ConfigurationError
from urlschemes.grammar.profile import authority_of
from urlschemes.registry.hooks import hookimpl
from urlschemes_access.protocol.hosts import server_syntax

if TYPE_CHECKING:
    from urlschemes import URL

__all__ = ["urlschemes_gateway"]


@hookimpl
def urlschemes_gateway(url: URL, trust_env: bool) -> str | None:
    """Return the URL to access at the gateway that the environment names for the scheme. Raises ConfigurationError."""
    variable = f"WWW_{url.scheme}_GATEWAY"
    gateway = os.environ.get(variable) if trust_env else None
    return _url_at_gateway(url, variable, gateway) if gateway else None


def _url_at_gateway(url: URL, variable: str, gateway: str) -> str:
    profile = url.syntax.profile
    place = authority_of(gateway, profile)
    scheme = gateway.partition(":")[0]
    is_server = place is not None and server_syntax(profile).fullmatch(gateway[place.start : place.end]) is not None
    if place is None or not is_server or gateway[place.end :] not in {"", "/"} or not profile.is_scheme_name(scheme):
        raise _wrong(
            variable,
            f"is not the address of a gateway: {gateway!r}",
            "expected a URL without a path, as in http://gw.dom:8001/",
        )
    host, path = _host_and_path(url)
    if not host:
        raise _wrong(
            variable,
            f"cannot be used for {url.scheme} URLs that name no host",
            "unset it, or configure the gateway by a template ([gateways] in the configuration)",
        )
    return f"{gateway[: place.end]}/{host}{path}"


def _host_and_path(url: URL) -> tuple[str, str]:
    """Return the text between `//` and the next `/`, and the rest; no host if the URL does not begin with `//`.

    The brackets of an IPv6 address are encoded, since no path contains them.
    """
    text = str(url)
    place = authority_of(text, url.syntax.profile, ends="/")
    if place is None:
        return "", url.schemepart
    host = text[place.start : place.end].replace("[", "%5B").replace("]", "%5D")
    return host, text[place.end :]


def _wrong(variable: str, problem: str, hint: str) -> ConfigurationError:
    source = f"the environment variable {variable}"
    return ConfigurationError(f"{source} {problem}", source=source, key=variable, hint=hint)
