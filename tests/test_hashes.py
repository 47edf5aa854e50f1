"""`dev` installs only files whose hashes are committed: .ci/hashes.py."""

from __future__ import annotations

import tomllib

import pytest
from hashes import LIST, LOCK, PROJECT, hashes_in, verified

H11 = "h11==0.16.0"
WHEEL = "sha256:63cf8bbe7522de3bf65932fda1d9c2772064ffb3dae62d55932da54b31cb6c86"
SOURCE = "sha256:4e35b956cf45792e4caa5885e69fba00bdbc6ffafbfa020300e549b208ee5ff1"
LOCKED = f"""
version = 1

[[package]]
name = "h11"
version = "0.16.0"
source = {{ registry = "https://index.example/simple" }}
sdist = {{ url = "https://files.example/h11-0.16.0.tar.gz", hash = "{SOURCE}", size = 101250 }}
wheels = [
    {{ url = "https://files.example/h11-0.16.0-py3-none-any.whl", hash = "{WHEEL}", size = 37515 }},
]

[[package]]
name = "urlschemes"
version = "0.1.0"
source = {{ editable = "core" }}
"""
ANOTHER = "sha256:" + 64 * "0"


@pytest.mark.parametrize("listed", [{WHEEL, SOURCE}, {WHEEL, SOURCE, ANOTHER}])
def test_an_index_may_lack_files_of_the_list(listed: set[str]) -> None:
    assert verified(LOCKED, {H11: listed}) == LOCKED


@pytest.mark.parametrize(("listed", "line"), [(WHEEL, "sdist = "), (SOURCE, "    { url = ")])
def test_a_file_that_a_release_got_later_is_not_used(listed: str, line: str) -> None:
    kept = [each for each in LOCKED.splitlines() if not each.startswith(line)]
    assert verified(LOCKED, {H11: {listed}}).splitlines() == kept


@pytest.mark.parametrize(
    ("locked", "listed"),
    [
        (LOCKED, {H11: {WHEEL, ANOTHER}}),
        (LOCKED, {H11: {ANOTHER}}),
        (LOCKED, {"h11==0.15.0": {WHEEL, SOURCE}}),
        (LOCKED.replace(f', hash = "{WHEEL}"', ""), {H11: {WHEEL, SOURCE}}),
        (LOCKED.replace(f', hash = "{WHEEL}"', ""), {H11: {SOURCE}}),
        ("\n".join(line for line in LOCKED.splitlines() if "files.example" not in line), {H11: {WHEEL, SOURCE}}),
    ],
    ids=["one file replaced", "all files replaced", "another version", "no hash", "no hash of a later file", "no file"],
)
def test_a_file_that_was_replaced_ends_the_program(locked: str, listed: dict[str, set[str]]) -> None:
    with pytest.raises(SystemExit, match=r"(?s)nothing was installed.*h11==0\.16\.0.*`python3 dev hashes`"):
        verified(locked, listed)


def test_the_files_of_everything_that_is_pinned_are_listed() -> None:
    settings = tomllib.loads(PROJECT.read_text("utf-8"))["tool"]["uv"]
    listed = hashes_in(LIST.read_text("utf-8"))
    assert {each.partition(";")[0] for each in settings["constraint-dependencies"]} <= listed.keys()
    assert all(listed.values())
    assert all(each["hashes"] for each in settings["build-constraint-dependencies"])
    locked = LOCK.read_text("utf-8")
    assert verified(locked, listed) == locked
