"""What is reviewed, as the checks see it: each piece is made once, when a check first needs it.

In the process of a worker alone: this room imports the plugin.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, TypeVar

from urlschemes.errors import GrammarError, InvalidURL, PluginError, RegistrationError, URLError
from urlschemes.scheme.registration import FILE, Registration
from urlschemes.storage.package_data import read_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from urlschemes.grammar.syntax import Syntax
    from urlschemes.registry.registry import Registry
    from urlschemes.scheme.scheme import Scheme
    from urlschemes.url.value import URL
    from urlschemes_conformance.review.showing import Shown
    from urlschemes_conformance.review.targets import Target

__all__ = ["Missing", "Subject", "as_text", "shortest"]

T = TypeVar("T")


class Missing(Exception):
    """What a check needs is not there; the text says which check tells why."""


class Subject:
    """What is reviewed. `examples` URLs are made with `seed`, and half as many texts that are almost URLs.

    A piece that cannot be made raises Missing each time.
    """

    def __init__(self, target: Target, examples: int, seed: int) -> None:
        self.target = target
        self.examples = examples
        self.seed = seed
        self._made: dict[str, tuple[Any, Exception | None]] = {}

    def _once(self, name: str, make: Callable[[], T]) -> T:
        if name not in self._made:
            try:
                self._made[name] = make(), None
            except Exception as fault:  # noqa: BLE001  it is raised again, each time
                self._made[name] = None, fault
        value, error = self._made[name]
        if error is not None:
            raise error
        made: T = value
        return made

    # The record

    def read(self) -> Registration:
        """The record. Raises RegistrationError, PluginContractError, OSError, and ImportError for no package."""
        target = self.target
        if target.record:
            return Registration.from_file(target.record)
        text, source = read_file(target.module, FILE)
        return Registration.from_text(text, source=source)

    @property
    def record(self) -> Registration:
        """The record."""

        def make() -> Registration:
            try:
                return self.read()
            except GrammarError:
                raise Missing("the BNF cannot be read: see the check grammar") from None
            except RegistrationError as error:
                check = "status" if error.field == "status" else "record"
                raise Missing(f"the record cannot be read: see the check {check}") from None
            except (PluginError, OSError, ImportError, UnicodeDecodeError):
                raise Missing("the record cannot be read: see the check record") from None

        return self._once("record", make)

    @property
    def syntax(self) -> Syntax:
        """The syntax of the record, its pattern compiled."""

        def make() -> Syntax:
            syntax = self.record.syntax
            try:
                syntax.fullmatch  # noqa: B018  compiles it
            except RegistrationError:
                raise Missing("no pattern can be made of the BNF: see the check grammar") from None
            return syntax

        return self._once("syntax", make)

    @property
    def plain_type(self) -> type[URL]:
        """The type that the core makes of the record, without any code of the plugin's."""

        def make() -> type[URL]:
            from urlschemes.scheme.scheme import Scheme

            self.syntax  # noqa: B018  raises where it cannot be used
            try:
                return Scheme(self.record).url_type
            except URLError:
                raise Missing("the BNF and the name do not fit together: see the check grammar") from None

        return self._once("plain_type", make)

    # The code

    @property
    def registry(self) -> Registry:
        """The default registry of this process, in which the scheme is the one that is reviewed."""

        def make() -> Registry:
            from urlschemes import default_registry as registry

            registry.register(self.scheme, replace=True)
            return registry

        return self._once("registry", make)

    @property
    def scheme(self) -> Scheme:
        """The scheme that the entry point names, imported; of a record alone, what the core makes of it."""

        def make() -> Scheme:
            from urlschemes.registry.loading import load_scheme
            from urlschemes.scheme.scheme import Scheme

            self.plain_type  # noqa: B018  raises where the record cannot be used
            if self.target.record:
                return Scheme(self.record)
            try:
                return load_scheme(self.target.claim)
            except PluginError:
                raise Missing("the scheme cannot be loaded: see the check contract") from None

        return self._once("scheme", make)

    @property
    def url_type(self) -> type[URL]:
        """The type of its URLs."""
        return self.scheme.url_type

    @property
    def has_code(self) -> bool:
        """Whether there is more than a record."""
        return bool(self.target.attribute)

    # Texts

    @property
    def texts(self) -> tuple[str, ...]:
        """Texts that are URLs by the BNF, the shortest first: the valid examples of the record among them."""

        def make() -> tuple[str, ...]:
            from urlschemes_testing.strategies import urls

            given = [each.url for each in self.record.examples if self.syntax.fullmatch(each.url)]
            return tuple(sorted({*given, *drawn(urls(self.syntax), self.examples, self.seed)}, key=_length))

        return self._once("texts", make)

    @property
    def misses(self) -> tuple[str, ...]:
        """Texts that are almost URLs, the shortest first."""

        def make() -> tuple[str, ...]:
            from urlschemes_testing.strategies import near_misses

            return tuple(sorted({*drawn(near_misses(self.syntax), self.examples // 2, self.seed)}, key=_length))

        return self._once("misses", make)

    @property
    def urls(self) -> tuple[URL, ...]:
        """The URLs of `texts`, as the type reads them; what it refuses is left to the check same-language."""

        def make() -> tuple[URL, ...]:
            kind = self.url_type
            made = []
            for text in self.texts:
                try:
                    made.append(kind.parse(text))
                except InvalidURL:
                    continue
            if not made:
                raise Missing("the type reads no URL of the BNF: see the check same-language")
            return tuple(made)

        return self._once("urls", make)

    # The access

    @property
    def demonstrated(self) -> Shown:
        """The demonstration, accessed and written down. Raises what the access does."""
        return self._once("demonstrated", self.show)

    def show(self, watching: Callable[[], AbstractContextManager[None]] = nullcontext) -> Shown:
        """Access it anew, `watching` while that lasts. Raises what the access does."""
        from urlschemes_conformance.review.showing import show

        assert self.target.demo is not None
        return show(self.scheme, self.target.demo, self.registry, watching)

    @property
    def shown(self) -> Shown:
        """As `demonstrated`, for checks that need it."""
        if not self.has_code:
            raise Missing("there is a record and no code: its URLs are parsed and built, and not accessed")
        if not self.record.operations:
            raise Missing("the record offers no operation")
        if self.target.demo is None:
            raise Missing("there is no demonstration: see the check demonstration")
        try:
            return self.demonstrated
        except Missing:
            raise
        except Exception:  # noqa: BLE001  that check says which
            raise Missing("the demonstration failed: see the check demonstration") from None

    @property
    def pause(self) -> float:
        """Seconds that the algorithm works at most between two requests, in the quickest of several runs."""
        from urlschemes_conformance.review.showing import quickest

        return self._once("pause", lambda: quickest(self.shown))


def drawn(strategy: Any, count: int, seed: int) -> list[str]:
    """Texts of a strategy: always the same ones."""
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded

    texts: list[str] = []

    @seeded(seed)
    @settings(
        max_examples=max(count, 1),
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def draw(text: str) -> None:
        texts.append(text)

    draw()
    return texts


def shortest(texts: list[str]) -> str:
    """The one that is read at a glance; "" of none."""
    return min(texts, key=_length, default="")


def _length(text: str) -> tuple[int, str]:
    return len(text), text


def as_text(url: URL) -> str:
    """The text of a URL as the core holds it, whatever its type makes of `str`."""
    from urlschemes.url.value import URL

    return URL.__str__(url)
