"""The operations on resources (section 2): what happens between `access(url)` and the resource that it gives.

    the caller's URL  ->  vetoes and gateways  ->  the algorithm of its scheme, driven  ->  Document, Listing, ...
                            (hooks.py)              (dialogue/, drive.py, aio.py)

Redirects and the URLs of listings come back here, so that what a server names is read under stricter rules than what
the caller names. Observers are told of the beginning and of the end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

from urlschemes.dialogue import Dialogue
from urlschemes.discovery import described
from urlschemes.display import one_line
from urlschemes.errors import PluginLoadError, RedirectRefused, UnknownScheme, URLError
from urlschemes.scheme import folded
from urlschemes.url import LIMIT, URL

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from urlschemes.hooks import Hooks
    from urlschemes.policy import Policy
    from urlschemes.resource import Outcome
    from urlschemes.scheme import Scheme
    from urlschemes.terms import Terms
    from urlschemes.wire import Algorithm

__all__ = ["Lookup", "Operations"]

# What `fix` would encode, and what in a redirect is a trick rather than a slip: controls, blanks and backslashes.
_NEVER_FOLLOWED = re.compile(r"[\x00-\x20\x7f\\]")

# What each operation of the registry's own methods gives; that of a plugin's own operation is the plugin's to say.
_KINDS = {
    "access": ("document", "listing", "session"),
    "find attributes": ("attributes",),
    "update": ("attributes",),
    "replace": ("attributes",),
    "delete": ("attributes",),
}
_ALL_KINDS = ("document", "listing", "session", "attributes")


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


class Operations:
    """The operations of one registry."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup

    def begin(self, operation: str, given: URL | str, terms: Terms, options: Mapping[str, Any]) -> Dialogue:
        """The operation on what `given` locates, ready to be driven. Raises what `Registry.operate` says.

        `options` are the scheme's own. Observers are told of what becomes of it.
        """
        hooks = self._lookup.hooks()
        url = given if isinstance(given, URL) else self._to_operate_on(given, hooks)
        if hooks is None:
            return self._dialogue(operation, url, terms, options, None)
        began = perf_counter()

        def watch(outcome: Outcome, error: URLError | None = None) -> None:
            hooks.observe(operation, url, outcome, error, perf_counter() - began)

        try:
            url = self._through_hooks(operation, url, terms.policy, hooks)
            return self._dialogue(operation, url, terms, options, watch)
        except URLError as error:
            watch("failed", error)
            raise

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

    def _dialogue(
        self,
        operation: str,
        url: URL,
        terms: Terms,
        options: Mapping[str, Any],
        watch: Callable[[Outcome, URLError | None], None] | None,
    ) -> Dialogue:
        scheme = self._lookup.scheme(url.scheme)
        if not isinstance(url, scheme.url_type):  # read as a generic URL, or by the type of another registry
            url = scheme.url_type.parse(str(url), limit=max(LIMIT, len(str(url))))
        return Dialogue(
            self._algorithm(scheme, operation)(url, **options),
            url=url,
            registration=scheme.registration,
            terms=terms,
            follow=lambda base, location: self.follow(base, location, operation),
            parse=self.parse_found,
            watch=watch,
            kinds=_KINDS.get(operation, _ALL_KINDS),
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
