"""Random URLs of all schemes, with changes of every kind."""

from __future__ import annotations

import json
import string
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from random import Random

from urlschemes import Registry
from urlschemes_testing.generation import random_urls

STRANGE = " \t\r\n\0\v\x1b\x7f\x85\xa0\xad\u2028\u200b\u202e\ufeff\u0130\u017f\u212a\uff0f\uff1a\u3002\xe9\ud800\udcff"
DELIMITERS = "/:@?#%;=&.~-+*!'\"(),<>[]{}|\\^`$_"
TOKENS = (
    *(
        "//",
        "://",
        "%2F",
        "%22",
        "%5C",
        "%40",
        "%00",
        "%0D%0A",
        "%09",
        "%zz",
        "%",
        "%4",
        "@",
        "@@",
        ":",
        ":80",
        ":99999",
    ),
    *("#top", "URL:", "<URL:", ">", "<", ";type=", "localhost", "127.0.0.1", "0x7f.1", "[::1]", "..", "-", "-.", ".-"),
    *("-\n", "&amp;", "xn--", "host.dom."),
)
FRAMES = ("<URL:{}>", "<{}>", "URL:{}", " {}\n", "({})", '"{}"', "{}.", "see {} there", "<URL:\n  {}\n>", "{}#a")
BREAKS = ("\n", "\r\n", "-\n", "\n  ", " ", "\t", "=\n")
RUNS = ("a.", "%41", "a@", "/a", ";a=b", "%22", "<URL:")


def _texts(number: int, registry: Registry, cases: list[str], name: str) -> list[str]:
    """Return the texts of one scheme."""
    return [
        *random_urls(name, number, registry=registry),
        *(example.url for example in registry.registration(name).examples),
        *(text for text in cases if text.lower().startswith(f"{name}:")),
    ]


class Corpus:
    """Texts by scheme: `number` random URLs of each scheme of a registry, its examples, and the table of cases."""

    def __init__(self, number: int, registry: Registry) -> None:
        table = Path(__file__).parent.with_name("tables") / "urls.jsonl"
        cases = [str(json.loads(line)["url"]) for line in table.read_text("utf-8").splitlines()]
        self.schemes = sorted(registry)
        self.texts = cache(partial(_texts, number, registry, cases))

    def text(self, random: Random) -> str:
        """Return one of the texts; each scheme is equally likely."""
        return random.choice(self.texts(random.choice(self.schemes)))

    def mutated(self, random: Random, scheme: str | None = None) -> str:
        """Return one of the texts, or of those of one scheme, with up to six changes."""
        text = random.choice(self.texts(scheme)) if scheme else self.text(random)
        for _ in range(random.choice((0, 1, 1, 1, 2, 2, 3, 6))):
            text = random.choice(MUTATIONS)(random, text, self)
        return text


Mutation = Callable[[Random, str, Corpus], str]


def _character(random: Random) -> str:
    return random.choice(DELIMITERS + random.choice(string.ascii_letters + string.digits) + random.choice(STRANGE))


def _change(random: Random, text: str, new: str, removed: int = 0) -> str:
    at = random.randint(0, len(text))
    return text[:at] + new + text[at + removed :]


def _repeat(random: Random, text: str, _: Corpus) -> str:
    at, end = sorted((random.randint(0, len(text)), random.randint(0, len(text))))
    return text[:end] + text[at:end] * random.choice((1, 1, 2, 9)) + text[end:]


def _swap(random: Random, text: str, _: Corpus) -> str:
    at = random.randint(0, len(text))
    return text[:at] + text[at + 1 : at + 2] + text[at : at + 1] + text[at + 2 :]


def _flip_bit(random: Random, text: str, _: Corpus) -> str:
    """Flip a bit of the text in UTF-8; octets that are then not UTF-8 become surrogates."""
    octets = bytearray(text.encode("utf-8", "surrogatepass"))
    if octets:
        octets[random.randrange(len(octets))] ^= 1 << random.randrange(8)
    return octets.decode("utf-8", "surrogateescape")


def _splice(random: Random, text: str, corpus: Corpus) -> str:
    other = corpus.text(random)
    return text[: random.randint(0, len(text))] + other[random.randint(0, len(other)) :]


def _rename(random: Random, text: str, corpus: Corpus) -> str:
    name = random.choice((*corpus.schemes, "x-none", "nfs", "", "1", "ht tp"))
    return name + text[text.find(":") :]


def _encode(random: Random, text: str, _: Corpus) -> str:
    at = random.randint(0, len(text))
    octets = text[at : at + 1].encode("utf-8", "surrogatepass")
    return text[:at] + "".join(f"%{octet:02X}" for octet in octets) + text[at + 1 :]


def _swap_case(random: Random, text: str, _: Corpus) -> str:
    at, end = sorted((random.randint(0, len(text)), random.randint(0, len(text))))
    return text[:at] + text[at:end].swapcase() + text[end:]


def _insert_run(random: Random, text: str, _: Corpus) -> str:
    """Insert a run of a piece; rarely a long one, which costs as much as many short inputs."""
    piece = random.choice((_character(random), random.choice(TOKENS), *RUNS))
    longest = random.choice((10, 30, 30, 100, 100, 1_000, random.choice((1_000, 10_000))))
    return _change(random, text, piece * (random.randint(1, longest) // len(piece) + 1))


MUTATIONS: tuple[Mutation, ...] = (
    *[lambda random, text, _: _change(random, text, _character(random))] * 3,
    *[lambda random, text, _: _change(random, text, _character(random), 1)] * 2,
    *[lambda random, text, _: _change(random, text, "", random.choice((1, 1, 1, 2, 5)))] * 2,
    *[lambda random, text, _: _change(random, text, random.choice(TOKENS), random.choice((0, 0, 1)))] * 2,
    lambda random, text, _: _change(random, text, random.choice(BREAKS)),
    lambda random, text, corpus: _change(random, text, random.choice(("", " ", "\n", ",", "@")) + corpus.text(random)),
    lambda random, text, _: random.choice(FRAMES).replace("{}", text),
    *(_repeat, _swap, _flip_bit, _splice, _rename, _encode, _swap_case, _insert_run),
)
