"""Commands and their replies, in each of the three forms that protocols have for several lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlschemes.errors import UnsafeURL, URLError
from urlschemes_access.attributes import Attributes
from urlschemes_access.errors import (
    AuthRequired,
    ConnectError,
    DeadlineExceeded,
    Indeterminate,
    LimitExceeded,
    ProtocolError,
    RemoteError,
    Truncated,
)
from urlschemes_access.protocol import Algorithm, Connect, Open, Peer, Send
from urlschemes_access.protocol.replies import END, CodeOn, Control, Reply, command_name, dot_stuffed
from urlschemes_testing.replay import (
    Script,
    Step,
    client,
    connect,
    fault_everywhere,
    replay,
    server,
    server_closes,
    server_resets,
    silence,
    split_everywhere,
    start_tls,
)

if TYPE_CHECKING:
    from urlschemes_access.protocol import Request

C = connect("host.dom", 99)
FORMS: tuple[CodeOn, ...] = get_args(CodeOn)

Exchange = Callable[[Control], Algorithm[Any]]


def run(exchange: Exchange, code_on: CodeOn, found: list[Any] | None = None) -> Algorithm[None]:
    control = Control((yield from Connect("host.dom", 99)), code_on=code_on)
    result = yield from exchange(control)
    if found is not None:
        found.append(result)
    yield from Open("attributes", Attributes())


def result(exchange: Exchange, *steps: Step, code_on: CodeOn = "every line") -> Any:
    """Return the result of an exchange against a server that takes these steps, or raise its error."""
    found: list[Any] = []
    outcome = replay(run(exchange, code_on, found), Script(C, *steps))
    if outcome.error is not None:
        raise outcome.error
    return found[0]


def one_reply(control: Control) -> Algorithm[Reply]:
    return (yield from control.reply("it"))


def two_replies(control: Control) -> Algorithm[tuple[Reply, Reply]]:
    return (yield from control.reply("it")), (yield from control.reply("it"))


def reply(code_on: CodeOn, *lines: str | bytes) -> Reply:
    """The reply that these lines are, with nothing left over."""
    first, second = result(two_replies, server(*lines), server("299 next"), code_on=code_on)
    assert second == Reply(299, (b"next",))
    assert isinstance(first, Reply)
    return first


# One reply, of one line or several


@pytest.mark.parametrize("code_on", FORMS)
@pytest.mark.parametrize(
    ("line", "code", "text"),
    [
        ("200 ready", 200, b"ready"),
        ("200", 200, b""),
        ("200 ", 200, b""),
        ("599  a - b ", 599, b" a - b "),
        ("150 200 x", 150, b"200 x"),
        (b"250 gr\xfcn\n", 250, b"gr\xfcn"),
    ],
)
def test_a_line_is_a_reply(code_on: CodeOn, line: str | bytes, code: int, text: bytes) -> None:
    assert reply(code_on, line) == Reply(code, (text,))


@pytest.mark.parametrize("code_on", FORMS)
@pytest.mark.parametrize(
    "line",
    ["", "20", "20x no", "099 no", "600 no", " 200 no", "200x", "2000", "200_no", "200\tno", "-200 no", b"\xb2\xb200"],
)
def test_a_line_without_a_code_is_an_error(code_on: CodeOn, line: str | bytes) -> None:
    said = line.encode() if isinstance(line, str) else line
    with pytest.raises(ProtocolError, match="expected a reply to it") as error:
        result(one_reply, server(said + b"\r\n"), code_on=code_on)
    assert error.value.where == "it"


def test_several_lines_with_the_code_on_each() -> None:
    """RFC 5321 section 4.2.1."""
    assert reply("every line", "250-a", "250-", "250-c", "250 d") == Reply(250, (b"a", b"", b"c", b"d"))
    assert reply("every line", "250-a", "250") == Reply(250, (b"a", b""))


@pytest.mark.parametrize("line", ["251 no", "251-no", "no", "", " 250 no", "250x", "25"])
def test_a_line_without_the_code_among_lines_with_it_is_an_error(line: str) -> None:
    with pytest.raises(ProtocolError, match="expected a reply to it"):
        result(one_reply, server("250-a", line, "250 b"), code_on="every line")


def test_several_lines_with_the_code_on_the_first_and_the_last() -> None:
    """RFC 959 section 4.2: between them, anything."""
    free = ("x", "", " 211 x", "2110", "212 not yet", "212-x", "21")
    found = reply("first and last", "211-a", *free, "211 z")
    assert found == Reply(211, (b"a", *(line.encode() for line in free), b"z"))
    assert reply("first and last", "211-a", "211-b", "211") == Reply(211, (b"a", b"b", b""))


def test_several_lines_in_a_protocol_with_one_are_an_error() -> None:
    """RFC 3977 section 3.2."""
    with pytest.raises(ProtocolError, match="expected a reply to it, got '200-a'"):
        result(one_reply, server("200-a", "200 b"), code_on="only line")


@given(st.lists(st.binary(max_size=12).filter(lambda line: b"\n" not in line), min_size=1, max_size=6))
def test_a_reply_is_read_as_it_was_written(lines: list[bytes]) -> None:
    lines = [line.rstrip(b"\r") for line in lines]
    written = b"".join(b"250-%b\r\n" % line for line in lines[:-1]) + b"250 %b\r\n" % lines[-1]
    for code_on in ("every line", "first and last") if len(lines) > 1 else FORMS:
        assert result(one_reply, server(written), code_on=code_on) == Reply(250, tuple(lines))


# Its bounds, and its end


@pytest.mark.parametrize("code_on", ["every line", "first and last"])
@pytest.mark.parametrize(
    ("said", "limit", "most"),
    [
        (b"220-x\r\n" * 1001, "reply", 1000),
        ((b"220-" + b"x" * 8000 + b"\r\n") * 9, "reply", 65536),
        (b"220 " + b"x" * 8190 + b"\r\n", "line", 8192),
        (b"2" * 9000, "line", 8192),
    ],
    ids=["lines", "octets", "a line", "a line without end"],
)
def test_a_reply_is_limited(code_on: CodeOn, said: bytes, limit: str, most: int) -> None:
    with pytest.raises(LimitExceeded) as error:
        result(one_reply, server(said), code_on=code_on)
    assert (error.value.limit, error.value.value) == (limit, most)


def test_a_reply_of_the_largest_size_is_accepted() -> None:
    assert len(result(one_reply, server(b"220-x\r\n" * 999 + b"220 x\r\n")).lines) == 1000


def test_a_connection_closed_before_a_reply_is_an_error() -> None:
    with pytest.raises(ConnectError, match="closed the connection instead of sending a reply to it"):
        result(one_reply, server_closes())
    with pytest.raises(Truncated, match="closed the connection instead of sending a reply to it"):
        result(one_reply, server("250-a"), server_closes())
    with pytest.raises(Truncated, match="within a line"):
        result(one_reply, server(b"250 a"), server_closes())


def test_a_wait_for_a_reply_can_be_bounded() -> None:
    def patient(control: Control) -> Algorithm[Reply]:
        return (yield from control.reply("it", within=5, phase="confirmation"))

    with pytest.raises(DeadlineExceeded, match="no reply to it within 5 seconds") as error:
        result(patient, silence())
    assert error.value.phase == "confirmation"
    assert result(patient, server("250 ok")).code == 250

    def after_another(control: Control) -> Algorithm[Reply]:
        yield from control.reply("it")
        return (yield from patient(control))

    assert result(after_another, server("250-a", "250 b", "251 c")).code == 251  # which is there already


# The meaning of replies


def test_a_reply_prints_on_one_line() -> None:
    found = Reply(550, (b"a\x1b[2J", b"", b"b\xff "))
    assert (found.kind, found.words) == (5, b"a\x1b[2J  b\xff")
    assert found.text == r"a\x1b[2J  b\xff"
    assert str(found) == rf"550 {found.text}"
    assert str(Reply(250, (b"",))) == "250"
    assert len(str(Reply(250, (b"x" * 999,)))) == 200


@pytest.mark.parametrize("codes", [(250,), (2,), (354, 250), (1, 2)])
def test_a_reply_with_an_expected_code_is_returned(codes: tuple[int, ...]) -> None:
    found = Reply(250, (b"ok",))
    assert found.checked("it", *codes) is found


def test_an_expected_refusal_is_returned() -> None:
    assert Reply(550, (b"no",)).checked("it", 550).code == 550


@pytest.mark.parametrize("code", [421, 450, 500, 553])
def test_a_refusal_is_a_remote_error(code: int) -> None:
    with pytest.raises(RemoteError) as error:
        Reply(code, (b"No \x1b", b"way")).checked("DO it", 2, hint="do not", sent=None)
    refusal = error.value
    assert refusal.message == rf"the server refused DO it: {code} No \x1b way"
    assert (refusal.status, refusal.text, refusal.temporary) == (code, r"No \x1b way", code < 500)
    assert (refusal.step, refusal.hint, refusal.sent) == ("DO it", "do not", None)


@pytest.mark.parametrize(
    ("code", "codes", "wanted"),
    [(150, (2,), "2xx"), (251, (250,), "250"), (350, (226, 250), "226 or 250"), (331, (120, 2), "120 or 2xx")],
)
def test_an_unexpected_reply_is_a_protocol_error(code: int, codes: tuple[int, ...], wanted: str) -> None:
    with pytest.raises(ProtocolError) as error:
        Reply(code, (b"what?",)).checked("it", *codes)
    assert error.value.message == f"expected a reply {wanted} in answer to it, got '{code} what?'"
    assert error.value.where == "it"


def test_an_error_has_the_number_of_octets_sent() -> None:
    with pytest.raises(RemoteError, match="10 octets had been sent and may be stored in part") as refused:
        Reply(452, (b"full",)).checked("it", 226, sent=10)
    with pytest.raises(ProtocolError, match="none of the content had been sent") as strange:
        Reply(150, (b"?",)).checked("it", 226, sent=0)
    assert (refused.value.sent, strange.value.sent) == (10, 0)


class Meant(Reply):
    """Replies of a protocol that defines the meaning of codes."""

    __slots__ = ()

    @property
    def meaning(self) -> str | None:
        return {430: "there is no such thing"}.get(self.code)

    @property
    def temporary(self) -> bool:
        return super().temporary and self.code != 430

    def refusal(self, what: str, *, hint: str | None = None, sent: int | None = None) -> RemoteError | AuthRequired:
        if self.code == 530:
            return AuthRequired(f"a login is due: {self}")
        return super().refusal(what, hint=hint, sent=sent)


def test_a_protocol_may_define_the_meaning_of_codes() -> None:
    def asks(control: Control) -> Algorithm[Reply]:
        own = Control(control.peer, code_on="only line", reply_type=Meant)
        return (yield from own.carry_out(b"GET it"))

    with pytest.raises(RemoteError) as gone:
        result(asks, client("GET it"), server("430 no"))
    assert gone.value.message == "there is no such thing (GET it): 430 no"
    assert not gone.value.temporary
    with pytest.raises(AuthRequired, match="a login is due: 530 who"):
        result(asks, client("GET it"), server("530 who"))
    assert type(Meant(200, (b"x",)).without(b"x")) is Meant


# Commands


def test_a_command_returns_its_reply() -> None:
    def ask(control: Control) -> Algorithm[Reply]:
        return (yield from control.command(b"LOOK here"))

    assert result(ask, client("LOOK here"), server("550 no")) == Reply(550, (b"no",))


def test_carry_out_expects_2xx_or_the_given_codes() -> None:
    def look(control: Control) -> Algorithm[Reply]:
        return (yield from control.carry_out(b"LOOK"))

    def data(control: Control) -> Algorithm[Reply]:
        return (yield from control.carry_out(b"DATA", 354, what="the data", hint="wait"))

    assert result(look, client("LOOK"), server("299 ok")).code == 299
    assert result(data, client("DATA"), server("354 go")).code == 354
    with pytest.raises(ProtocolError, match="expected a reply 2xx in answer to LOOK"):
        result(look, client("LOOK"), server("354 go"))
    with pytest.raises(ProtocolError, match="expected a reply 354 in answer to the data"):
        result(data, client("DATA"), server("250 ok"))
    with pytest.raises(RemoteError, match="refused the data: 450 no; wait"):
        result(data, client("DATA"), server("450 no"))


def test_the_banner_is_the_first_reply() -> None:
    def greeted(control: Control) -> Algorithm[Reply]:
        return (yield from control.banner(220))

    assert result(greeted, server("220 ready")).words == b"ready"
    with pytest.raises(RemoteError, match="refused the connection: 554 no"):
        result(greeted, server("554 no"))
    with pytest.raises(DeadlineExceeded) as late:
        result(greeted, silence())
    assert late.value.phase == "banner"


@pytest.mark.parametrize("octet", [*range(32), 127])
def test_no_command_carries_a_control_character(octet: int) -> None:
    """RFC 1738 section 6: what follows a CR LF would be a command that the user did not see."""

    def plain(control: Control) -> Algorithm[Reply]:
        return (yield from control.command(b"LOOK a" + bytes((octet,)) + b"b"))

    def secret(control: Control) -> Algorithm[Reply]:
        return (yield from control.command(b"PASS ", secret=b"a" + bytes((octet,)) + b"geheim"))

    for exchange in (plain, secret):
        with pytest.raises(UnsafeURL, match="control character") as error:
            result(exchange)
        assert "geheim" not in str(error.value)


def test_a_reply_before_its_command_is_an_error() -> None:
    def asks(control: Control) -> Algorithm[Reply]:
        yield from control.banner(220)
        return (yield from control.command(b"LOOK"))

    for more in ("230 in", "\x1b"):
        with pytest.raises(ProtocolError, match="expected nothing before LOOK") as error:
            result(asks, server("220 ready", more))
        assert error.value.where == "LOOK"
        assert str(error.value).isprintable()


# Secrets


def sends_a_secret(control: Control) -> Algorithm[Reply]:
    return (yield from control.command(b"PASS ", secret=b"geheim"))


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ("530 PASS geheim?", RemoteError),
        ("what is PASS geheim?", ProtocolError),
        (b"530-x\r\ngeheim\r\n", ProtocolError),
        ("331 geheim", ProtocolError),
    ],
)
def test_a_secret_is_hidden_in_replies_and_errors(said: str | bytes, error: type[URLError]) -> None:
    def checks(control: Control) -> Algorithm[Reply]:
        return (yield from sends_a_secret(control)).checked("the login", 2)

    with pytest.raises(error) as shown:
        result(checks, client("PASS geheim"), server(said))
    assert "***" in str(shown.value)
    for text in (str(shown.value), repr(shown.value), getattr(shown.value, "text", "")):
        assert "geheim" not in text


def test_a_secret_is_hidden_in_the_trace() -> None:
    asked: list[Request[Any]] = [next(sends_a_secret(Control(Peer("it"), code_on="every line")))]
    assert isinstance(asked[0], Send)
    assert asked[0].octets == b"PASS geheim\r\n"
    assert "geheim" not in repr(asked[0])


def test_an_empty_secret_can_be_sent() -> None:
    def asks(control: Control) -> Algorithm[Reply]:
        return (yield from control.command(b"PASS ", secret=b""))

    assert result(asks, client("PASS "), server("530 no")) == Reply(530, (b"no",))
    assert Reply(250, (b"a", b"ab")).without(b"") == Reply(250, (b"a", b"ab"))


# Over to TLS, and away


def test_octets_received_before_tls_are_an_error() -> None:
    """RFC 3207 section 4.2."""

    def protects(control: Control) -> Algorithm[Reply]:
        yield from control.carry_out(b"STARTTLS")
        yield from control.protect("host.dom")
        assert control.peer.secure
        return (yield from control.reply("it"))

    begun = (client("STARTTLS"), server("220 go"))
    assert result(protects, *begun, start_tls("host.dom"), server("250 ok")).code == 250
    with pytest.raises(ProtocolError, match="expected nothing before TLS, got '250 forged"):
        result(protects, client("STARTTLS"), server("220 go", "250 forged"))


@pytest.mark.parametrize("ending", [(server("221 bye"),), (server_closes(),), (server_resets(),), (silence(),), ()])
def test_errors_of_quit_are_ignored(ending: tuple[Step, ...]) -> None:
    def leaves(control: Control) -> Algorithm[None]:
        yield from control.quit()

    assert result(leaves, client("QUIT"), *ending) is None


# Names, and texts that a dot ends


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (b"LOOK", "LOOK"),
        (b"LOOK here or there", "LOOK here or there"),
        (b"LOOK ", "LOOK with an empty argument"),
        (b"LOOK \x1b\xff", r"LOOK \x1b\xff"),
        (b"LOOK " + b"x" * 99, "LOOK " + "x" * 57 + "..."),
        (b"L" * 99, "L" * 57 + "..."),
    ],
)
def test_the_name_of_a_command_in_errors(line: bytes, name: str) -> None:
    assert command_name(line) == name


@given(st.lists(st.sampled_from((b"", b".", b"..", b"a.", b".\n", b"a"))))
def test_the_end_of_a_text_is_the_only_line_with_a_single_dot(lines: list[bytes]) -> None:
    sent = (dot_stuffed(b"".join(line + b"\r\n" for line in lines)) + END).split(b"\r\n")
    assert sent.index(b".") == len(lines)
    assert [line.removeprefix(b".") for line in sent[: len(lines)]] == lines


# A whole dialogue


def posts(control: Control) -> Algorithm[None]:
    yield from control.banner(220)
    yield from control.carry_out(b"HELP")
    yield from control.carry_out(b"DATA", 354)
    yield from control.send_text(b".a\r\n", "the text", 2, hint="it may be stored")
    yield from control.quit()


HELPED: dict[CodeOn, Step] = {
    "only line": server("214 None"),
    "every line": server("214-None", "214-at all", "214 really"),
    "first and last": server("214-None", "250 at all", "", "214 really"),
}


@pytest.mark.parametrize("code_on", HELPED)
def test_a_dialogue_split_everywhere_and_with_every_fault(code_on: CodeOn) -> None:
    asked = (server("220 ready"), client("HELP"), HELPED[code_on], client("DATA"), server("354 go"))
    sent = (client(b"..a\r\n"), client(END), server("250 taken"), client("QUIT"), server("221 bye"))
    script = Script(C, *asked, *sent)
    split_everywhere(lambda: run(posts, code_on), script)
    runs = [each for each in fault_everywhere(lambda: run(posts, code_on), script) if each.outcome.error is not None]
    assert {type(each.outcome.error) for each in runs} >= {ConnectError, DeadlineExceeded, Indeterminate, Truncated}
    for each in runs:
        dot_sent = b"..a\r\n." in b"".join(each.outcome.sent.values())
        assert isinstance(each.outcome.error, Indeterminate) == dot_sent, each


def posts_text(control: Control) -> Algorithm[Reply]:
    yield from control.carry_out(b"DATA", 354)
    return (yield from control.send_text(b"a\r\n", "the text", 250, hint="look for it", within=9))


@pytest.mark.parametrize(
    ("steps", "error", "words"),
    [
        ((server("354 go", "250 taken"),), ProtocolError, "expected nothing before the text"),
        ((server("354 go"), client(b"a\r\n"), client(END), server("552 Full")), RemoteError, "552 Full"),
        ((server("354 go"), client(b"a\r\n"), client(END), server("452 Full")), RemoteError, "452 Full"),
        ((server("354 go"), client(b"a\r\n"), client(END), server("251 ?")), Indeterminate, "got '251 ?'; look for it"),
        ((server("354 go"), client(b"a\r\n"), client(END), server("hm?")), Indeterminate, "not known whether"),
        ((server("354 go"), client(b"a\r\n"), client(END), server_closes()), Indeterminate, "look for it"),
        ((server("354 go"), client(b"a\r\n"), client(END), server_resets()), Indeterminate, "look for it"),
        ((server("354 go"), client(b"a\r\n"), client(END)), Indeterminate, "within 9 seconds; look for it"),
    ],
)
def test_only_a_reply_after_the_last_dot_says_that_a_text_was_taken(
    steps: tuple[Step, ...], error: type[URLError], words: str
) -> None:
    with pytest.raises(error) as raised:
        result(posts_text, client("DATA"), *steps)
    assert type(raised.value) is error
    assert words in str(raised.value)
