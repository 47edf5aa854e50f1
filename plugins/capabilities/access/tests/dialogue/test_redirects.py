"""Redirects that are followed, and those that are refused."""

from __future__ import annotations

from typing import Any, cast

import pytest
from talk_scheme import RECORD, LocalURL, TalksURL, TalkURL, run

from urlschemes.errors import InvalidURL, PluginError, UnknownScheme, UnsafeURL, URLError
from urlschemes.record.registration import Registration
from urlschemes.scheme.scheme import Scheme
from urlschemes.url.value import URL
from urlschemes_access.dialogue.redirects import read_location
from urlschemes_access.errors import (
    PolicyDenied,
    RedirectRefused,
)
from urlschemes_access.protocol import (
    Algorithm,
    Follow,
    Open,
)
from urlschemes_access.resources.synchronous import Document

pytestmark = pytest.mark.usefixtures("backend")


def led_to(location: str, url: str = "x-talk://first.example/", *, hops: int = 1, **more: Any) -> Document:
    def algorithm() -> Algorithm[None]:
        for _ in range(hops):
            yield from Follow(location)
        yield from Open("document")

    def follow(_: URL, text: str) -> URL:
        if text.startswith("x-talks:"):
            return TalksURL.parse(text)
        return TalkURL.parse(text if text.startswith("x-talk:") else f"x-talk://first.example{text}")

    return cast("Document", run(algorithm(), url=TalkURL.parse(url), redirect=more.pop("redirect", follow), **more))


@pytest.mark.parametrize(
    ("location", "to"),
    [
        ("x-talk://second.example/", "x-talk://second.example/"),
        ("/other", "x-talk://first.example/other"),
        ("x-talks://second.example:8/", "x-talks://second.example:8/"),
    ],
)
def test_redirects_to_the_schemes_of_the_record_are_followed(location: str, to: str) -> None:
    document = led_to(location)
    assert str(document.url) == to
    document.close()


@pytest.mark.fault(21)
@pytest.mark.parametrize("location", ["x-other://h/", "FTP://h/", "file:///etc/passwd", "mailto:a@b", "javascript:1"])
def test_other_schemes_are_refused_before_the_location_is_parsed(location: str) -> None:
    read: list[str] = []

    def follow(_: URL, text: str) -> URL:
        read.append(text)
        raise UnknownScheme(text)

    with pytest.raises(RedirectRefused) as refusal:
        led_to(location, redirect=follow)
    assert refusal.value.reason == "scheme"
    assert refusal.value.location == location
    assert not read


@pytest.mark.parametrize(
    "location", ["x-talk://bad host/", "x-talk://h/a\r\nb", "x-talk://h/%0d%0a", "x-talk:nonsense"]
)
def test_an_invalid_or_unsafe_location_is_refused(location: str) -> None:
    with pytest.raises(RedirectRefused) as refusal:
        led_to(location)
    assert refusal.value.reason == "invalid"
    assert "\n" not in refusal.value.location


def test_control_octets_that_an_algorithm_checks_are_refused_in_a_location() -> None:
    record = RECORD.replace('{ at = "what" }', '{ at = "what", travels = "checked" }')
    kind = Scheme(Registration.from_text(record, source="test")).url_type
    with pytest.raises(RedirectRefused, match="control"):
        led_to("x-talk://h/%0d%0a", redirect=lambda _, text: kind.parse(text))


@pytest.mark.parametrize(
    ("location", "message"),
    [
        ("x-talk://h/\ud800", "ud800"),
        ("x-talk:///a", "host"),
        ("x-talk://?a", "host"),
        ("x-talk:a//b", "'a' at position 7"),
    ],
)
def test_a_location_is_not_repaired_at_its_host_or_where_it_holds_no_octets(location: str, message: str) -> None:
    with pytest.raises(InvalidURL, match=message):
        read_location(TalkURL.parse("x-talk://first.example/"), location, lambda _: TalkURL)


def test_a_redirect_leads_only_to_what_the_first_scheme_may_redirect_to() -> None:
    def algorithm() -> Algorithm[None]:
        yield from Follow("x-talks://second.example/")
        yield from Follow("x-talkss://third.example/")  # allowed by the record of x-talks
        yield from Open("document")

    second = TalksURL.parse("x-talks://second.example/")
    with pytest.raises(RedirectRefused, match="x-talks may redirect to x-talks") as refusal:
        run(algorithm(), url=TalkURL.parse("x-talk://first.example/"), redirect=lambda *_: second)
    assert refusal.value.reason == "scheme"


def test_a_target_of_another_scheme_than_the_location_is_refused() -> None:
    with pytest.raises(RedirectRefused) as refusal:
        led_to("x-talk://h/", redirect=lambda *_: LocalURL.parse("x-local://h/"))
    assert refusal.value.reason == "scheme"


def test_an_allowed_scheme_that_is_not_installed() -> None:
    def follow(_: URL, text: str) -> URL:
        raise UnknownScheme(text)

    with pytest.raises(RedirectRefused, match="'x-talks' is not installed") as refusal:
        led_to("x-talks://h/", redirect=follow)
    assert refusal.value.reason == "scheme"


@pytest.mark.parametrize("error", [PolicyDenied, PluginError])
def test_a_veto_on_a_redirect_is_raised_unchanged(error: type[URLError]) -> None:
    def follow(*_: object) -> URL:
        raise error("not on a Sunday")

    with pytest.raises(error, match="not on a Sunday"):
        led_to("/other", redirect=follow)


def test_the_number_of_redirects_is_limited() -> None:
    led_to("/again", hops=5).close()
    with pytest.raises(RedirectRefused, match="5 redirects were followed already") as refusal:
        led_to("/again", hops=6)
    assert refusal.value.reason == "hops"


@pytest.mark.parametrize("location", ["x-talk://h:22/", "x-talk://0177.0.0.1/"])
def test_the_policy_applies_to_redirects(location: str) -> None:
    with pytest.raises((PolicyDenied, UnsafeURL)):
        led_to(location)
