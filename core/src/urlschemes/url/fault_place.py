"""The place and the code of the first fault of a text, and the message about it: computed only when an error is read.

A walk over the automaton finds the longest prefix of the text that some URL of the scheme begins with. What cannot come
next is the fault, and the state there says the rest. If there is an `@` in the authority, the text before the last one
is read as a login; otherwise nothing is. The messages are in `fault_messages`.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from urlschemes.errors import InvalidURL, Remedy, URLError
from urlschemes.grammar.automaton import State, bits
from urlschemes.grammar.derivation import END, expected_words, listed, part_of, rule_of
from urlschemes.grammar.octets import ESCAPE, encoded, octets_of
from urlschemes.grammar.part import DIGITS, Part
from urlschemes.grammar.profile import authority_of
from urlschemes.grammar.rule_tree import Characters, Repeated
from urlschemes.grammar.syntax import Syntax
from urlschemes.storage.named_objects import named
from urlschemes.url import fault_messages
from urlschemes.url.algorithms import algorithms_of
from urlschemes.url.fault_messages import HINTS, FaultMessage, FaultPlace, is_like_ipv6, usual_hint
from urlschemes.url.original_text import OriginalText

_SLASH = 1 << ord("/")
ILLEGAL_CODES = {"%": "bad-escape", "#": "fragment-present"}
"""The codes of characters that are illegal where a profile does not use them: one with fragments reserves the `#`."""

_NO_LOGIN = "leave out the text before the `@`: the scheme has no user name and no password"
_CODES = {"scheme": "invalid-scheme", "slashes": "missing-authority", "port": "invalid-port"}


class _Landmarks:
    """The parts of a syntax's automaton that locate a fault: computed once for each syntax.

    A walk begins in the state `login` if the text has a login, else in `no_login`; `login` is None if the syntax has
    none. `host` and `port` are the positions inside those parts, `begins_host` those where a host begins. `refuses_at`
    is True if no `@` can stand before the host: other parts than a login may end with one.
    """

    def __init__(self, syntax: Syntax) -> None:
        automaton = syntax.automaton
        marks = {name: part.mark for name, part in syntax.parts.items()}
        login = automaton.inside(*(marks[name] for name in ("user", "password", "userinfo") if name in marks))
        behind = automaton.following(login) & ~login
        ats = sum(1 << p for p, leaf in enumerate(automaton.leaves) if behind >> p & 1 and leaf.literal == "@")
        self.login = automaton.state_before(automaton.preceding(ats), ats) if ats else None
        no_login = automaton.state_before(automaton.tree.last, login | ats if ats else 0)
        self.no_login = no_login if no_login.expected else automaton.start
        self.host = automaton.inside(marks["host"]) if "host" in marks else 0
        self.port = automaton.inside(marks["port"]) if "port" in marks else 0
        self.begins_host = automaton.beginning(marks.get("host"))
        before_host = automaton.leading_to(self.begins_host) & ~self.host
        self.refuses_at = not automaton.characters(before_host) >> ord("@") & 1


def _landmarks(syntax: Syntax) -> _Landmarks:
    found: _Landmarks = syntax.once(__name__, lambda: _Landmarks(syntax))
    return found


def host_may_be_empty(syntax: Syntax, text: str) -> bool:
    """Return True if a URL of the scheme of `text` may have nothing between its `//` and the next `/`."""
    return syntax.begins_with(f"{text.partition(':')[0]}:///")


def first_state(syntax: Syntax, text: str) -> State:
    """Return the state before a URL like `text`: an authority without an `@` has no login, whatever it holds."""
    authority = authority_of(text, syntax.profile) if "host" in syntax.parts else None
    return syntax.automaton.start if authority is None or authority.at >= 0 else _landmarks(syntax).no_login


class Fault:
    """The first fault of `text`, which `syntax`, that of `scheme`, does not match.

    `index` is the length of the longest prefix that a URL begins with, and `state` the state after it; `at` lies before
    it if a character, escape or literal was begun there. If the text derives from the rules, `surplus` is the place of
    the digits that make a number too long, else None. `region` is where the fault is: in the scheme, slashes, login,
    host, port, or another part. `blamed` is the place in `text` that the message is about. `position`, `span` and the
    message are those of the `original`, if `text` was made of another.
    """

    def __init__(self, text: str, syntax: Syntax, scheme: str | None, original: OriginalText | None = None) -> None:
        self.text = text
        self.syntax = syntax
        self.scheme = scheme
        self._original = original
        self.authority = authority_of(text, syntax.profile) if "host" in syntax.parts else None
        self._landmarks = _landmarks(syntax)
        self.index, self.state = self._walk()
        match = syntax.regex.fullmatch(text) if self.index == len(text) and self.state.ends else None
        self.surplus = None if match is None else syntax.surplus_digits(match)
        if self.surplus is not None:
            self.index = self.surplus[0]
            self.state = first_state(syntax, text).walk(text[: self.index])[1]
        self.region = self._region()
        self.at = self._at()
        self.position = original.span(self.at, self.at)[0] if original else self.at
        self.code = self._code()

    def __getattr__(self, name: str) -> Any:
        if name not in InvalidURL.COMPUTED and name != "blamed":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        self._describe()
        return self.__dict__[name]

    # The place

    def _walk(self) -> tuple[int, State]:
        known, authority = self._landmarks, self.authority
        if authority is None or authority.at < 0 or known.login is None:
            self.starts = [first_state(self.syntax, self.text)]
            return self.starts[0].walk(self.text)
        self.starts = [known.login]
        index, state = known.login.walk(self.text[: authority.at])
        if index < authority.at:
            return index, state
        automaton = self.syntax.automaton
        self.starts.append(automaton.state_after(state.reached, automaton.start.within))
        index, state = self.starts[1].walk(self.text[authority.at :])
        return authority.at + index, state

    def _region(self) -> str:
        text, index, state, known, authority = self.text, self.index, self.state, self._landmarks, self.authority
        colon = text.find(":")
        if colon < 0 or index <= colon:
            return "scheme"
        begins_authority = "host" in self.syntax.parts and index <= colon + 2 and state.characters == _SLASH
        if begins_authority and state.taken("//"[index - colon - 1 :]):
            return "slashes"
        is_login = known.login is not None or known.refuses_at
        if is_login and authority is not None and authority.start <= index <= authority.at:
            return "login"
        nearest = self.syntax.automaton.nearest_to_end(state.expected) if index == len(text) else 0
        if nearest:
            return "host" if not nearest & ~known.host else "port" if not nearest & ~known.port else "part"
        if state.reached & known.host or state.expected & known.begins_host or self._lacks_brackets():
            return "host"
        return "port" if (state.reached | state.expected) & known.port else "part"

    def _at(self) -> int:
        text, index = self.text, self.index
        escape = text.rfind("%", max(0, index - 2), index)
        if escape >= 0:
            return escape
        if self.region == "login" and self._landmarks.login is None and self.authority is not None:
            return index if self._is_illegal(index) else self.authority.start
        literal = self.syntax.automaton.begun(self.state.expected) if self.region == "part" else None
        return index if literal is None else index - literal.offset

    def _is_illegal(self, index: int) -> bool:
        """Return True if no URL holds the character `index`, or if it is a percent sign that begins no escape."""
        character = self.text[index : index + 1]
        if character == "%":
            return ESCAPE.match(self.text, index) is None
        return character not in self.syntax.profile.characters  # where "" is, which stands for the end

    def _code(self) -> str:
        at, region = self.at, self.region
        character = self.text[at : at + 1]
        if self._is_illegal(at):
            return ILLEGAL_CODES.get(character, "invalid-character")
        if region == "host":
            return "empty-host" if self._host_is_empty() else "invalid-host"
        if region == "login":
            return "userinfo-not-allowed" if self._landmarks.login is None else "invalid-userinfo"
        return _CODES.get(region, "invalid-part")

    def _lacks_brackets(self) -> bool:
        """Return True if the host looks like an IPv6 address, and the rules ask for brackets around those."""
        _, _, start, _, end = self.authority or (0, 0, 0, 0, 0)
        return "[" in self.syntax.profile.reserved and is_like_ipv6(self.text[start:end])

    def _host_is_empty(self) -> bool:
        """Return True if a host must stand here, and a `:`, the end of the authority or of the text stands there."""
        follows, delimiters = self.text[self.at : self.at + 1], f":{self.syntax.profile.authority_ends}"
        is_missing = follows in delimiters and not self.state.reached & self._landmarks.host
        return is_missing and not self._lacks_brackets() and ("port" in self.syntax.parts or not self.state.taken("/"))

    @property
    def counted(self) -> Repeated | None:
        """The bounded repetition that would go on at the fault, and must not; None if there is none."""
        automaton, character = self.syntax.automaton, self.text[self.index : self.index + 1]
        mask = 1 << ord(character) if character else 0
        goes_on = (item for item in automaton.counted if item.last & self.state.reached)
        return next((item for item in goes_on if automaton.characters(item.first) & mask), None)

    # The message

    def _describe(self) -> None:
        """Compute what is said about the fault."""
        fault, syntax = self._message(), self.syntax
        part = syntax.parts.get(fault.part or "")
        self.__dict__.update(fault._asdict())
        self.definition = _definition(fault.rule, part, syntax)
        self.section = syntax.section_of(fault.rule) if fault.rule else None
        self.hint = fault.best_hint(syntax)

    @property
    def remedy(self) -> Remedy | None:
        """The next profile, if it is installed and a record of it accepts the text as given. No plugin is imported."""
        successor = self.syntax.profile.successor
        with suppress(URLError):
            if successor:
                registry = named("urlschemes.registry.registry", "default_registry").in_profile(successor)
                text = (self._original or self).text
                if registry.registration(text.partition(":")[0]).syntax.fullmatch(text):
                    return Remedy("reads it", "Registry.profile", successor)
        return None

    def _message(self) -> FaultMessage:
        code = self.code
        if code in {"fragment-present", "invalid-character", "bad-escape"}:
            place, part = self.place(state=self.state_before(self.at)), self._part()
            is_escape, unsafe = code == "bad-escape", fault_messages.unsafe_character
            found = fault_messages.bad_escape(place, part) if is_escape else unsafe(place, part, self._written())
            return found._replace(hint=self._hint_of_authority(part) or found.hint)
        if self.surplus is not None:
            place, part, rule = self.place(*self.surplus), self._part(), rule_of(self.syntax, self.state.reached)
            rule = self.syntax.parts["port"].rule if self.region == "port" else rule
            return _too_many("digits", f"{DIGITS:,}", place, part, rule, f"a number has at most {DIGITS:,} digits")
        item = self.counted
        if item is not None and code != "userinfo-not-allowed":
            part, rule = part_of(self.syntax, item.inside), rule_of(self.syntax, item.inside)
            what = "characters" if isinstance(item.item, Characters) else "elements"
            return _too_many(what, f"{item.most}", self.place(), part, rule)
        message: FaultMessage = getattr(self, f"_{self.region}_message")()
        if self.text.startswith("#", self.at) and self.region != "scheme" and "fragment" not in self.syntax.parts:
            data, urls = ", or write %23 if it is data" if self.state.taken("%23") else "", self.scheme or "these"
            return message._replace(hint=f"leave out the fragment, which {urls} URLs do not have{data}")
        return message

    def _hint_of_authority(self, part: str | None) -> str | None:
        """Return the hint about a character that no URL may hold, in a host or an unexpected login."""
        if self.authority is not None and self.region == "login" and self._landmarks.login is None:
            ends_host = self.text[self.at] == "\\" and self.text[self.at - 1] not in "/:"
            return f"write `/` if the host ends here, or {_NO_LOGIN}" if ends_host else _NO_LOGIN
        if self.authority is not None and part == "host" and usual_hint(self.syntax, part):
            return algorithms_of(self.syntax.profile).illegal_host_hint(self.text, self.authority, self.at)
        return None

    def state_before(self, index: int) -> State:
        """Return the state before the character `index`, which the walk passed."""
        return first_state(self.syntax, self.text).walk(self.text[:index])[1] if index < self.index else self.state

    def place(self, start: int | None = None, end: int | None = None, state: State | None = None) -> FaultPlace:
        """Blame the characters from `start` to `end`, by default the one at the position; return their place."""
        start = self.at if start is None else start
        end = min(start + 1 if end is None else end, len(self.text))
        self.blamed = self.span = start, end
        if self._original is not None:
            self.span = self._original.span(start, end)
        run = (self._original or self).text[slice(*self.span)]
        return FaultPlace(self.syntax, run, self.span[0], state or self.state, rest=self.text[start:])

    def _part(self) -> str | None:
        """Return the part that the character at the position would belong to, judging by the text before it."""
        state, text, syntax = self.state, self.text, self.syntax
        if self.region == "slashes":
            return "host"
        if self.region == "login" and self.authority is not None:
            if "userinfo" in syntax.parts:
                return "userinfo"
            return "password" if ":" in text[self.authority.start : self.at] else "user"
        if self.region != "part":
            return self.region
        if self.at < self.index:
            state = self.state_before(self.at)
        inside = part_of(syntax, state.taken("%00") or state.taken("%41"), state.reached)
        inside = inside or part_of(syntax, state.reached)
        if inside is None:
            # A part begins here, if only one does.
            marked = [each for each in syntax.automaton.marked if each.first & state.expected]
            begins = {part_of(syntax, each.first) for each in marked}
            inside = begins.pop() if len(begins) == 1 else None
        return fault_messages.sharing_part(syntax, inside, text[self.at :]) if inside else None

    def _written(self) -> str:
        """Return the character at the position encoded, after a backslash if that quotes it, or ""."""
        with suppress(UnicodeEncodeError):
            escaped = encoded(octets_of(self.text[self.at]))
            return next((each for each in (escaped, f"%5C{escaped}") if self.state.taken(each)), "")
        return ""

    # The scheme

    def _scheme_message(self) -> FaultMessage:
        text, at = self.text, self.at
        place, expected = self.place(), '":"' if at else "a scheme name and a colon"
        message = f"{place.subject('scheme', begins=not at)}: {fault_messages.choices((expected,))}"
        if ":" in text[at:] and text[at] not in "/;?:":
            may_follow = text[at] in self.syntax.profile.scheme_characters
            first = expected_words(self.syntax, self.state.expected)
            words = fault_messages.choices(first if may_follow else (fault_messages.alphabet(self.syntax, "scheme"),))
            message = f"{place.subject('scheme')}: {words}"
        wrong = next((each for each in ("//:", "//", ";//") if at and text.startswith(each, at)), None)
        known = HINTS["bare host" if fault_messages.BARE_HOST.match(text) else "scheme"]
        hint = f"write `://` instead of `{wrong}`" if wrong else known
        return FaultMessage(message, part="scheme", rule="scheme", expected=(expected,), hint=hint)

    # The authority

    def _slashes_message(self) -> FaultMessage:
        is_second = self.text[self.at - 1] == "/"
        expected = 'a second "/"' if is_second else '"//"'
        hint = "write `//` before the host"
        if self.text.startswith("://", self.at):
            hint = "leave out the second `:`"
        elif host_may_be_empty(self.syntax, self.text):
            hint += ", or `///` if the path begins here"
        message = f"{self.place().subject()}: expected {expected}"
        return FaultMessage(message, "host", self.syntax.profile.rule_names["authority"], (expected,), hint)

    def _login_message(self) -> FaultMessage:
        authority, part = self.authority, self._part()
        assert authority is not None
        if self.code == "userinfo-not-allowed":
            place = self.place(authority.start, authority.at)
            message = f"unexpected user name at position {place.position}: expected a host"
            own = self.syntax.grammar.rules.keys() - self.syntax.profile.grammar.rules.keys()
            paths = (self.syntax.automaton.leaves[each].path for each in bits(self._landmarks.begins_host))
            rule = next((r for path in paths for r in reversed(path) if r in own), self.syntax.parts["host"].rule)
            return FaultMessage(message, "user", rule, ("a host",), _NO_LOGIN)
        character = self.text[self.at]
        escape = f"%{ord(character):02X}"
        if self.at < self.index or not self.state.taken(escape):
            return self._part_message()
        meant = dict.fromkeys(self.syntax.profile.login_delimiters + character)
        escapes = listed(tuple(f"%{ord(each):02X}" for each in meant), "and")
        hint = f"write {escapes} for {listed(tuple(f'`{each}`' for each in meant), 'and')} in a user name or password"
        return FaultMessage(f"{self.place().subject(part)}: expected {escape}", part, part, (f'"{escape}"',), hint)

    def _port_message(self) -> FaultMessage:
        text, at, state, part = self.text, self.at, self.state, self.syntax.parts["port"]
        begins = not state.reached & self._landmarks.port
        place, hint = self.place(), usual_hint(self.syntax, "port")
        expected = expected_words(self.syntax, state.expected) + ((END,) if state.ends else ())
        message = place.subject("port", begins=begins)
        if self._landmarks.login is not None and "@" in text[at:]:  # it may be a password
            ends = (text[self.authority.end :][:1] if self.authority else "") or "/"
            hint = f"if this is a user name and a password, write %{ord(ends):02X} for `{ends}` in them"
        elif begins and text[at : at + 1] in {"", "/"}:
            message = f"missing port at position {place.position}"
            hint = "leave out the colon, or write the port after it"
        message = f"{message}: {fault_messages.choices(expected)}"
        return FaultMessage(message, part="port", rule=part.rule, expected=expected, hint=hint)

    def _host_message(self) -> FaultMessage:
        authority = self.authority
        is_there = authority is not None and authority.start <= self.at  # behind `//`, which not every scheme has
        if authority is None or not is_there or self.syntax.parts["host"].rule not in self.syntax.host_rules:
            return self._part_message()
        return algorithms_of(self.syntax.profile).host_message(self, authority)

    # The rules of a scheme

    def _part_message(self) -> FaultMessage:
        text, syntax, at = self.text, self.syntax, self.at
        before = self.state_before(at)
        if text[at : at + 1] == "%" and at < self.index:
            return fault_messages.excluded_octet(self.place(at, at + 3, before))
        literal = self.syntax.automaton.begun(self.state.expected) if at < self.index else None
        if literal is not None:
            return fault_messages.broken_literal(self.place(at, at + literal.offset + 1, before), literal)
        if at < len(text):
            escaped = self.state.taken(f"%{ord(text[at]):02X}")
            if text[at] != "%" and part_of(syntax, escaped) is not None:
                return fault_messages.reserved_character(self.place(), escaped)
        return fault_messages.unexpected(self.place())


def _too_many(
    what: str, most: str, place: FaultPlace, part: str | None, rule: str | None, hint: str | None = None
) -> FaultMessage:
    """Return the message for a character that is one too many for a number or a counted repetition."""
    message = f"too many {what} in the {part or rule} at position {place.position}: expected at most {most}"
    return FaultMessage(message, part, rule, (f"at most {most} {what}",), hint)


def _definition(rule: str | None, part: Part | None, syntax: Syntax) -> str | None:
    """Return `rule` in the notation of its profile, with the octets that a record excludes."""
    if rule not in syntax.grammar.rules:
        return None
    definition = syntax.profile.notation.written(syntax.grammar.rules[rule])
    if part is not None and part.exclude and part.rule == rule:
        definition += f", without {listed(tuple(f'{octet:02X}' for octet in sorted(part.exclude)), 'and')}"
    return definition
