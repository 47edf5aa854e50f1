"""`urlschemes unicode`: a URL from the characters of all languages, and back."""

import pytest
from click.testing import CliRunner

from urlschemes_cli.app import command

ASCII, UNICODE = "http://xn--bcher-kva.example/gr%C3%B6%C3%9Fe", "http://b\u00fccher.example/gr\u00f6\u00dfe"


@pytest.mark.parametrize("profile", ["rfc1738", "rfc3986"])
@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        ([UNICODE], ASCII),
        (["--uts46", UNICODE.replace("b\u00fc", "B\u00dc")], ASCII),
        (["--show", ASCII], UNICODE),
    ],
)
def test_a_text_is_written_as_a_url_and_a_url_as_a_text(profile, arguments, output):
    done = CliRunner().invoke(command, ["--profile", profile, "unicode", *arguments])
    assert (done.exit_code, done.output) == (0, f"{output}\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["http://\u2603.example/"], "in the host at position 7: IDNA 2008 does not allow it"),
        (["--show", UNICODE], "in the host at position 8"),
        (["--show", "--uts46", ASCII], "cannot be combined"),
    ],
)
def test_what_cannot_be_written_is_an_error(arguments, message):
    done = CliRunner().invoke(command, ["unicode", *arguments])
    assert done.exit_code != 0
    assert message in " ".join(done.output.split())


def test_the_profile_is_that_of_today_unless_another_is_named():
    assert CliRunner().invoke(command, ["unicode", "http://h/\u00e4#x"]).output == "http://h/%C3%A4#x\n"
    named = CliRunner().invoke(command, ["--profile", "rfc1738", "unicode", "http://h/\u00e4#x"])
    assert "invalid character '#' at position 10" in named.output
