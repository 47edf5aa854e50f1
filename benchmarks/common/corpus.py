"""The URLs that are measured. Every run makes the same ones: nothing here is random but by a fixed seed."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from urlschemes.grammar.automaton import bits
from urlschemes.grammar.rule_tree import Characters, Marked, Repeated, Series, Variants
from urlschemes_conformance.recognizer import Recognizer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from urlschemes.grammar.rule_tree import Element
    from urlschemes.grammar.syntax import Syntax

__all__ = ["derived", "fresh", "one_edit_invalid", "typical_http"]

SEED = 1738
WORDS = """
    about access account agenda air album annual answer archive area article artist author autumn basket batch
    bicycle blog board book border branch bread bridge budget button camera canal castle catalog chapter chart city
    climate cloud coast coffee color comment concert contact corner council country course culture cycle daily data
    day design detail diary dinner district document download draft edition energy evening event export family farm
    feature feed ferry field film forest forum gallery garden glossary government guide harbor health help history
    holiday home house image index insight island issue item journal journey kitchen lake language latest letter
    library light list local map market media member menu meeting model month morning mountain museum music nature
    network news note office orchard order page paper park people photo picture planet poem portal post press price
    product profile project question radio railway rain recipe region release report research result review river
    road room sample school science search season section series service shop signal silver sport spring station
    story street student summer table theatre thread ticket topic tower town trade train travel tree update user
    valley video village visit voice water weather week winter wood world writer year
""".split()  # noqa: SIM905  a list would take a line for each
DOMAINS = ("com", "com", "com", "org", "net", "edu", "info", "de", "co.uk", "fr", "nl", "se", "or.jp", "com.br", "it")
ENDINGS = ("html", "html", "htm", "php", "aspx", "xml", "txt", "pdf", "shtml")
IMAGES = ("png", "jpg", "jpg", "gif", "svg", "css", "js", "ico", "webp")
# Of the characters that a part may hold as they are or escaped, this share is escaped.
ESCAPED = 0.025
# Most hosts are names: of those that are addresses in brackets, this share is kept.
BRACKETED = 0.1
KEYS = ("id", "page", "q", "lang", "sort", "ref", "view", "cat", "offset", "limit", "utm_source", "utm_campaign", "s")


def typical_http(count: int) -> list[str]:
    """Distinct `http` URLs such as the Web has, all valid by RFC 1738."""
    maker = _Typical(random.Random(SEED))  # noqa: S311  nothing secret
    return _distinct((maker.url() for _ in range(20 * count)), count)


class _Typical:
    """Pages, articles, products, searches, calls of a service, pictures."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def url(self) -> str:
        kinds = (self._page, self._article, self._article, self._product, self._search, self._service, self._picture)
        path = "" if self._chance.random() < 0.04 else "/" + self._chance.choice(kinds)()
        return f"http://{self._host()}{path}"

    def _word(self) -> str:
        return self._chance.choice(WORDS)

    def _number(self, digits: int) -> str:
        return str(self._chance.randrange(10 ** (digits - 1), 10**digits))

    def _slug(self, least: int, most: int) -> str:
        return "-".join(self._word() for _ in range(self._chance.randint(least, most)))

    def _host(self) -> str:
        chance = self._chance.random()
        name = self._word() + (self._word() if self._chance.random() < 0.5 else "-" + self._word())
        domain = f"{name}.{self._chance.choice(DOMAINS)}"
        if chance < 0.55:
            return f"www.{domain}"
        if chance < 0.75:
            return f"{self._chance.choice(('blog', 'shop', 'api', 'static', 'img2', 'en', 'm', 'forum'))}.{domain}"
        if chance < 0.78:
            return f"{domain}:{self._chance.choice((8080, 8000, 81, 3000))}"
        return domain

    def _page(self) -> str:
        if self._chance.random() < 0.3:
            return ""
        folders = "".join(f"{self._word()}/" for _ in range(self._chance.randint(0, 3)))
        last = f"{self._slug(1, 2)}.{self._chance.choice(ENDINGS)}" if self._chance.random() < 0.6 else ""
        return folders + last

    def _article(self) -> str:
        year, month = self._chance.randint(1998, 2024), self._chance.randint(1, 12)
        end = self._chance.choice(("", "/", ".html", f"-{self._number(7)}"))
        query = "" if self._chance.random() < 0.7 else f"?utm_source={self._word()}&utm_medium={self._word()}"
        return f"{self._word()}/{year}/{month:02}/{self._slug(3, 8)}{end}{query}"

    def _product(self) -> str:
        name = self._slug(2, 4).replace("-", self._chance.choice(("-", "_", "%20", "+")))
        return f"{self._word()}/{self._word()}/{name}/{self._number(6)}?ref={self._word()}_{self._number(2)}"

    def _search(self) -> str:
        words = self._chance.choice(("+", "%20")).join(self._word() for _ in range(self._chance.randint(1, 4)))
        return f"search?q={words}&{self._query(self._chance.randint(0, 3))}".rstrip("&")

    def _service(self) -> str:
        path = f"v{self._chance.randint(1, 3)}/{self._word()}s/{self._number(8)}/{self._word()}"
        return f"{path}?{self._query(self._chance.randint(1, 4))}"

    def _picture(self) -> str:
        mark = f"{self._chance.getrandbits(64):016x}"
        size = self._chance.choice(("", "_640x480", "-small", ",300"))
        return f"{self._word()}/{mark[:2]}/{mark[2:4]}/{mark}{size}.{self._chance.choice(IMAGES)}"

    def _query(self, pairs: int) -> str:
        values = (self._word, lambda: self._number(4), lambda: f"{self._word()}%2F{self._word()}")
        return "&".join(f"{self._chance.choice(KEYS)}={self._chance.choice(values)()}" for _ in range(pairs))


def derived(syntax: Syntax, count: int) -> list[str]:
    """Distinct texts that the syntax tree of a scheme derives, every option and alternative of it reached."""
    chance = random.Random(f"{SEED} {syntax.rule}")  # noqa: S311  nothing secret
    tree = syntax.automaton.tree
    texts = (_derive(tree, chance) for _ in range(20 * count))
    return _distinct((text for text in texts if "[" not in text or chance.random() < BRACKETED), count)


def _derive(item: Element, chance: random.Random) -> str:
    if isinstance(item, Characters):
        # A literal as its registration writes it; letters, as the Web does, mostly small.
        if item.literal is not None:
            return item.literal[item.offset]
        character = chr(chance.choice(list(bits(item.mask))))
        small = character.lower()
        return small if item.mask >> ord(small) & 1 and chance.random() < 0.9 else character
    if isinstance(item, Marked):
        return _derive(item.item, chance)
    if isinstance(item, Series):
        return "".join(_derive(inner, chance) for inner in item.items)
    if isinstance(item, Variants):
        return _derive(chance.choices(item.items, _weights(item.items))[0], chance)
    assert isinstance(item, Repeated)
    if item.most == 1:
        turns = chance.randint(item.least, 1)
    elif item.most is not None:
        turns = chance.randint(1, 4)  # a number, which as a port should be one that other parsers take
    else:
        mean = 2 if isinstance(item.item, Series) else 7  # labels or segments; characters
        turns = min(item.least + int(chance.expovariate(1 / mean)), 60)
    return "".join(_derive(item.item, chance) for _ in range(turns))


def _weights(items: list[Element]) -> list[float]:
    """Return the weight of each alternative: escapes and later alternatives are rare."""
    characters = sum(isinstance(item, Characters) for item in items)
    if characters in {0, len(items)}:
        return [1 / (1 + place) for place in range(len(items))]
    others = len(items) - characters
    return [ESCAPED / others if not isinstance(item, Characters) else (1 - ESCAPED) / characters for item in items]


def one_edit_invalid(syntax: Syntax, valid: list[str]) -> list[str]:
    """Texts that differ from the `valid` ones by one character, after the scheme's colon, and are not URLs.

    A character is inserted, replaced, left out or doubled: mostly a printable one, now and then a control character or
    one beyond US-ASCII. The judge is the slow recognizer of urlschemes_conformance, which shares no code with
    the pattern.
    """
    chance = random.Random(SEED)  # noqa: S311  nothing secret
    judge = Recognizer(syntax)
    found = []
    for text in valid:
        for _ in range(30):
            edited = _edited(text, chance)
            if not judge.accepts(edited):
                found.append(edited)
                break
    return found


def _edited(text: str, chance: random.Random) -> str:
    begin = text.index(":") + 1
    at = chance.randrange(begin, max(len(text), begin + 1))
    character = chr(chance.choice((chance.randint(32, 126),) * 8 + (chance.randint(0, 31), chance.randint(127, 0x17F))))
    edits = (
        text[:at] + character + text[at:],
        text[:at] + character + text[at + 1 :],
        text[:at] + text[at + 1 :],
        text[:at] + text[at : at + 1] + text[at:],
    )
    return chance.choice(edits)


def fresh(texts: Iterable[str]) -> list[str]:
    """Return the same texts as new objects, whose hash is not cached."""
    return [text[:1] + text[1:] for text in texts]


def _distinct(texts: Iterable[str], count: int) -> list[str]:
    """The first `count` different texts, fewer where there are not so many."""
    found: dict[str, None] = {}
    for text in texts:
        found[text] = None
        if len(found) == count:
            break
    return list(found)
