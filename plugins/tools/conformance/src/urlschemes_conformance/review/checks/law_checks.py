"""Checks of the laws that a type could break by what it may override, each tested with generated URLs."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from urlschemes.errors import URLError
from urlschemes.redaction import described
from urlschemes_conformance import laws
from urlschemes_conformance.review.catalogue import check
from urlschemes_conformance.review.verdicts import counted, failed, passed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from urlschemes.url.value import URL
    from urlschemes_conformance.review.reviewed_scheme import ReviewedScheme
    from urlschemes_conformance.review.verdicts import Verdict

__all__: list[str] = []

T = TypeVar("T", bound="str | URL")


@check("builds-back", "docs/reference/urls.md", after=("parts",))
def builds_back(scheme: ReviewedScheme) -> Verdict:
    """A URL that is built from the parts of another has these parts."""
    advice = _advice(scheme, "let the constructor accept every part by its name")
    return _test(laws.builds_back, scheme.urls, advice)


@check("loses-nothing", "RFC 3986 section 2.4; docs/reference/registration.md", after=("builds-back",))
def loses_nothing(scheme: ReviewedScheme) -> Verdict:
    """A URL that is built from all the parts of another is equivalent to it."""
    advice = 'make the text that is lost a part of the record; write travels = "as-written" if it is sent as written'
    return _test(laws.loses_nothing, scheme.urls, advice)


@check(
    "normalizes",
    "RFC 1738 sections 2.1, 2.2 and 3.1; RFC 3986 section 6.2; docs/reference/urls.md",
    after=("builds-back",),
)
def normalizes(scheme: ReviewedScheme) -> Verdict:
    """A normalized URL is equivalent, of the same type, and stays the same when normalized again."""
    advice = _advice(scheme, "do not override normalized, or make it change nothing the second time")
    return _test(laws.is_normalized_once, scheme.urls, advice)


@check("explains", "docs/reference/errors.md")
def explains(scheme: ReviewedScheme) -> Verdict:
    """For URLs and near misses, parse, check, fix and explain agree and raise only errors of urlschemes."""
    registry = scheme.registry

    def law(text: str) -> None:
        laws.tools_agree(text, registry)

    advice = _advice(scheme, "let the type raise only the core's InvalidURL while parsing")
    return _test(law, [*scheme.some(scheme.valid_texts), *scheme.some(scheme.near_misses)], advice)


def _advice(scheme: ReviewedScheme, for_code: str) -> str:
    if scheme.target.claim.module:
        return for_code
    return 'change the part in the record, or its rule; write travels = "as-written" if it holds its own delimiters'


def _test(law: Callable[[T], None], items: Sequence[T], advice: str) -> Verdict:
    """Test `law` with each of the items, the shortest first."""
    for item in items:
        try:
            law(item)
        except laws.BrokenLaw as broken:
            how = str(broken)
        except URLError as error:
            how = f"it is refused: {error.message}"
        except Exception as error:  # noqa: BLE001  code of the plugin may raise anything
            how = f"it raises {described(error)}"
        else:
            continue
        return failed(how, advice, repr(str(item)))
    return passed(counted(len(items), "URL"))
