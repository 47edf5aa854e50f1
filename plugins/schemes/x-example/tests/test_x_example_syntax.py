"""What an x-example URL is, part by part, and what is none."""

import pytest
import urlschemes
from urlschemes.errors import InvalidPart
from urlschemes_testing.examples import check_example

from urlschemes_x_example import ExampleURL, registration


def test_the_examples_of_the_record() -> None:
    for example in registration.examples:
        check_example(ExampleURL, example)


def test_whoever_parses_gets_the_type_with_its_parts() -> None:
    url = urlschemes.parse("x-example://host.dom/house%20rules;edition=2")
    assert isinstance(url, ExampleURL)
    assert (url.host, url.port) == ("host.dom", 1021)
    assert (url.name, url.edition) == ("house rules", 2)
    assert url.raw["name"] == "house%20rules"
    assert ExampleURL.parse("x-example://host.dom/rules").edition is None


def test_what_is_built_is_encoded_and_comes_back() -> None:
    url = ExampleURL(host="host.dom", name="a/b;edition=1", edition=2)
    assert str(url) == "x-example://host.dom/a%2Fb%3Bedition%3D1;edition=2"
    assert (url.name, url.edition) == ("a/b;edition=1", 2)
    assert str(ExampleURL(host="host.dom", name="é")) == "x-example://host.dom/%C3%A9"


def test_replacing_changes_one_part() -> None:
    url = ExampleURL.parse("x-example://host.dom/r%75les;edition=1")
    assert str(url.replace(edition=2)) == "x-example://host.dom/r%75les;edition=2"
    assert str(url.replace(edition=None)) == "x-example://host.dom/r%75les"


@pytest.mark.parametrize("name", ["", "a\tb", "a\nb", "a\rb"])
def test_no_url_has_such_a_name(name: str) -> None:
    with pytest.raises(InvalidPart) as refused:
        ExampleURL(host="host.dom", name=name)
    assert refused.value.part == "name"
