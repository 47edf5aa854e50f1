"""Checks of the laws that hold for the URLs of every scheme, each tested with generated URLs."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from urlschemes.errors import InvalidURL, URLError
from urlschemes.redaction import described
from urlschemes_conformance import laws
from urlschemes_conformance.review.catalogue import check
from urlschemes_conformance.review.reviewed_scheme import CannotCheck, ReviewedScheme
from urlschemes_conformance.review.verdicts import counted, failed, passed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from urlschemes.url.value import URL
    from urlschemes_conformance.review.verdicts import Verdict

__all__: list[str] = []

T = TypeVar("T", bound="str | URL")

REPLACED = 300
"""URLs in which each part is replaced."""
EXPLAINED = 400
"""URLs that are checked, fixed and explained, and near misses."""


def _test(law: Callable[[T], None], items: Iterable[T], advice: str) -> Verdict:
    """Test `law` with each of the items, the shortest first."""
    count = 0
    for item in items:
        count += 1
        violation = _violation(law, item)
        if violation:
            return failed(violation, advice, repr(str(item)))
    return passed(counted(count, "URL"))


def _violation(law: Callable[[T], None], item: T) -> str:
    """Return how the item violates the law; "" if it does not."""
    try:
        law(item)
    except laws.BrokenLaw as broken:
        return str(broken)
    except CannotCheck:
        raise
    except URLError as error:
        return f"it is refused: {error.message}"
    except Exception as error:  # noqa: BLE001  code of the plugin may raise anything
        return f"it raises {described(error)}"
    return ""


@check("prints-back", "docs/reference/urls.md")
def prints_back(scheme: ReviewedScheme) -> Verdict:
    """A parsed URL is written back octet for octet, by its type and by the registry."""

    def law(text: str) -> None:
        laws.prints_back(text, scheme.url_type, scheme.registry)

    texts = [text for text in scheme.valid_texts if scheme.parses(text)]
    return _test(law, texts, "do not override parse")


@check("builds-back", "docs/reference/urls.md")
def builds_back(scheme: ReviewedScheme) -> Verdict:
    """A URL that is built from the parts of another has these parts."""
    return _test(laws.builds_back, scheme.urls, "let the constructor accept every part by its name")


@check("replaces-alone", "docs/reference/urls.md")
def replaces_alone(scheme: ReviewedScheme) -> Verdict:
    """Replacing a part changes that part and no octet of the others."""
    advice, count = "do not override replace", 0
    for part in scheme.syntax.parts:
        givers = [url for url in scheme.urls if url.raw[part] is not None][:REPLACED]
        accepted = 0
        for number, giver in enumerate(givers):
            url, value = scheme.urls[number * 7 % len(scheme.urls)], giver.parts[part]
            try:
                laws.replaces_one_part(url, part, value)
                for outer in laws.parts_around(scheme.syntax, part):
                    laws.replaces_within(url, outer, part, giver)
            except InvalidURL:
                continue  # not every URL can have the part
            except Exception as error:  # noqa: BLE001  code of the plugin may raise anything
                violation = str(error) if isinstance(error, laws.BrokenLaw) else f"it raises {described(error)}"
                return failed(f"replace({part}={value!r}): {violation}", advice, repr(str(url)))
            accepted += 1
        if givers and not accepted:
            return failed(f"replace({part}={givers[0].parts[part]!r}) is refused for every URL", advice)
        count += accepted
    return passed(counted(count, "replacement"))


@check("normalizes", "RFC 1738 sections 2.1, 2.2 and 3.1; RFC 3986 section 6.2; docs/reference/urls.md")
def normalizes(scheme: ReviewedScheme) -> Verdict:
    """A normalized URL is equivalent, of the same type, and stays the same when normalized again."""
    advice = "do not override normalized, or make it change nothing the second time"
    return _test(laws.is_normalized_once, scheme.urls, advice)


@check("equality", "docs/reference/urls.md")
def equality(scheme: ReviewedScheme) -> Verdict:
    """URLs are equal, hash and are ordered as their texts are, with the scheme in lower case."""
    others = {str(url): other for url, other in zip(scheme.urls, [*scheme.urls[1:], scheme.urls[0]], strict=True)}

    def law(url: URL) -> None:
        laws.compares_as_text(url, others[str(url)])

    return _test(law, scheme.urls, "do not override __eq__, __hash__ and the comparisons")


@check("pickles", "docs/reference/urls.md")
def pickles(scheme: ReviewedScheme) -> Verdict:
    """A pickled or copied URL is equal to the original, and of the same type."""
    return _test(laws.survives_copying, scheme.urls, "do not override __reduce__ and __copy__")


@check("explains", "docs/reference/errors.md")
def explains(scheme: ReviewedScheme) -> Verdict:
    """For URLs and near misses, parse, check, fix and explain agree and raise only errors of urlschemes."""
    valid = scheme.valid_texts[:: max(len(scheme.valid_texts) // EXPLAINED, 1)]
    advice = "let the type raise only the core's InvalidURL while parsing"

    def law(text: str) -> None:
        laws.tools_agree(text, scheme.registry)

    return _test(law, [*valid, *scheme.near_misses[:EXPLAINED]], advice)
