"""The examples of the README: its commands and its program."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"```(console|python)\n(.*?)```", README, re.DOTALL)


@pytest.mark.skipif(os.name == "nt", reason="the examples are for a POSIX shell")
def test_the_commands_print_what_the_readme_says(tmp_path: Path) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    sources = os.pathsep.join(entry for entry in sys.path if entry.endswith("src"))
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("URLSCHEMES_")},
        "PATH": path,
        "PYTHONPATH": sources,
        "LC_ALL": "C",
        "XDG_CONFIG_HOME": os.devnull,
    }
    shown = [
        command
        for kind, body in BLOCKS
        if kind == "console"
        for command in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]
    ]
    assert len(shown) == 6
    for each in shown:
        command, _, expected = each.partition("\n")
        done = subprocess.run(
            command,
            shell=True,
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.stdout == expected, command


def test_the_program_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (program,) = (body for kind, body in BLOCKS if kind == "python")
    exec(compile(program, "<example>", "exec"), {"__name__": "readme"})
    assert (tmp_path / "ours" / "index.html").is_file()
