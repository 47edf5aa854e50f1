"""A scheme: a registration with a URL type and the functions of its operations."""

import pickle
from pathlib import Path

import pytest

from urlschemes import URL, Registration, RegistrationError, Scheme
from urlschemes.errors import PluginContractError, UnsupportedOperation

TEXT = (Path(__file__).parent.parent / "album.toml").read_text("utf-8")


@pytest.mark.parametrize("name", ["x-album", "internet", "login"])  # the core has types of such names
def test_a_url_of_a_type_made_from_a_record_is_pickled_as_a_generic_url(name: str) -> None:
    text = TEXT.replace("x-album", name)
    if name != "x-album":
        text = text.replace('status = "experimental"', 'status = "provisional"')
    record = Registration.from_text(text)
    url = Scheme(record).url_type.parse(record.examples[0].url)
    assert type(url).__module__ == "urlschemes.scheme.scheme"
    loaded = pickle.loads(pickle.dumps(url))
    assert type(loaded) is URL
    assert loaded == url


def test_a_scheme_without_code_parses_and_offers_no_operation() -> None:
    scheme = Scheme(Registration.from_text(TEXT))
    assert scheme.name == "x-album"
    assert scheme.url_type.parse("x-album://h").parts["host"] == "h"
    with pytest.raises(UnsupportedOperation, match="it is registered for parsing only"):
        scheme.algorithm("access")


def test_the_type_belongs_to_the_registration() -> None:
    one, other = Registration.from_text(TEXT, source="one"), Registration.from_text(TEXT, source="other")
    with pytest.raises(PluginContractError, match="is not made for the registration"):
        Scheme(one, Scheme(other).url_type)


def test_a_part_cannot_have_the_name_of_an_attribute_of_every_url() -> None:
    text = TEXT.replace("words    = {", "raw = {").replace('words = "c"', 'raw = "c"')
    with pytest.raises(RegistrationError, match=r"syntax\.parts\.raw: every URL has an attribute of this name"):
        Scheme(Registration.from_text(text))


@pytest.mark.parametrize("name", ["class", "mro", "self", "cls"])
def test_a_part_may_have_any_other_name(name: str) -> None:
    url_type = Scheme(Registration.from_text(TEXT.replace("picture", name))).url_type
    url = url_type.parse("x-album://h/a/b")
    assert (getattr(url, name), url.parts[name]) == ("b", "b")
    assert str(url.replace(**{name: "c"})) == "x-album://h/a/c"


def test_the_rule_must_begin_with_the_name_of_the_scheme() -> None:
    with pytest.raises(RegistrationError, match="no URL of the rule 'albumurl' begins with 'x-album:'"):
        Scheme(Registration.from_text(TEXT.replace('albumurl = "x-album://"', 'albumurl = "x-other://"')))
    with pytest.raises(RegistrationError, match='write `rule = "albumurl"`, or put `albumurl` first'):
        Scheme.of("x-album", 'word = 1*alpha\nalbumurl = "x-album:" word')


def test_an_operation_needs_a_function(monkeypatch: pytest.MonkeyPatch) -> None:
    scheme = Scheme(Registration.from_text(TEXT), access="textwrap")
    with pytest.raises(PluginContractError, match="textwrap has no function 'access'"):
        scheme.algorithm("access")
    with pytest.raises(UnsupportedOperation, match="it offers access"):
        scheme.algorithm("update")
    import textwrap

    monkeypatch.setattr(textwrap, "access", textwrap.dedent, raising=False)
    assert scheme.algorithm("access") is textwrap.dedent


@pytest.mark.parametrize(
    ("name", "called"), [("x-a", "XAURL"), ("x-z39.50r", "XZ3950RURL"), ("x-a+b", "XABURL"), ("x-", "XURL")]
)
def test_a_type_made_from_a_record_has_an_identifier_as_its_name(registration, name: str, called: str) -> None:
    kind = Scheme(registration(name)).url_type
    assert kind.__name__ == called
    assert kind.__name__.isidentifier()
