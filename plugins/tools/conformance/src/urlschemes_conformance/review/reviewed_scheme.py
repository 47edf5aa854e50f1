"""The scheme under review, as the checks see it. Each piece is made once, when a check first needs it.

For a worker process only: this module imports the plugin.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, TypeVar

from urlschemes import Registry
from urlschemes.errors import GrammarError, InvalidURL, PluginError, RegistrationError, URLError
from urlschemes.registry.plugins import code_for, load_scheme
from urlschemes.scheme.registration import Registration
from urlschemes.scheme.scheme import Scheme
from urlschemes.storage.package_data import read_file
from urlschemes_testing.generation import random_near_misses, random_urls

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from urlschemes.grammar.profile import Profile
    from urlschemes.grammar.syntax import Syntax
    from urlschemes.url.value import URL
    from urlschemes_conformance.review.recorded_access import RecordedAccess
    from urlschemes_conformance.review.target import Target

__all__ = ["CannotCheck", "ReviewedScheme"]

T = TypeVar("T")

SOME = 200
"""Texts for what takes long."""


class CannotCheck(Exception):
    """A check cannot be made. The text gives the reason, and names the check that explains it."""


class ReviewedScheme:
    """The scheme under review.

    Its URLs to test with are `examples` texts, generated from `seed`, and half as many texts that are almost URLs.
    A property whose value cannot be made raises CannotCheck.
    """

    def __init__(self, target: Target, examples: int, seed: int) -> None:
        self.target = target
        self.examples = examples
        self.seed = seed
        self._made: dict[str, tuple[Any, Exception | None]] = {}

    def _once(self, name: str, make: Callable[[], T]) -> T:
        """Return the value of `make`, or raise its error, which was made the first time."""
        if name not in self._made:
            try:
                self._made[name] = make(), None
            except Exception as error:  # noqa: BLE001  raised again each time
                self._made[name] = None, error
        value, failure = self._made[name]
        if failure is not None:
            raise failure
        made: T = value
        return made

    @property
    def profile(self) -> Profile:
        """The profile of the record."""
        return self._once("profile", lambda: Registry(profile=self.target.profile).profile)

    # The record

    def read_record(self) -> Registration:
        """Read the record. Raises RegistrationError, PluginContractError, OSError, ImportError, UnicodeDecodeError."""
        target = self.target
        if target.record:
            return Registration.from_file(target.record, self.profile)
        text, source = read_file(target.module, self.profile.record)
        return Registration.from_text(text, source=source, profile=self.profile)

    @property
    def record(self) -> Registration:
        """The record."""
        return self._once("record", self._record)

    def _record(self) -> Registration:
        try:
            return self.read_record()
        except GrammarError:
            raise CannotCheck("the BNF cannot be used: see the check grammar") from None
        except RegistrationError as error:
            check = "status" if error.field == "status" else "record"
            raise CannotCheck(f"the record cannot be used: see the check {check}") from None
        except (PluginError, OSError, ImportError, UnicodeDecodeError):
            raise CannotCheck("the record cannot be used: see the check record") from None

    @property
    def syntax(self) -> Syntax:
        """The syntax of the record, with its pattern compiled."""
        return self._once("syntax", self._syntax)

    def _syntax(self) -> Syntax:
        syntax = self.record.syntax
        try:
            syntax.fullmatch  # noqa: B018  compiles the pattern
        except RegistrationError:
            raise CannotCheck("the BNF cannot be compiled: see the check grammar") from None
        return syntax

    @property
    def generated_type(self) -> type[URL]:
        """The type that the core generates from the record, without code of the plugin."""
        return self._once("generated_type", self._generated_type)

    def _generated_type(self) -> type[URL]:
        self.syntax  # noqa: B018  raises CannotCheck if it cannot be used
        try:
            return Scheme(self.record).url_type
        except URLError:
            raise CannotCheck("the BNF does not fit the scheme's name: see the check grammar") from None

    # The code

    @property
    def has_code(self) -> bool:
        """Return True if there is more than a record."""
        return bool(code_for(self.target.claim, self.profile).attribute)

    @property
    def scheme(self) -> Scheme:
        """The scheme that the entry point names, imported; for a record by itself, the one that the core makes."""
        return self._once("scheme", self._scheme)

    def _scheme(self) -> Scheme:
        self.generated_type  # noqa: B018  raises CannotCheck if the record cannot be used
        if self.target.record:
            return Scheme(self.record)
        try:
            return load_scheme(self.target.claim, self.profile)
        except PluginError:
            raise CannotCheck("the scheme cannot be loaded: see the check contract") from None

    @property
    def url_type(self) -> type[URL]:
        """The type of its URLs."""
        return self.scheme.url_type

    @property
    def registry(self) -> Registry:
        """A registry of the profile, in which the scheme is the one under review."""
        return self._once("registry", self._registry)

    def _registry(self) -> Registry:
        registry = Registry(profile=self.profile)
        registry.register(self.scheme, replace=True)
        return registry

    # Texts and URLs to test with

    @property
    def valid_texts(self) -> tuple[str, ...]:
        """Texts that are URLs by the BNF, the shortest first; the valid examples of the record are among them."""
        return self._once("valid_texts", self._valid_texts)

    def _valid_texts(self) -> tuple[str, ...]:
        examples = [each.url for each in self.record.examples if self.syntax.fullmatch(each.url)]
        return tuple(sorted({*examples, *random_urls(self.syntax, self.examples, self.seed)}, key=_by_length))

    @property
    def near_misses(self) -> tuple[str, ...]:
        """Texts that are almost URLs, the shortest first."""
        return self._once("near_misses", self._near_misses)

    def _near_misses(self) -> tuple[str, ...]:
        return tuple(sorted({*random_near_misses(self.syntax, self.examples // 2, self.seed)}, key=_by_length))

    @staticmethod
    def some(texts: tuple[str, ...]) -> tuple[str, ...]:
        """Return about `SOME` of the texts, of all lengths."""
        return texts[:: max(len(texts) // SOME, 1)]

    @property
    def urls(self) -> tuple[URL, ...]:
        """The URLs that the type parses from `valid_texts`. The check same-language reports those that it refuses."""
        return self._once("urls", self._urls)

    def _urls(self) -> tuple[URL, ...]:
        urls = tuple(self.url_type.parse(text) for text in self.valid_texts if self.parses(text))
        if not urls:
            raise CannotCheck("the type parses no URL of the BNF: see the check same-language")
        return urls

    def parses(self, text: str) -> bool:
        """Return True if the type accepts `text`."""
        try:
            self.url_type.parse(text)
        except InvalidURL:
            return False
        return True

    # The access

    @property
    def recorded_access(self) -> RecordedAccess:
        """The access of the demonstration, recorded."""
        if not self.has_code:
            raise CannotCheck("there is a record and no code: its URLs can be parsed but not accessed")
        if not self.record.operations:
            raise CannotCheck("the record offers no operation")
        if self.target.demo is None:
            raise CannotCheck("there is no demonstration: see the check demonstration")
        try:
            return self.access_demonstration()
        except CannotCheck:
            raise
        except Exception:  # noqa: BLE001  the check demonstration reports it
            raise CannotCheck("the demonstration failed: see the check demonstration") from None

    def access_demonstration(self) -> RecordedAccess:
        """Access the demonstration and record it, once. Raises what the access raises."""
        return self._once("recorded_access", self.access_again)

    def access_again(self, around: Callable[[], AbstractContextManager[None]] = nullcontext) -> RecordedAccess:
        """Access the demonstration once more, within the block of `around()`. Raises what the access raises."""
        from urlschemes_conformance.review.recorded_access import record_access  # imports sockets

        assert self.target.demo is not None
        return record_access(self.scheme, self.target.demo, self.registry, around)

    @property
    def longest_step(self) -> float:
        """The most seconds that the algorithm computes between two requests, in the fastest of several runs."""
        from urlschemes_conformance.review.recorded_access import longest_step  # imports sockets

        return self._once("longest_step", lambda: longest_step(self.recorded_access))


def _by_length(text: str) -> tuple[int, str]:
    return len(text), text
