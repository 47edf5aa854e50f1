"""The examples of the plugin's README are run."""

import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_the_examples_are_true() -> None:
    namespace: dict[str, object] = {}
    examples = re.findall(r"^```python\n(.*?)^```$", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert len(examples) == 2
    for example in examples:
        exec(compile(example, str(README), "exec"), namespace)


def test_every_method_and_option_is_told() -> None:
    from urlschemes_telnet import TelnetSession
    from urlschemes_telnet.command import session as command

    words = README.read_text("utf-8")
    names = [name for name in vars(TelnetSession) if not name.startswith("_")]
    assert [name for name in names if f"`{name}" not in words] == []
    own = ("--escape", "--login", "--show-password", "--binary", "--raw")
    assert {option for each in command.params for option in each.opts} >= set(own)
    assert [option for option in own if f"`{option}" not in words] == []
