"""A campaign of mutated URLs, of any length: each must keep the laws.

    python3 dev python tests/mutation_campaign.py --inputs 1000000 --seed 1
    python3 dev python tests/mutation_campaign.py --inputs 1000000 --seed 1 --first 400000     continue an earlier run
    python3 dev python tests/mutation_campaign.py --inputs 1 --seed 1 --first 123456           repeat one input

The number of an input and the seed determine its text. An input that breaks a law is printed with its number and a
shorter text that breaks the same law; the exit status is then 1.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import signal
import string
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import url_laws

import urlschemes
import urlschemes_lint
from urlschemes import InvalidURL, Registry, URLError, default_registry
from urlschemes_conformance import laws
from urlschemes_testing.generation import random_urls
from urlschemes_text import find, wrap

GENERATED = 120
"""Generated URLs of each scheme in the corpus, besides the examples of its record and the table of cases."""
BATCH = 1_000
ENOUGH = 20
"""Broken laws after which a campaign stops."""
MAX_SECONDS = 120
"""Seconds after which an input counts as hanging."""

STRANGE = " \t\r\n\0\v\x1b\x7f\x85\xa0\xad\u2028\u200b\u202e\ufeff\u0130\u017f\uff0f\uff1a\u3002\xe9\ud800\udcff"
DELIMITERS = "/:@?#%;=&.~-+*!'\"(),<>[]{}|\\^`$_"
TOKENS = (
    "//",
    "://",
    "%2F",
    "%00",
    "%0D%0A",
    "%09",
    "%zz",
    "%",
    "%4",
    "@",
    "@@",
    ":80",
    ":",
    ":99999",
    "#top",
    "URL:",
    "<URL:",
    ">",
    "<",
    ";type=",
    "localhost",
    "127.0.0.1",
    "0x7f.1",
    "[::1]",
    "..",
    "-",
    "-\n",
    "&amp;",
    "xn--",
    "host.dom.",
)


class Corpus:
    """Texts by scheme: URLs, and the texts of the table of cases, valid or not."""

    def __init__(self, by_scheme: dict[str, list[str]]) -> None:
        self.by_scheme = by_scheme
        self.schemes = sorted(by_scheme)

    @classmethod
    def generated(cls, number: int = GENERATED, registry: Registry = default_registry) -> Corpus:
        """Return the corpus with `number` generated URLs of each scheme of a registry."""
        table = Path(__file__).with_name("tables") / "urls.jsonl"
        cases = [str(json.loads(line)["url"]) for line in table.read_text("utf-8").splitlines()]
        by_scheme = {
            name: [
                *random_urls(name, number, registry=registry),
                *(example.url for example in registry.registration(name).examples),
                *(text for text in cases if text.lower().startswith(f"{name}:")),
            ]
            for name in registry
        }
        return cls(by_scheme)

    def text(self, random: Random) -> str:
        """Return one of the texts; each scheme is equally likely."""
        return random.choice(self.by_scheme[random.choice(self.schemes)])

    def mutated(self, seed: int, number: int) -> str:
        """Return input `number` of `seed`."""
        random = Random(f"{seed}:{number}")
        text = self.text(random)
        for _ in range(random.choice((0, 1, 1, 1, 2, 2, 3, 6))):
            text = random.choice(MUTATIONS)(random, text, self)
        return text


Mutation = Callable[[Random, str, Corpus], str]


def _at(random: Random, text: str) -> int:
    return random.randint(0, len(text))


def _character(random: Random) -> str:
    return random.choice(DELIMITERS + random.choice(string.ascii_letters + string.digits) + random.choice(STRANGE))


def _insert(random: Random, text: str, _: Corpus) -> str:
    at = _at(random, text)
    return text[:at] + _character(random) + text[at:]


def _replace(random: Random, text: str, _: Corpus) -> str:
    at = _at(random, text)
    return text[:at] + _character(random) + text[at + 1 :]


def _delete(random: Random, text: str, _: Corpus) -> str:
    at = _at(random, text)
    return text[:at] + text[at + random.choice((1, 1, 1, 2, 5)) :]


def _repeat(random: Random, text: str, _: Corpus) -> str:
    at, end = sorted((_at(random, text), _at(random, text)))
    return text[:end] + text[at:end] * random.choice((1, 1, 2, 9)) + text[end:]


def _swap(random: Random, text: str, _: Corpus) -> str:
    at = _at(random, text)
    return text[:at] + text[at + 1 : at + 2] + text[at : at + 1] + text[at + 2 :]


def _flip_bit(random: Random, text: str, _: Corpus) -> str:
    """Flip a bit of the text in UTF-8; octets that are then not UTF-8 become surrogates."""
    octets = bytearray(text.encode("utf-8", "surrogatepass"))
    if octets:
        octets[random.randrange(len(octets))] ^= 1 << random.randrange(8)
    return octets.decode("utf-8", "surrogateescape")


def _splice(random: Random, text: str, corpus: Corpus) -> str:
    other = corpus.text(random)
    return text[: _at(random, text)] + other[_at(random, other) :]


def _embed(random: Random, text: str, corpus: Corpus) -> str:
    at, other = _at(random, text), corpus.text(random)
    return text[:at] + random.choice(("", " ", "\n", ",", "@")) + other + text[at:]


def _rename(random: Random, text: str, corpus: Corpus) -> str:
    """Replace the scheme."""
    name = random.choice((*corpus.schemes, "x-none", "nfs", "", "1", "ht tp"))
    return name + text[text.find(":") :]


def _token(random: Random, text: str, _: Corpus) -> str:
    at = _at(random, text)
    return text[:at] + random.choice(TOKENS) + text[at + random.choice((0, 0, 1)) :]


def _encode(random: Random, text: str, _: Corpus) -> str:
    at = _at(random, text)
    octets = text[at : at + 1].encode(
        "utf-8", "surrogateescape" if "\udc80" <= text[at : at + 1] <= "\udcff" else "replace"
    )
    return text[:at] + "".join(f"%{octet:02X}" for octet in octets) + text[at + 1 :]


def _swap_case(random: Random, text: str, _: Corpus) -> str:
    at, end = sorted((_at(random, text), _at(random, text)))
    return text[:at] + text[at:end].swapcase() + text[end:]


def _enclose(random: Random, text: str, _: Corpus) -> str:
    return random.choice(
        ("<URL:{}>", "<{}>", "URL:{}", " {}\n", "({})", '"{}"', "{}.", "see {} there", "<URL:\n  {}\n>", "{}#a")
    ).replace("{}", text)


def _break(random: Random, text: str, _: Corpus) -> str:
    at = _at(random, text)
    return text[:at] + random.choice(("\n", "\r\n", "-\n", "\n  ", " ", "\t", "=\n")) + text[at:]


def _insert_run(random: Random, text: str, _: Corpus) -> str:
    """Insert a run of a piece; rarely a long one, which costs as much as many short inputs."""
    at = _at(random, text)
    piece = random.choice((_character(random), random.choice(TOKENS), "a.", "%41", "a@", "/a", ";a=b", "%22", "<URL:"))
    longest = random.choice((10, 30, 30, 100, 100, 1_000, random.choice((1_000, 10_000))))
    return text[:at] + piece * (random.randint(1, longest) // len(piece) + 1) + text[at:]


MUTATIONS: tuple[Mutation, ...] = (
    _insert, _insert, _insert, _replace, _replace, _delete, _delete, _repeat, _swap, _flip_bit, _splice, _embed,
    _rename, _token, _token, _encode, _swap_case, _enclose, _break, _insert_run,
)  # fmt: skip


@dataclass
class Figures:
    """The results of a number of inputs."""

    inputs: int = 0
    valid: int = 0
    repaired: int = 0
    found: int = 0
    characters: int = 0
    slowest: tuple[float, int, int] = (0.0, 0, 0)
    """CPU seconds, number and length of the slowest input."""
    broken: list[tuple[int, str, str]] = field(default_factory=list)
    """The number of an input, the law that it breaks, and a short text that breaks it."""

    def add(self, other: Figures) -> None:
        self.inputs += other.inputs
        self.valid += other.valid
        self.repaired += other.repaired
        self.found += other.found
        self.characters += other.characters
        self.slowest = max(self.slowest, other.slowest)
        self.broken += other.broken

    def report(self, seconds: float) -> str:
        cpu_seconds, number, length = self.slowest
        share = 100 / max(self.inputs, 1)
        mean, speed = self.characters / max(self.inputs, 1), self.inputs / seconds
        shares = f"valid {self.valid * share:.1f} %, repaired {self.repaired * share:.1f} %"
        lines = [
            f"{self.inputs} inputs of {mean:.0f} characters in {seconds:.0f} s: {speed:.0f} a second",
            f"{shares}, with a URL in them {self.found * share:.1f} %",
            f"slowest: input {number}, of {length} characters, {cpu_seconds:.2f} CPU seconds",
            f"broken laws: {len(self.broken)}",
            *(f"  input {number}: {law}: {text!a}" for number, law, text in self.broken),
        ]
        return "\n".join(lines)


def require(condition: object, message: str) -> None:
    if not condition:
        raise laws.BrokenLaw(message)


def check_laws(text: str, figures: Figures) -> None:
    """Check every law with one text. Raises AssertionError, or any error that should not be raised."""
    laws.tools_agree(text, default_registry)
    found = list(find(text))
    require(all(text[slice(*each.span)] == each.text for each in found), "find returns a wrong span")
    require(all(type(each.url).parse(str(each.url)) == each.url for each in found), "find returns an invalid URL")
    figures.found += bool(found)
    try:
        url = urlschemes.parse(text)
    except URLError:
        with suppress(URLError):
            urlschemes_lint.fix(text)
            figures.repaired += 1
        return
    figures.valid += 1
    url_laws.prints_back(text, default_registry)
    laws.builds_back(url)
    laws.is_normalized_once(url)
    url_laws.is_equivalent_to_its_normal_form(url)
    for name, value in url.parts.items():
        with suppress(InvalidURL):  # the default of an absent part need not be a value that can be written
            url_laws.replaces_one_part(url, name, value)
    wrapped = [(each.url, each.grade) for each in find(wrap(url))]
    require(wrapped == [(url, "delimited")], "find does not return the URL that wrap wrote")
    wrapped_lines = [each.url for each in find(wrap(url, width=40))]
    require(wrapped_lines == [url], "find does not return the URL that wrap wrote in lines")


def broken_law(text: str, figures: Figures) -> str | None:
    """Return a description of the law that `text` breaks; None if it keeps them all."""
    try:
        check_laws(text, figures)
    except AssertionError as broken:
        return str(broken)
    except Exception as error:  # noqa: BLE001  no error at all should be raised
        return f"{type(error).__name__} is raised: {error!s:.200}"
    return None


def shorten(text: str, law: str) -> str:
    """Return a shorter text that breaks the same law, found by deleting pieces."""
    size = len(text) // 2
    while size:
        at = 0
        while at < len(text):
            candidate = text[:at] + text[at + size :]
            if (broken_law(candidate, Figures()) or "")[:20] == law[:20]:
                text = candidate
            else:
                at += size
        size //= 2
    return text


@contextmanager
def time_limit(number: int) -> Iterator[None]:
    """Raise RuntimeError if the block takes too long, on systems that have timers."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def fail(*_: object) -> None:
        raise RuntimeError(f"input {number} takes more than {MAX_SECONDS} s")

    before = signal.signal(signal.SIGALRM, fail)
    signal.setitimer(signal.ITIMER_REAL, MAX_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def run(corpus: Corpus, seed: int, numbers: Sequence[int]) -> Figures:
    """Check the inputs with these numbers."""
    figures = Figures()
    for number in numbers:
        text = corpus.mutated(seed, number)
        figures.inputs += 1
        figures.characters += len(text)
        began = time.process_time()
        with time_limit(number):
            law = broken_law(text, figures)
        figures.slowest = max(figures.slowest, (time.process_time() - began, number, len(text)))
        if law is not None:
            figures.broken.append((number, law, shorten(text, law)))
    return figures


_job: tuple[Corpus, int] | None = None


def _set_job(corpus: Corpus, seed: int) -> None:
    global _job  # noqa: PLW0603  each worker process gets the corpus once
    _job = corpus, seed


def _run_batch(numbers: range) -> Figures:
    assert _job is not None
    return run(*_job, numbers)


def write(text: str) -> None:
    print(text, flush=True)  # noqa: T201  a program for the terminal


def main(arguments: list[str]) -> int:
    """Run a campaign, and print its results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args(arguments)
    corpus = Corpus.generated()
    end = options.first + options.inputs
    batches = [range(at, min(at + BATCH, end)) for at in range(options.first, end, BATCH)]
    total, began = Figures(), time.monotonic()
    with multiprocessing.Pool(options.processes, _set_job, (corpus, options.seed)) as pool:
        for count, figures in enumerate(pool.imap(_run_batch, batches), 1):
            total.add(figures)
            if count % 20 == 0:
                write(f"{options.first + total.inputs} done, {len(total.broken)} broken laws")
            if len(total.broken) >= ENOUGH:
                break
    write(f"seed {options.seed}, inputs {options.first} to {options.first + total.inputs - 1}")
    write(total.report(time.monotonic() - began))
    return 1 if total.broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
