"""URLHandler: carries out the requests of urllib.request with a client of urlschemes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.error import URLError
from urllib.request import BaseHandler, Request

import urlschemes
from urlschemes.errors import UnknownScheme
from urlschemes_access import Client, Policy
from urlschemes_urllib.response import response_of

if TYPE_CHECKING:
    from urllib.response import addinfourl

__all__ = ["URLHandler"]


class URLHandler(BaseHandler):
    """Opens URLs of `schemes`, by default those that urllib cannot open itself.

    Redirects and everything else obey the `policy`; the default allows the public Internet. `settings` are those of
    Client, such as `credentials` and `options`. Only reading is possible: a request with a method other than GET, with
    content or with header fields raises URLError, as does everything that urlschemes refuses. Raises UnknownScheme for
    a scheme that is not installed.
    """

    handler_order = 100  # before urllib's own handlers, for ftp, http, https and file

    def __init__(self, *schemes: str, policy: Policy | None = None, **settings: Any) -> None:
        self._client = Client(policy=policy, **settings)
        for scheme in schemes:
            if scheme not in self._client.registry:  # urllib would open what was misspelt, without the policy
                raise UnknownScheme(f"no installed plugin provides scheme {scheme!r}", scheme=scheme)
        for name in map(str.lower, schemes or ["unknown"]):  # `unknown_open` is called where urllib has no other
            setattr(self, f"{name}_open", self._open)

    def _open(self, request: Request) -> addinfourl:
        if request.get_method() != "GET" or request.data is not None or request.headers:
            raise URLError(f"{request.type} URLs are opened by urlschemes: only GET, without content and header fields")
        try:
            resource = self._client.access(request.full_url, policy=self._policy(request))
        except urlschemes.URLError as error:
            raise URLError(error) from error
        return response_of(resource, request.full_url)

    def _policy(self, request: Request) -> Policy:
        """Return the policy with the timeout of the request, which bounds each wait as that of a socket does."""
        policy = self._client.policy
        timeout = getattr(request, "timeout", None)  # an object that stands for none, unless the caller named one
        if not isinstance(timeout, int | float):
            return policy
        return replace(policy, limits=replace(policy.limits, connect=timeout, first_octet=timeout, idle=timeout))
