"""The exceptions: their tree, their texts, pickling and copying."""

import copy
import inspect
import pickle
import re
import sys

import pytest

from urlschemes import errors
from urlschemes.errors import Hint, InvalidURL, Remedy, URLError
from urlschemes.url.value import LIMIT, URL


def drawn() -> dict[str, str]:
    """Return each class of the drawing in the docstring of the module, with its base."""
    above: list[str] = []
    parents: dict[str, str] = {}
    for line in (errors.__doc__ or "").splitlines():
        found = re.match(r"    ((?:[│├└─ ]{4})*)([A-Z]\w+)", line)
        if found:
            depth = len(found[1]) // 4
            above[depth:] = [found[2]]
            parents[found[2]] = above[depth - 1] if depth else "Exception"
    return parents


def classes() -> dict[str, type[URLError]]:
    return {n: c for n, c in vars(errors).items() if inspect.isclass(c) and issubclass(c, URLError)}


@pytest.mark.skipif(sys.flags.optimize == 2, reason="Python keeps no docstrings")
def test_the_drawing_is_the_tree_of_classes() -> None:
    assert drawn() == {name: cls.__bases__[0].__name__ for name, cls in classes().items()}


def test_codes_are_unique_and_in_lower_case() -> None:
    codes = [cls.code for cls in classes().values() if cls is not InvalidURL] + [*errors.INVALID_URL_CODES]
    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch("[a-z-]+", code) for code in codes)


@pytest.mark.parametrize("name", InvalidURL.COMPUTED)
def test_an_attribute_that_is_computed_can_be_asked_of_the_class(name: str) -> None:
    assert hasattr(InvalidURL, name)


@pytest.mark.parametrize(
    "name", sorted(set(classes()) - {n for n, c in classes().items() if issubclass(c, InvalidURL)})
)
def test_every_error_pickles_and_copies(name: str) -> None:
    cls = classes()[name]
    remedy = Remedy("does it", "Limits.idle", 3)
    error = cls("what", scheme="x-a", part="p", position=3, hint=Hint("do this", remedy))
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(other) is cls
        assert str(other) == "what; do this; Limits(idle=3) does it"
        assert vars(other) == vars(error)
        assert isinstance(other.hint, Hint)
        assert other.hint.parts == ("do this", remedy)


@pytest.mark.parametrize(
    ("setting", "value", "words"),
    [
        ("Registry.profile", "rfc3986", 'Registry(profile="rfc3986")'),
        ("Limits.content", None, "Limits(content=...)"),
        ("options.octets", True, 'options={"octets": True}'),
        ("URLSCHEMES_DISABLE", "x-a", "URLSCHEMES_DISABLE=x-a"),
        ("cert", None, "cert=..."),
        ("Registry.pins", {"x-a": "one"}, 'Registry(pins={"x-a": "one"})'),
    ],
)
def test_a_hint_words_its_remedies_for_python(setting: str, value: object, words: str) -> None:
    remedy = Remedy("helps", setting, value)
    assert str(remedy) == f"{words} helps"
    assert Hint(None, Hint("look", remedy), "or wait") == f"look; {remedy}; or wait"
    assert Hint("", Hint("look", remedy), "or wait").parts == ("look", remedy, "or wait")


def refused(text: str) -> InvalidURL:
    with pytest.raises(InvalidURL) as caught:
        URL.parse(text)
    return caught.value


def test_a_pickled_invalid_url_has_its_explanation() -> None:
    error = refused("x-a:b c")
    other = pickle.loads(pickle.dumps(error))
    assert str(other) == str(error)
    assert (other.code, other.position, other.span, other.text) == ("invalid-character", 5, (5, 6), "x-a:b c")
    for each in (other, copy.copy(other), pickle.loads(pickle.dumps(other))):
        assert vars(each) == {name: getattr(error, name) for name in InvalidURL.COMPUTED}
        assert each.args == error.args == (error.message,)


@pytest.mark.parametrize("text", ["x-a://joe:hunter2@h/a b", "x-a://joe:hunter2@h/\n" + "a" * LIMIT])
def test_only_the_text_of_an_invalid_url_holds_a_password_and_no_pickle(text: str) -> None:
    error = refused(text)
    before_it_is_read = repr(error.args)
    assert error.text == text
    assert "hunter2" not in before_it_is_read + repr(error.args) + repr(vars(error)) + repr(error)
    pickled = pickle.dumps(error)
    assert b"hunter2" not in pickled
    other = pickle.loads(pickled)
    assert other.text == text.replace("hunter2", "***")
    assert (other.span, other.position) == (error.span, error.position)  # in the text that was parsed


@pytest.mark.parametrize(
    "text",
    ["a\x1b[2Jb", "a\nb", "\u202egpj.exe", "x" * 5000, "\ud800", "ftp://joe:hunter2@h/ \r", "caf\u00e9", "\x9b31m"],
    ids=ascii,
)
def test_the_text_of_an_error_is_one_line_of_ascii_without_a_password(text: str) -> None:
    shown = str(URLError(text, hint=text))
    assert len(shown) <= 300
    assert shown.isascii()
    assert shown.isprintable()
    assert "hunter2" not in shown


SITE = "/home/somebody/projects/addresses/.venv/lib/python3.13/site-packages"
RECORD = f"{SITE}/urlschemes_x_album/registration.toml"
WINDOWS = r"C:\Users\somebody\Documents\addresses\.venv\Lib\site-packages\urlschemes_x_album\registration.toml"
APART = "reading from left to right does not tell them apart"
REPAIR = "put a literal between them, exclude the octets that both may hold, or write their common beginning once"


@pytest.mark.parametrize(
    ("message", "hint", "kept"),
    [
        (f"{RECORD}, line 16: syntax.bnf: ambiguous rules 'words' and 'name': {APART}", REPAIR, (APART, REPAIR)),
        (f"{RECORD}: ambiguous rules: {APART}", f"{REPAIR}; {'b' * 99}; c", (f"{APART}; {REPAIR}",)),
        (f"{WINDOWS}, line 16: syntax.bnf: ambiguous rules 'words' and 'name': {APART}", REPAIR, (APART, REPAIR)),
        (
            f"{RECORD}: {'syntax.parts.a_long_name.' * 5}at: the part 'words' occurs twice in one URL",
            f'{REPAIR}, or name the path of rules, as in `at = "outer/inner"`',
            ("registration.toml: ", "occurs twice in one URL", f"{REPAIR}, or name the path of rules"),
        ),
        (
            f"two claim x-a: one 1.0 in {SITE}; two 2.0 in /usr/local{SITE}; three 3.0 in /opt{SITE}",
            "choose one: Registry(pins={'x-a': 'one'}), or uninstall the others",
            ("one 1.0 in .../", "two 2.0 in .../", "three 3.0 in .../", "or uninstall the others"),
        ),
        (f"{RECORD}: {'unimportant, ' * 40}but the cause", REPAIR, ("registration.toml", "the cause", REPAIR)),
        (f"see http://host.dom/a/b/c/d{'/x' * 50}: the cause", "h" * 139, ("http://host.dom/a/b/c/d/x", "cause")),
    ],
)  # fmt: skip
def test_a_long_text_keeps_the_place_the_cause_and_the_hint(message: str, hint: str, kept: tuple[str, ...]) -> None:
    shown = str(URLError(message, hint=hint))
    assert len(shown) <= 300
    assert [each for each in kept if each not in shown] == []
    assert not re.search(r"\.venv|bbb|\.\.\.$", shown)


def test_a_short_text_keeps_its_paths() -> None:
    assert str(URLError(f"{SITE}/a: no", hint="write b, as in `b`")) == f"{SITE}/a: no; write b, as in `b`"


def test_an_invalid_url_has_no_other_attributes() -> None:
    assert not hasattr(refused(""), "colour")


def test_an_invalid_url_is_a_value_error() -> None:
    with pytest.raises(ValueError, match=r"^invalid character ' '"):
        URL.parse("x-a:b c")
