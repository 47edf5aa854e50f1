"""Forms: fetched and answered, and filled in within the URL (section 3.4.9)."""

from __future__ import annotations

import pytest
from gopher_dialogues import HOST, INFO, MENU, exchange, outcome_of, url_of
from outcomes import error_of

from urlschemes.errors import UnsafeURL, UnsupportedOperation, URLError
from urlschemes_access.credentials import Form, Question
from urlschemes_access.errors import InputRequired
from urlschemes_access.protocol import Send
from urlschemes_gopher.access import access, find_attributes
from urlschemes_testing.replay import Script, Step, answers, client, connect, replay, server, server_closes

ASK = (
    "+INFO: 0Order\torder\thost.dom\t70\t?",
    "+ASK:",
    " Note: All fields are needed.",
    " Ask: How many volts?\t230",
    " AskP: Password:",
    " AskL: Remarks",
    " Choose: Colour\tred\tblue",
    " Select: Send it:1",
)
FORM = Form(
    "Order\nAll fields are needed.",
    (
        Question("Ask", "How many volts?", "230"),
        Question("AskP", "Password:", hidden=True),
        Question("AskL", "Remarks", multiline=True),
        Question("Choose", "Colour", "red", ("red", "blue")),
        Question("Select", "Send it", "1", ("0", "1")),
    ),
)


def asking(*given: str, ask: tuple[str, ...] = ASK, then: tuple[Step, ...] = ()) -> Script:
    return Script(exchange("order\t!", "+-1", *ask, "."), answers(*given), *then)


@pytest.mark.rfc1738(91)
def test_a_form_is_fetched_answered_and_sent() -> None:
    block = ("+-1", "400", "hunter2", "2", "first", "..second", "blue", "0", ".")
    sent = client("order\t+\t1", *block)
    script = asking(
        "400",
        "hunter2",
        "first\n.second",
        "blue",
        "0",
        then=(connect(HOST, 70), sent, server("+-1", "Thank you.", "."), server_closes()),
    )
    outcome = outcome_of("0order%09%09?", script)
    assert outcome.content == b"Thank you.\r\n"
    assert outcome.forms == (FORM,)
    assert outcome.complete


@pytest.mark.parametrize(
    ("given", "sent"),
    [("", ("0",)), ("one", ("1", "one")), ("one\r\n\ntwo\n", ("3", "one", "", "two")), ("\u2028é", ("1", "\u2028é"))],
)
def test_an_answer_of_several_lines_is_counted(given: str, sent: tuple[str, ...]) -> None:
    ask = (INFO, "+ASK:", " AskL: Remarks")
    then = (connect(HOST, 70), client("order\t+\t1", "+-1", *sent, "."), server("+0"), server_closes())
    assert outcome_of("0order%09%09?", asking(given, ask=ask, then=then)).complete


def test_the_answer_to_a_password_is_marked_as_a_secret() -> None:
    algorithm = access(url_of("0order%09%09?"))
    answers_of: dict[str, object] = {
        "Connect": object(),
        "Receive": "\r\n".join(("+-1", *ASK, ".", "")).encode(),
        "Ask": ("1", "hunter2", "", "red", "1"),
    }
    sent: list[Send] = []
    request = next(algorithm)
    while len(sent) < 2:
        if isinstance(request, Send):
            sent.append(request)
        request = algorithm.send(answers_of.get(type(request).__name__))
    algorithm.close()
    assert b"hunter2" in sent[1].octets
    assert "hunter2" not in repr(sent[1])


def test_the_response_to_a_form_can_be_a_menu() -> None:
    ask = ("+INFO: 1Order\torder\thost.dom\t70\t?", "+ASK:", " Ask: What?")
    script = asking(
        "x",
        ask=ask,
        then=(connect(HOST, 70), client("order\t+\t1", "+-1", "x", "."), server("+-1", *MENU, "."), server_closes()),
    )
    assert len(outcome_of("1order%09%09?", script).entries) == 3


@pytest.mark.parametrize(("path", "plus"), [("7f", ""), ("7f%09%09+", "\t+")])
def test_the_words_of_a_search_are_asked_for_if_the_url_has_none(path: str, plus: str) -> None:
    script = Script(answers("two words"), exchange(f"f\ttwo words{plus}", *MENU, "."))
    outcome = outcome_of(path, script)
    assert (len(outcome.entries), [each.prompt for each in outcome.forms[0].questions]) == (3, ["Words to search for"])
    error_of(replay(access(url_of("7f")), Script(answers("a\tb"))), UnsafeURL)


def test_without_answers_nothing_is_sent() -> None:
    error_of(replay(access(url_of("7f")), Script()), InputRequired)
    outcome = replay(access(url_of("0order%09%09?")), exchange("order\t!", "+-1", *ASK, "."))
    error_of(outcome, InputRequired)
    assert outcome.forms == (FORM,)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (("1", "p", "r", "green", "1"), InputRequired),
        (("1", "p", "r", "red", "yes"), InputRequired),
        (("1\r\n.", "p", "r", "red", "1"), UnsafeURL),
        (("1", "p\x00", "r", "red", "1"), UnsafeURL),
        (("1", "p", "r\x1b[2J", "red", "1"), UnsafeURL),
        (("1", "p", "one\x0btwo", "red", "1"), UnsafeURL),
        (("1", "p", "one\rtwo", "red", "1"), UnsafeURL),
        (("1", "p\ud800", "r", "red", "1"), UnsafeURL),
    ],
)
def test_answers_that_do_not_fit_are_not_sent(given: tuple[str, ...], error: type[URLError]) -> None:
    refused = error_of(replay(access(url_of("0order%09%09?")), asking(*given)), error)
    assert "p\x00" not in str(refused)


def test_a_form_that_asks_for_a_local_file_is_refused() -> None:
    script = exchange("order\t!", "+-1", ASK[0], "+ASK:", " ChooseF: Which file?", ".")
    assert "local file" in str(error_of(replay(access(url_of("0order%09%09?")), script), UnsupportedOperation))
    unknown = exchange("order\t!", "+-1", ASK[0], "+ASK:", " Guess: What?", ".")
    assert "'Guess'" in str(error_of(replay(access(url_of("0order%09%09?")), unknown), UnsupportedOperation))


def test_an_item_without_a_form_is_fetched() -> None:
    script = Script(exchange("order\t!", "+-1", INFO, "."), exchange("order\t+", b"+2\r\nok"))
    assert outcome_of("0order%09%09?", script).content == b"ok"


def test_a_server_without_forms_sends_the_item() -> None:
    outcome = outcome_of("0order%09%09?", exchange("order\t!", "Plain.", "."))
    assert outcome.content == b"Plain.\r\n"
    assert outcome.attributes is not None
    assert "fallback" in outcome.attributes.fields


FILLED = "0order%09%09+%091%0D%0A+-1%0D%0Aone%0D%0Atwo%0D%0A.%0D%0A"


@pytest.mark.rfc1738(96)
def test_a_filled_form_is_sent_as_section_3_4_9_says() -> None:
    script = exchange(b"order\t+\t1\r\n+-1\r\none\r\ntwo\r\n.\r\n", b"+2\r\nok")
    assert outcome_of(FILLED, script, submit_form=True).content == b"ok"


def test_a_filled_form_is_not_sent_without_the_option() -> None:
    error = error_of(replay(access(url_of(FILLED)), Script()), UnsafeURL)
    assert error.hint == "the option submit_form sends it"
    error_of(replay(find_attributes(url_of(FILLED)), Script()), UnsafeURL)


@pytest.mark.decision(8)
def test_a_filled_form_is_sent_to_port_70_only() -> None:
    url = url_of(FILLED).replace(port=7070)
    error = error_of(replay(access(url, submit_form=True), Script()), UnsafeURL)
    assert error.part == "gopher_plus"


@pytest.mark.parametrize(
    "plus",
    [
        "+x%09y",
        "+%091",
        "+%091%0D%0A",
        "+%091%0D%0A+-1%0D%0Aone%0D%0A.",
        "+%091%0D%0A+-1%0D%0Aone%0D%0A",
        "+%091%0D%0A+-1%0D%0Aone%0A.%0D%0A",
        "+%091%0D%0A+-1%0D%0Aone%00%0D%0A.%0D%0A",
        "+%091%0D%0A+-1%0D%0Aone%09two%0D%0A.%0D%0A",
        "+%091%0D%0A+-1%0D%0A.%0D%0AQUIT%0D%0A.%0D%0A",
        "+%091%0D%0A+-1%0D%0Aone%0D%0A.%0D%0AQUIT%0D%0A",
        "+%091%0D%0A+-2%0D%0Aone%0D%0A.%0D%0A",
        "+%090%0D%0A+-1%0D%0Aone%0D%0A.%0D%0A",
        "+text/plain%091%0D%0A+-1%0D%0Aone%0D%0A.%0D%0A",
        "!%0D%0A",
        "%00",
    ],
)
def test_other_control_characters_are_refused_before_connecting(plus: str) -> None:
    for operation in (lambda url: access(url, submit_form=True), find_attributes):
        error = error_of(replay(operation(url_of(f"0order%09%09{plus}")), Script()), UnsafeURL)
        assert error.part == "gopher_plus"


def test_a_filled_form_may_be_empty() -> None:
    script = exchange(b"o\t+\t1\r\n+-1\r\n.\r\n", b"+2\r\nok")
    assert outcome_of("0o%09%09+%091%0D%0A+-1%0D%0A.%0D%0A", script, submit_form=True).content == b"ok"
