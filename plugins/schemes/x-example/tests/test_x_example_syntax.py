"""The syntax of x-example URLs."""

import pytest
import urlschemes
from urlschemes.errors import InvalidURL
from urlschemes_testing.examples import check_example

from urlschemes_x_example import ExampleURL, registration

REGISTRY = urlschemes.Registry(profile="rfc1738")


def test_the_examples_of_the_record_are_correct() -> None:
    for example in registration.examples:
        check_example(ExampleURL, example)


def test_a_parsed_url_has_its_type_and_its_parts() -> None:
    url = REGISTRY.parse("x-example://host.dom/house%20rules;edition=2")
    assert isinstance(url, ExampleURL)
    assert (url.host, url.port) == ("host.dom", 1021)
    assert (url.name, url.edition) == ("house rules", 2)
    assert url.raw["name"] == "house%20rules"
    assert ExampleURL.parse("x-example://host.dom/rules").edition is None


def test_a_built_url_encodes_its_parts() -> None:
    url = ExampleURL(host="host.dom", name="a/b;edition=1", edition=2)
    assert str(url) == "x-example://host.dom/a%2Fb%3Bedition%3D1;edition=2"
    assert (url.name, url.edition) == ("a/b;edition=1", 2)
    assert str(ExampleURL(host="host.dom", name="é")) == "x-example://host.dom/%C3%A9"


def test_replacing_changes_one_part() -> None:
    url = ExampleURL.parse("x-example://host.dom/r%75les;edition=1")
    assert str(url.replace(edition=2)) == "x-example://host.dom/r%75les;edition=2"
    assert str(url.replace(edition=None)) == "x-example://host.dom/r%75les"


@pytest.mark.parametrize("name", ["", "a\tb", "a\nb", "a\rb"])
def test_some_names_are_invalid(name: str) -> None:
    with pytest.raises(InvalidURL) as caught:
        ExampleURL(host="host.dom", name=name)
    assert caught.value.code == "invalid-part"
    assert caught.value.part == "name"
