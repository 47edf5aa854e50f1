"""The scheme under review, as the checks see it. Each piece is made once, when a check first needs it.

For a worker process only: this module imports the plugin.
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from urlschemes import Registry
from urlschemes.errors import GrammarError, InvalidURL, PluginError, RegistrationError, URLError
from urlschemes.record.registration import Registration
from urlschemes.redaction import described
from urlschemes.registry.names import core_ledger
from urlschemes.registry.plugins import code_for, load_scheme, record_text
from urlschemes.scheme.scheme import Scheme
from urlschemes_conformance.review.verdicts import CannotCheck, failed, skipped
from urlschemes_conformance.scaffold import profile_named
from urlschemes_testing import generation
from urlschemes_testing.generation import random_near_misses, random_urls

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from urlschemes.grammar.profile import Profile
    from urlschemes.grammar.syntax import Syntax
    from urlschemes.registry.claims import Claim
    from urlschemes.url.value import URL
    from urlschemes_conformance.review.recorded_access import RecordedAccess
    from urlschemes_conformance.review.target import Target
    from urlschemes_conformance.review.verdicts import Verdict

__all__ = ["ReviewedScheme", "frames", "once", "places"]

T = TypeVar("T")

_OWN_FILES = (str(Path(__file__).parent.parent), str(Path(generation.__file__).parent), "<frozen importlib")

FEWER = 10
"""One of so many texts is for what takes long."""


def once(make: Callable[[ReviewedScheme], T]) -> Callable[[ReviewedScheme], T]:
    """Return `make` such that it is called once for each scheme, and returns or raises later what it did then."""

    @wraps(make)
    def made(scheme: ReviewedScheme) -> T:
        if make not in scheme.made:
            try:
                scheme.made[make] = make(scheme), None
            except Exception as error:  # noqa: BLE001  raised again each time
                scheme.made[make] = None, error
        value, failure = scheme.made[make]
        if failure is not None:
            raise failure
        found: T = value
        return found

    return made


class ReviewedScheme:
    """The scheme under review.

    Its URLs to test with are `examples` texts, generated from `seed`, and half as many texts that are almost URLs.
    A property whose value cannot be had raises CannotCheck, with the verdict of the check that reports the reason.
    """

    def __init__(self, target: Target, examples: int, seed: int) -> None:
        self.target = target
        self.examples = examples
        self.seed = seed
        self.made: dict[object, tuple[Any, Exception | None]] = {}
        self.verdicts: dict[str, Verdict] = {}

    @property
    @once
    def profile(self) -> Profile:
        """The profile of the record."""
        return profile_named(self.target.profile)

    @property
    @once
    def installed(self) -> Registry:
        """A registry of what is installed."""
        return Registry()

    @property
    @once
    def listed(self) -> tuple[str, str] | None:
        """The status of the name in RFC 1738 or IANA's registry, and the date of that; None if neither lists it."""
        ledgers = (core_ledger(), *self.installed.ledgers())
        names = [(each, ledger) for ledger in ledgers for each in ledger.names if each.name == self.record.scheme]
        return next(((each.status, ledger.dated) for each, ledger in names if each.status), None)

    # The record

    @property
    @once
    def record(self) -> Registration:
        """The record."""
        claim, profile = self.target.claim, self.profile
        if claim.state == "malformed":
            raise CannotCheck(failed(claim.reason, "correct the file's name, or its permissions"), "record")
        try:
            text, source = record_text(claim, profile)
            return Registration.from_text(text, source=source, profile=profile)
        except (RegistrationError, PluginError) as error:
            field = getattr(error, "field", "")
            if field == "status":
                advice = "the status is experimental if, and only if, the name begins with x-"
                raise CannotCheck(failed(error.message, advice), "status") from None
            if isinstance(error, GrammarError) or field == "syntax.rule" or error.part:
                raise _wrong_grammar(error) from None
            advice = error.hint or "docs/reference/registration.md lists the fields of a record"
            raise CannotCheck(failed(error.message, advice), "record") from None
        except (OSError, ImportError, UnicodeDecodeError) as error:
            place = f"put a {profile.record} into the package, and make sure that the wheel contains it"
            advice = place if claim.module else "write it in UTF-8, and make sure that you can read it"
            raise CannotCheck(failed(f"the record cannot be read: {described(error)}", advice), "record") from None

    @once
    def require_record(self) -> Scheme:
        """Return the scheme that the core makes of the record, without code of the plugin. Raises CannotCheck."""
        try:
            self.record.syntax.compile()
            return Scheme(self.record)
        except URLError as error:
            raise _wrong_grammar(error) from None

    @property
    def generated_type(self) -> type[URL]:
        """The type that the core generates from the record."""
        return self.require_record().url_type

    @property
    def syntax(self) -> Syntax:
        """The syntax of the record, with its pattern compiled."""
        return self.generated_type.syntax

    # The code

    @once
    def require_code(self) -> Claim:
        """Return the entry point of the code for the profile. Raises CannotCheck if there is none."""
        claim = code_for(self.target.claim, self.profile)
        if not claim.attribute:
            raise CannotCheck(skipped("there is a record and no code"))
        return claim

    @property
    @once
    def scheme(self) -> Scheme:
        """The scheme that the entry point names, imported; for a record by itself, the one that the core makes."""
        generated = self.require_record()
        if not self.target.claim.module:
            return generated
        try:
            return load_scheme(self.target.claim, self.profile)
        except PluginError as error:
            advice = _provide(error) or "correct the error that the import raises"
            raise CannotCheck(failed(error.message, advice, *places(error.__cause__)), "contract") from None

    @property
    def url_type(self) -> type[URL]:
        """The type of its URLs."""
        return self.scheme.url_type

    @property
    @once
    def registry(self) -> Registry:
        """A registry of the profile, in which the scheme is the one under review."""
        registry = Registry(profile=self.profile)
        registry.register(self.scheme, replace=True)
        return registry

    # Texts and URLs to test with

    @property
    @once
    def valid_texts(self) -> tuple[str, ...]:
        """Texts that are URLs by the BNF, the shortest first; the valid examples of the record are among them."""
        examples = [each.url for each in self.record.examples if self.syntax.fullmatch(each.url)]
        return tuple(sorted({*examples, *random_urls(self.syntax, self.examples, self.seed)}, key=_by_length))

    @property
    @once
    def near_misses(self) -> tuple[str, ...]:
        """Texts that are almost URLs, the shortest first."""
        return tuple(sorted({*random_near_misses(self.syntax, self.examples // 2, self.seed)}, key=_by_length))

    @staticmethod
    def some(texts: tuple[str, ...]) -> tuple[str, ...]:
        """Return one of `FEWER` texts, of all lengths."""
        return texts[::FEWER]

    @property
    @once
    def urls(self) -> tuple[URL, ...]:
        """The URLs that the type parses from `valid_texts`. The check same-language reports those that it refuses."""
        urls = tuple(self.url_type.parse(text) for text in self.valid_texts if self.parses(text))
        if not urls:
            raise CannotCheck(failed("the type parses no URL of the BNF", "let it parse them"), "same-language")
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
    @once
    def recorded_access(self) -> RecordedAccess:
        """The access of the demonstration, recorded."""
        self.require_code()
        if not self.record.operations:
            raise CannotCheck(skipped("the record offers no operation"))
        if self.target.demo is None:
            advice = 'offer one with an entry point of the group "urlschemes.demos": '
            line = f'{self.record.scheme} = "my_package.demo:demo"'
            raise CannotCheck(failed("there is no demonstration of the scheme", advice + line), "demonstration")
        try:
            return self.access_again()
        except URLError as error:
            advice = error.hint or _provide(error) or "correct the algorithm, or the server of the demonstration"
            verdict = failed(f"{type(error).__name__}: {error.message}", advice, *places(error.__cause__))
            raise CannotCheck(verdict, "demonstration") from None

    def access_again(self, around: Callable[[], AbstractContextManager[None]] = nullcontext) -> RecordedAccess:
        """Access the demonstration once more, within the block of `around()`. Raises what the access raises."""
        from urlschemes_conformance.review.recorded_access import record_access  # imports sockets

        assert self.target.demo is not None
        return record_access(self.scheme, self.target.demo, self.registry, around)


def _wrong_grammar(error: URLError) -> CannotCheck:
    place = f" (rule {error.rule}, section {error.section})" if error.rule and error.section else ""
    advice = error.hint or "docs/reference/registration.md describes the notation"
    return CannotCheck(failed(f"{error.message}{place}", advice), "grammar")


def _provide(error: URLError) -> str:
    """Return the advice for a broken contract; "" for another error."""
    wants = getattr(error, "wants", "")
    return f"provide {wants}" if wants else ""


def frames(error: BaseException) -> list[str]:
    """Return the lines of code of the traceback, the innermost last."""
    from traceback import extract_tb  # only for errors

    return [f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in extract_tb(error.__traceback__)]


def places(error: BaseException | None) -> list[str]:
    """Return the innermost three lines of `frames` that are not the review's own; none without an error."""
    return [each for each in frames(error) if not each.startswith(_OWN_FILES)][-3:] if error else []


def _by_length(text: str) -> tuple[int, str]:
    return len(text), text
