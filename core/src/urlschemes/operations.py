"""The operations on resources (section 2): what happens between `access(url)` and the resource that it gives.

    the caller's URL  ->  vetoes and gateways  ->  the algorithm of its scheme, driven  ->  Document, Listing, ...
                            (hooks.py)                      (drive.py)

Redirects and the URLs of listings come back here, so that what a server names is read under stricter rules than what
the caller names. Observers are told of the beginning and of the end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

from urlschemes.discovery import described
from urlschemes.display import one_line
from urlschemes.drive import run
from urlschemes.errors import PluginContractError, PluginLoadError, RedirectRefused, UnknownScheme, URLError
from urlschemes.policy import Policy
from urlschemes.resource import Attributes
from urlschemes.scheme import folded
from urlschemes.url import LIMIT, URL

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Mapping

    from urlschemes.drive import TraceEvent
    from urlschemes.hooks import Hooks, Outcome
    from urlschemes.resource import Answers, Credentials, Document, Form, Listing, Session
    from urlschemes.scheme import Scheme
    from urlschemes.wire import Algorithm, Authenticate

__all__ = ["Lookup", "Operations", "Terms"]

# What `fix` would encode, and what in a redirect is a trick rather than a slip: controls, blanks and backslashes.
_NEVER_FOLLOWED = re.compile(r"[\x00-\x20\x7f\\]")


@dataclass(frozen=True, slots=True)
class Lookup:
    """What operations ask of the registry that they belong to.

    `scheme` gives the scheme of a name, its plugin imported if need be; `parse` the URL of a text. `is_strange` says
    of a name whether its scheme would have to be imported first, from a plugin of a third party. `provider` says who
    made a scheme. `hooks` are the hooks, if there are any.
    """

    scheme: Callable[[str], Scheme]
    parse: Callable[[str], URL]
    is_strange: Callable[[str], bool]
    provider: Callable[[Scheme], str]
    hooks: Callable[[], Hooks | None]


@dataclass(frozen=True, slots=True)
class Terms:
    """On what terms an operation is carried out: the arguments of `Registry.access`, which says what they mean."""

    policy: Policy | None
    deadline: float | None
    credentials: Callable[[Authenticate], Credentials | None] | None
    ask: Callable[[Form], Answers] | None
    trace: Callable[[TraceEvent], None] | None
    ssl_context: ssl.SSLContext | None
    options: Mapping[str, Any]


class Operations:
    """The operations of one registry."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup

    def access(self, given: URL | str, terms: Terms) -> Document | Listing | Session:
        """Access the resource. Raises what `Registry.access` says."""
        resource = self._operate("access", given, terms)
        if isinstance(resource, Attributes):
            raise _owed("access", "a Document, a Listing or a Session", resource)
        return resource

    def find_attributes(self, given: URL | str, terms: Terms) -> Attributes:
        """What is known of the resource. Raises what `Registry.access` says."""
        attributes = self._operate("find attributes", given, terms)
        if not isinstance(attributes, Attributes):
            attributes.close()
            raise _owed("find attributes", "Attributes", attributes)
        return attributes

    def _operate(self, operation: str, given: URL | str, terms: Terms) -> Document | Listing | Session | Attributes:
        policy = Policy.untrusted() if terms.policy is None else terms.policy
        hooks = self._lookup.hooks()
        url = given if isinstance(given, URL) else self._to_operate_on(given, hooks)
        if hooks is None:
            return self._run(operation, url, policy, terms, None)
        began = perf_counter()

        def observe(outcome: Outcome, error: URLError | None = None) -> None:
            hooks.observe(operation, url, outcome, error, perf_counter() - began)

        def ended(complete: bool, fault: BaseException | None) -> None:
            if isinstance(fault, URLError):
                observe("failed", fault)
            else:
                observe("completed" if complete else "abandoned")

        try:
            url = self._through_hooks(operation, url, policy, hooks)
            resource = self._run(operation, url, policy, terms, ended)
        except URLError as error:
            observe("failed", error)
            raise
        observe("opened")
        return resource

    def _to_operate_on(self, text: str, hooks: Hooks | None) -> URL:
        """The URL of the text. A gateway may know a way to one whose scheme nobody provides."""
        try:
            return self._lookup.parse(text)
        except UnknownScheme:
            if hooks is None:
                raise
            return URL.parse(text)

    def _through_hooks(self, operation: str, url: URL, policy: Policy, hooks: Hooks) -> URL:
        """The URL to operate on, after the vetoes and the gateways."""
        hooks.check_vetoes(url, operation)
        through = hooks.gateway(url, operation)
        if through is None:
            return url
        policy.check_scheme(url.scheme)
        url = self._lookup.parse(through)
        hooks.check_vetoes(url, operation)
        return url

    def _run(
        self,
        operation: str,
        url: URL,
        policy: Policy,
        terms: Terms,
        ended: Callable[[bool, BaseException | None], None] | None,
    ) -> Document | Listing | Session | Attributes:
        scheme = self._lookup.scheme(url.scheme)
        if not isinstance(url, scheme.url_type):  # read as a generic URL, or by the type of another registry
            url = scheme.url_type.parse(str(url), limit=max(LIMIT, len(str(url))))
        return run(
            self._algorithm(scheme, operation)(url, **terms.options),
            url=url,
            registration=scheme.registration,
            policy=policy,
            deadline=terms.deadline,
            credentials=terms.credentials,
            ask=terms.ask,
            trace=terms.trace,
            follow=lambda base, location: self.follow(base, location, operation),
            parse=self.parse_found,
            ssl_context=terms.ssl_context,
            ended=ended,
        )

    def _algorithm(self, scheme: Scheme, operation: str) -> Callable[..., Algorithm[None]]:
        try:
            return scheme.algorithm(operation)
        except (URLError, KeyboardInterrupt, MemoryError):
            raise
        except BaseException as error:  # as when the plugin itself is imported
            provider = self._lookup.provider(scheme)
            raise PluginLoadError(
                f"the algorithm of the scheme {scheme.name}, of {provider}, cannot be imported: {described(error)}",
                scheme=scheme.name,
                distribution=provider,
            ) from error

    def follow(self, base: URL, location: str, operation: str) -> URL:
        """The URL that a redirect leads to. Only the schemes that the record names can be reached, and so loaded.

        What real servers write is repaired, but for what can only be a trick. Raises InvalidURL, NotRepairable,
        UnknownScheme, RedirectRefused, PolicyDenied.
        """
        from urlschemes.repair import fix

        allowed = base.registration.redirects if base.registration else ()
        text = base.resolve(location)

        def type_of(name: str) -> type[URL]:
            if folded(name) not in allowed:
                raise RedirectRefused(
                    f"a redirect from {base.scheme} leads to {name}",
                    reason="scheme",
                    location=one_line(location, 120),
                )
            return self._lookup.scheme(name).url_type

        if _NEVER_FOLLOWED.search(text):
            target = type_of(text.partition(":")[0]).parse(text)
        else:
            target = fix(text, type_of, LIMIT).url
        hooks = self._lookup.hooks()
        if hooks:
            hooks.check_vetoes(target, operation)
        return target

    def parse_found(self, text: str) -> URL:
        """The URL of a text that nobody typed: of a menu, of a listing. It never loads a plugin of a third party.

        The URL of a scheme that would need one is a generic URL. Raises InvalidURL, UnknownScheme, PluginError.
        """
        if self._lookup.is_strange(text.partition(":")[0]):
            return URL.parse(text)
        return self._lookup.parse(text)


def _owed(operation: str, wants: str, has: object) -> PluginContractError:
    kind = type(has).__name__
    return PluginContractError(
        f"the algorithm of the operation {operation!r} gave a resource of the wrong kind: {kind}",
        wants=wants,
        has=kind,
    )
