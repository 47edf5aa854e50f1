"""The syntax of x-example URLs in the profile of RFC 3986."""

import pytest
import urlschemes
from urlschemes.errors import InvalidURL
from urlschemes_testing.examples import check_example

from urlschemes_x_example.rfc3986 import ExampleURI, registration

REGISTRY = urlschemes.Registry(profile="rfc3986")


def test_the_examples_of_the_record_are_correct() -> None:
    for example in registration.examples:
        check_example(ExampleURI, example)


def test_a_parsed_url_has_its_type_and_its_parts() -> None:
    url = REGISTRY.parse("x-example://host.dom/house%20rules;edition=2")
    assert isinstance(url, ExampleURI)
    assert (url.host, url.port) == ("host.dom", 1021)
    assert (url.name, url.edition) == ("house rules", 2)
    assert url.raw["name"] == "house%20rules"
    assert ExampleURI.parse("x-example://host.dom/rules").edition is None


def test_a_built_url_encodes_its_parts() -> None:
    url = ExampleURI(host="host.dom", name="a/b;edition=1", edition=2)
    assert str(url) == "x-example://host.dom/a%2Fb%3Bedition%3D1;edition=2"
    assert (url.name, url.edition) == ("a/b;edition=1", 2)
    assert str(ExampleURI(host="host.dom", name="é")) == "x-example://host.dom/%C3%A9"


def test_replacing_changes_one_part() -> None:
    url = ExampleURI.parse("x-example://host.dom/r%75les;edition=1")
    assert str(url.replace(edition=2)) == "x-example://host.dom/r%75les;edition=2"
    assert str(url.replace(edition=None)) == "x-example://host.dom/r%75les"


@pytest.mark.parametrize("name", ["", "a\tb", "a\nb", "a\rb"])
def test_some_names_are_invalid(name: str) -> None:
    with pytest.raises(InvalidURL) as caught:
        ExampleURI(host="host.dom", name=name)
    assert caught.value.code == "invalid-part"
    assert caught.value.part == "name"
