"""The syntax of x-example URLs in the profile of RFC 3986."""

from urlschemes_conformance.url_table import (
    built,
    changed,
    invalid,
    refused,
    unsafe,
    url_tests,
    valid,
)

from urlschemes_x_example.rfc3986 import ExampleURI

# A test of each row, and of each example of the record.
# fmt: off
test_urls = url_tests(ExampleURI, [
    valid("x-example://host.dom/%41;edition=2", host="host.dom", port=1021, name="A"),
    valid("x-example://host.dom:1021/rules", normalized="x-example://host.dom/rules"),
    invalid("x-example://host.dom", "invalid-part", 20),
    built("x-example://host.dom/a%2Fb%3B;edition=2", host="host.dom", name="a/b;", edition=2),
    built("x-example://host.dom/%C3%A9", host="host.dom", name="é"),
    refused("invalid-part", "name", host="host.dom", name=""),
    refused("invalid-part", "name", host="host.dom", name="a\tb"),
    refused("invalid-part", "name", host="host.dom", name="a\nb"),
    changed("x-example://host.dom/%41;edition=1", "x-example://host.dom/%41;edition=2", edition=2),
    changed("x-example://host.dom/%41;edition=1", "x-example://host.dom/%41", edition=None),
    unsafe("x-example://host.dom/a%00", "name"),
])
# fmt: on
