"""Mutated URLs without end, and the laws that hold for each of them.

    python3 dev python tests/campaign.py --inputs 1000000 --seed 1
    python3 dev python tests/campaign.py --inputs 1000000 --seed 1 --first 400000    where an earlier run was stopped
    python3 dev python tests/campaign.py --inputs 1 --seed 1 --first 123456          one input again

Input N of a seed is always the same text, whatever came before it. What breaks a law is printed with its number and a
shorter text that breaks the same one; the exit status is 1 then.
"""

from __future__ import annotations

import argparse
import inspect
import json
import multiprocessing
import signal
import string
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from generated import generated

import urlschemes
import urlschemes_lint
from urlschemes import URL, URLError
from urlschemes import default_registry as registry
from urlschemes_testing.strategies import urls
from urlschemes_text import find, wrap

GENERATED = 120
"""URLs of each scheme that come from its strategy; the examples of its record and the table of cases come beside."""

BATCH = 1_000
ENOUGH = 20
"""Broken laws after which there is no need to go on."""

PATIENCE = 120
"""Seconds after which an input counts as hanging. No law is about time; this only says which input it was."""

STRANGE = " \t\r\n\0\v\x1b\x7f\x85\xa0\xad\u2028\u200b\u202e\ufeff\u0130\u017f\uff0f\uff1a\u3002\xe9\ud800\udcff"
TELLING = "/:@?#%;=&.~-+*!'\"(),<>[]{}|\\^`$_"
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
    """Valid URLs by scheme, and the texts of cases, valid or not."""

    def __init__(self, by_scheme: dict[str, list[str]]) -> None:
        self.by_scheme = by_scheme
        self.schemes = sorted(by_scheme)

    @classmethod
    def made(cls) -> Corpus:
        table = Path(__file__).with_name("tables") / "urls.jsonl"
        cases = [str(json.loads(line)["url"]) for line in table.read_text("utf-8").splitlines()]
        by_scheme = {
            name: [
                *generated(urls(name), GENERATED),
                *(example.url for example in registry.registration(name).examples),
                *(text for text in cases if text.lower().startswith(f"{name}:")),
            ]
            for name in registry
        }
        return cls(by_scheme)

    def text(self, random: Random) -> str:
        """One of them, every scheme as likely as every other."""
        return random.choice(self.by_scheme[random.choice(self.schemes)])

    def mutated(self, seed: int, number: int) -> str:
        """Input `number` of `seed`."""
        random = Random(f"{seed}:{number}")
        text = self.text(random)
        for _ in range(random.choice((0, 1, 1, 1, 2, 2, 3, 6))):
            text = random.choice(MUTATIONS)(random, text, self)
        return text


Mutation = Callable[[Random, str, Corpus], str]


def _at(random: Random, text: str) -> int:
    return random.randint(0, len(text))


def _character(random: Random) -> str:
    return random.choice(TELLING + random.choice(string.ascii_letters + string.digits) + random.choice(STRANGE))


def _insert(random: Random, text: str, _: Corpus) -> str:
    at = _at(random, text)
    return text[:at] + _character(random) + text[at:]


def _replace(random: Random, text: str, _: Corpus) -> str:
    at = _at(random, text)
    return text[:at] + _character(random) + text[at + 1 :]


def _leave_out(random: Random, text: str, _: Corpus) -> str:
    at = _at(random, text)
    return text[:at] + text[at + random.choice((1, 1, 1, 2, 5)) :]


def _double(random: Random, text: str, _: Corpus) -> str:
    at, end = sorted((_at(random, text), _at(random, text)))
    return text[:end] + text[at:end] * random.choice((1, 1, 2, 9)) + text[end:]


def _exchange(random: Random, text: str, _: Corpus) -> str:
    at = _at(random, text)
    return text[:at] + text[at + 1 : at + 2] + text[at : at + 1] + text[at + 2 :]


def _octet(random: Random, text: str, _: Corpus) -> str:
    """An octet changed, of the text as UTF-8; what is no UTF-8 then becomes surrogates."""
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
    """The scheme of another."""
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


def _run(random: Random, text: str, _: Corpus) -> str:
    """A long run, mostly not: it costs as much as many short inputs."""
    at = _at(random, text)
    piece = random.choice((_character(random), random.choice(TOKENS), "a.", "%41", "a@", "/a", ";a=b", "%22", "<URL:"))
    longest = random.choice((10, 30, 30, 100, 100, 1_000, random.choice((1_000, 10_000))))
    return text[:at] + piece * (random.randint(1, longest) // len(piece) + 1) + text[at:]


MUTATIONS: tuple[Mutation, ...] = (
    _insert, _insert, _insert, _replace, _replace, _leave_out, _leave_out, _double, _exchange, _octet, _splice, _embed,
    _rename, _token, _token, _encode, _swap_case, _enclose, _break, _run,
)  # fmt: skip


class Broken(Exception):
    """A law that an input breaks."""


@dataclass
class Figures:
    """What became of a number of inputs."""

    inputs: int = 0
    valid: int = 0
    repaired: int = 0
    found: int = 0
    characters: int = 0
    slowest: tuple[float, int, int] = (0.0, 0, 0)
    """Seconds of the processor, the input's number, its length."""
    broken: list[tuple[int, str, str]] = field(default_factory=list)
    """The input's number, the law, a short text that breaks it."""

    def add(self, other: Figures) -> None:
        self.inputs += other.inputs
        self.valid += other.valid
        self.repaired += other.repaired
        self.found += other.found
        self.characters += other.characters
        self.slowest = max(self.slowest, other.slowest)
        self.broken += other.broken

    def report(self, seconds: float) -> str:
        took, number, length = self.slowest
        share = 100 / max(self.inputs, 1)
        size, speed = self.characters / max(self.inputs, 1), self.inputs / seconds
        shares = f"valid {self.valid * share:.1f} %, repaired {self.repaired * share:.1f} %"
        lines = [
            f"{self.inputs} inputs of {size:.0f} characters in {seconds:.0f} s: {speed:.0f} a second",
            f"{shares}, with a URL found in them {self.found * share:.1f} %",
            f"slowest: input {number}, of {length} characters, {took:.2f} s of the processor",
            f"laws broken: {len(self.broken)}",
            *(f"  input {number}: {law}: {text!a}" for number, law, text in self.broken),
        ]
        return "\n".join(lines)


def outcome(function: Callable[[], object]) -> object:
    """What the function returns, or the project's error that it raises, which prints as it should."""
    try:
        return function()
    except URLError as error:
        said = str(error)
        if len(said) > 300 or not said.isascii() or not said.isprintable():
            raise Broken(f"an error of {len(said)} characters prints {said[:400]!a}") from None
        return error


def law(holds: bool, words: str) -> None:
    if not holds:
        raise Broken(words)


def looked_at(text: str, figures: Figures) -> None:
    """Every law, for one input. Raises Broken, or whatever foreign exception comes out."""
    parsed = outcome(lambda: urlschemes.parse(text))
    valid = isinstance(parsed, URL)
    law(urlschemes.is_valid(text) == valid, "is_valid says what parse does")
    findings = outcome(lambda: urlschemes_lint.check(text))
    if isinstance(findings, tuple):
        law(any(finding.severity == "error" for finding in findings) != valid, "check has an error where parse refuses")
    else:
        law(not valid, "check of a URL raises nothing")
    fixed = outcome(lambda: urlschemes_lint.fix(text))
    if not isinstance(fixed, URLError):
        again = urlschemes_lint.fix(str(fixed.url))  # type: ignore[attr-defined]
        law(urlschemes.parse(str(fixed.url)) == fixed.url, "what fix returns parses")  # type: ignore[attr-defined]
        law((again.url, again.changes, again.fragment) == (fixed.url, (), None), "to fix twice is to fix once")  # type: ignore[attr-defined]
        figures.repaired += not valid
    here = list(find(text))
    law(all(text[slice(*each.span)] == each.text for each in here), "what is found stands where it is said to")
    law(all(str(type(each.url).parse(str(each.url))) == str(each.url) for each in here), "what is found parses")
    figures.found += bool(here)
    said = outcome(lambda: urlschemes_lint.explain(text))
    law(all(line.isprintable() for line in str(said).split("\n")), "explain prints what can be printed")
    if isinstance(parsed, URL):
        figures.valid += 1
        valid_laws(text, parsed, fixed)


def valid_laws(text: str, url: URL, fixed: object) -> None:
    """The laws of a URL."""
    law(str(url) == text, "a URL prints as it was parsed")
    law(not isinstance(fixed, URLError), "fix of a URL raises nothing")
    law((fixed.url, fixed.changes, fixed.fragment) == (url, (), None), "fix of a URL changes nothing")  # type: ignore[attr-defined]
    law([(each.url, each.grade) for each in find(wrap(url))] == [(url, "delimited")], "find gives what was wrapped")
    law([each.url for each in find(wrap(url, width=40))] == [url], "find gives what was wrapped in short lines")
    for parts in builds(url):
        built = type(url)(**parts)
        law(built.parts == url.parts, f"the constructor gives the URL of {sorted(parts)}")


def builds(url: URL) -> Iterator[dict[str, object]]:
    """Yield the parts of `url` for its constructor: those that lie within others, then those around them."""
    syntax = url.syntax
    parts = {name: value for name, value in url.parts.items() if url.raw[name] is not None}
    outer = {name for name in parts if syntax.within(syntax.parts[name].mark)}
    inner = {
        name for name in parts for each in outer if syntax.parts[name].mark in syntax.within(syntax.parts[each].mark)
    }
    for left_out in (outer, inner) if outer else (outer,):
        yield {name: value for name, value in parts.items() if name not in left_out}


def broken_law(text: str, figures: Figures) -> str | None:
    """The law that `text` breaks, in words; None where it keeps them all."""
    try:
        looked_at(text, figures)
    except Broken as broken:
        return str(broken)
    except Exception as error:  # noqa: BLE001  that none comes out is the law
        return f"{type(error).__name__} comes out: {error!s:.200}"
    return None


def shorter(text: str, words: str) -> str:
    """A piece of `text` that breaks the same law, found by leaving out what can be left out."""
    size = len(text) // 2
    while size:
        at = 0
        while at < len(text):
            piece = text[:at] + text[at + size :]
            if (broken_law(piece, Figures()) or "")[:20] == words[:20]:
                text = piece
            else:
                at += size
        size //= 2
    return text


@contextmanager
def watched(number: int) -> Iterator[None]:
    """A bound on the time of an input, where the system has one."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def hangs(*_: object) -> None:
        raise RuntimeError(f"input {number} is not done after {PATIENCE} s")

    before = signal.signal(signal.SIGALRM, hangs)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def run(corpus: Corpus, seed: int, numbers: Sequence[int]) -> Figures:
    """The inputs of these numbers."""
    figures = Figures()
    for number in numbers:
        text = corpus.mutated(seed, number)
        figures.inputs += 1
        figures.characters += len(text)
        start = time.process_time()
        with watched(number):
            words = broken_law(text, figures)
        figures.slowest = max(figures.slowest, (time.process_time() - start, number, len(text)))
        if words is not None:
            figures.broken.append((number, words, shorter(text, words)))
    return figures


_job: tuple[Corpus, int] | None = None


def _begin(corpus: Corpus, seed: int) -> None:
    global _job  # noqa: PLW0603  what a worker process is given once
    _job = corpus, seed


def _batch(numbers: range) -> Figures:
    assert _job is not None
    return run(*_job, numbers)


def say(text: str) -> None:
    """One line or more, at once."""
    print(text, flush=True)  # noqa: T201  it talks to a person


def main(arguments: list[str]) -> int:
    """Run a campaign, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first input")
    parser.add_argument("--processes", type=int, default=2)
    wanted = parser.parse_args(arguments)
    corpus = Corpus.made()
    end = wanted.first + wanted.inputs
    batches = [range(at, min(at + BATCH, end)) for at in range(wanted.first, end, BATCH)]
    whole, start = Figures(), time.monotonic()
    with multiprocessing.Pool(wanted.processes, _begin, (corpus, wanted.seed)) as pool:
        for count, figures in enumerate(pool.imap(_batch, batches), 1):
            whole.add(figures)
            if count % 20 == 0:
                say(f"{wanted.first + whole.inputs} done, {len(whole.broken)} laws broken")
            if len(whole.broken) >= ENOUGH:
                break
    say(f"seed {wanted.seed}, inputs {wanted.first} to {wanted.first + whole.inputs - 1}")
    say(whole.report(time.monotonic() - start))
    return 1 if whole.broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
