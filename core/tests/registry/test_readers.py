"""A reader that a distribution provides is the base of all URLs of a process; one that cannot be used is none."""

from __future__ import annotations

import pytest

READER = """
from urlschemes.url.pattern_reader import Base, PatternReader

class Noted(Base):
    __slots__ = ()

class NotingReader(PatternReader):
    API = 1
    Base = Noted
    read = []

    def parse(self, text, *more, **options):
        self.read.append(text)
        return super().parse(text, *more, **options)
"""
ASK = """
import pickle, urlschemes
from urlschemes.registry.readers import CHOICE
urlschemes.parse("x-good:yes")
url = pickle.loads(pickle.dumps(urlschemes.parse))("x-good:no")
base = type(url).__mro__[-2 if CHOICE.reason else -3].__name__
print(json.dumps([str(url), base, CHOICE.provider, CHOICE.reason, getattr(CHOICE.reader, "read", None)]))
"""


def install_reader(install, content: str, name: str = "noting"):
    entry = f"[urlschemes.readers]\n{name} = {name}:NotingReader\n"
    return install(f"{name}-reader", entry, {f"{name}.py": content})


def test_the_reader_of_a_distribution_reads_all_urls(plugin, install, child):
    plugin("x-good")
    answer = child(ASK, install_reader(install, READER), environ={"URLSCHEMES_PLUGINS": "x-good,noting-reader"})
    assert answer == ["x-good:no", "Noted", "noting-reader 1.0", "", ["x-good:yes", "x-good:no"]]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("raise ImportError('it needs another processor')", "it needs another processor"),
        ("raise OSError('broken')", "OSError: broken"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("", "AttributeError: module 'noting' has no attribute 'NotingReader'"),
        ("class NotingReader:\n    API = 99", "TypeError: noting-reader 1.0 has a reader with API = 99: expected 1"),
        (READER.replace("API = 1", ""), "TypeError: noting-reader 1.0 has a reader with API = None: expected 1"),
        (
            "class NotingReader:\n    API = 1",
            "TypeError: noting-reader 1.0 has a reader that is no subclass of PatternReader",
        ),
    ],
)
def test_a_reader_that_cannot_be_used_leaves_urls_to_the_pattern(plugin, install, child, content, reason):
    plugin("x-good")
    answer = child(ASK, install_reader(install, content), environ={"URLSCHEMES_PLUGINS": "x-good,noting-reader"})
    assert answer == ["x-good:no", "Base", "", reason, None]


def test_a_reader_can_be_switched_off(plugin, install, child):
    plugin("x-good")
    site = install_reader(install, READER)
    *_, provider, reason, _ = child(ASK, site, environ={"URLSCHEMES_PLUGINS": "x-good"})
    assert provider == ""
    assert "that of noting-reader 1.0 is disabled: URLSCHEMES_PLUGINS does not list noting-reader" in reason


def test_of_several_readers_none_is_used(plugin, install, child):
    plugin("x-good")
    install_reader(install, READER, "other")
    site = install_reader(install, READER)
    variables = {"URLSCHEMES_PLUGINS": "x-good,noting-reader,other-reader"}
    *_, provider, reason, _ = child(ASK, site, environ=variables)
    assert (provider, reason.startswith("there are several readers, of noting-reader 1.0 in ")) == ("", True)
    assert reason.endswith(": URLSCHEMES_DISABLE=NAME switches one off")


@pytest.mark.parametrize(
    ("content", "state", "reason"),
    [
        (READER, "active", ""),
        ("raise ImportError('it needs another processor')", "unused", "it needs another processor"),
        ("1 / 0", "broken", "ZeroDivisionError: division by zero"),
    ],
)
def test_the_claim_of_a_reader_says_whether_it_reads(install, child, content, state, reason):
    code = """
        from urlschemes import default_registry as registry
        claims = [each for each in registry.claims() if each.distribution == "noting-reader"]
        print(json.dumps([[each.state, each.reason] for each in claims]))
        """
    site = install_reader(install, content)
    assert child(code, site, environ={"URLSCHEMES_PLUGINS": "noting-reader"}) == [[state, reason]]
