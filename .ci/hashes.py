"""Let `dev` install only files whose SHA-256 is committed.

`hashes.txt` beside this file lists the hashes of uv and of the packages in uv.lock, for all systems, in pip's form. It
names no index. `build-constraint-dependencies` in pyproject.toml has those of what builds need; uv checks these.
`python3 dev hashes` runs this after a change of what the project depends on, and writes both.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / ".ci" / "hashes.txt"
LOCK = ROOT / "uv.lock"
PROJECT = ROOT / "pyproject.toml"
OURS = {"directory", "editable", "virtual"}
"""The sources of the packages in uv.lock that are folders of the workspace."""
HEADER = "# The files that `dev` may install; `python3 dev hashes` writes this list: .ci/hashes.py\n"
UNKNOWN = """dev: nothing was installed. Of {}, the index has other files than .ci/hashes.txt lists, or no hashes.
If you changed what the project depends on, run `python3 dev hashes`, and commit what it writes.
If you did not, a file was replaced on the index or on the way: do not install it."""


def main(arguments: list[str]) -> None:
    """Write both lists, or verify uv.lock: `write UV uv==VERSION`, `verify UV`, where UV is the path of uv."""
    action, uv, *uv_itself = arguments
    if action == "write":
        write(uv, *uv_itself)
    else:
        locked = lock(uv)
        kept = verified(locked, hashes_in(LIST.read_text("utf-8")))
        if kept != locked:
            LOCK.write_text(kept, "utf-8")


def write(uv: str, uv_itself: str) -> None:
    """Write the hashes of what the package index has now."""
    pinned = sorted(hashes_of_builds())
    compile_ = [uv, "pip", "compile", "--quiet", "--no-deps", "--no-annotate", "--no-header", "--generate-hashes", "-"]
    found = hashes_in(subprocess.check_output(compile_, input="\n".join([uv_itself, *pinned]), text=True))
    lines = "".join(
        f'    {{ requirement = "{each}", hashes = {json.dumps(sorted(found[each]))} }},\n' for each in pinned
    )
    block = r"(?<=^build-constraint-dependencies = \[\n)(.*\n)*?(?=\]$)"
    text = re.sub(block, lines, PROJECT.read_text("utf-8"), count=1, flags=re.MULTILINE)
    PROJECT.write_text(text, "utf-8")
    LOCK.unlink(missing_ok=True)  # `verified` may have taken files away
    listed = {uv_itself: found[uv_itself]} | files_in(lock(uv))
    LIST.write_text(HEADER + "".join(entry(each, listed[each]) for each in sorted(listed)), "utf-8")
    print(f"{LIST.relative_to(ROOT)}: {sum(map(len, listed.values()))} files of {len(listed)} packages")


def lock(uv: str) -> str:
    """Bring uv.lock up to date; return its text."""
    if code := subprocess.run([uv, "lock", "--quiet", "--project", ROOT], check=False).returncode:
        sys.exit(code)
    return LOCK.read_text("utf-8")


def entry(requirement: str, hashes: set[str]) -> str:
    """Return the lines of one package in the list."""
    return " \\\n".join([requirement, *(f"    --hash={each}" for each in sorted(hashes))]) + "\n"


def hashes_in(requirements: str) -> dict[str, set[str]]:
    """Return the hashes of each pinned requirement in a text of pip's form."""
    entries = re.findall(r"^(\S+)((?: \\\n    --hash=\S+)+)$", requirements, re.MULTILINE)
    return {name: set(re.findall(r"--hash=(\S+)", hashes)) for name, hashes in entries}


def hashes_of_builds() -> dict[str, set[str]]:
    """Return the hashes of each pinned requirement in pyproject.toml that builds need."""
    settings = tomllib.loads(PROJECT.read_text("utf-8"))["tool"]["uv"]
    return {each["requirement"]: set(each["hashes"]) for each in settings["build-constraint-dependencies"]}


def files_in(locked: str) -> dict[str, set[str]]:
    """Return the hashes of the files of each package of the text of uv.lock, except ours; "" for a file without one."""
    packages = [each for each in tomllib.loads(locked)["package"] if OURS.isdisjoint(each["source"])]
    return {
        f"{each['name']}=={each['version']}": {
            file.get("hash", "") for file in [*each.get("wheels", []), *([each["sdist"]] if "sdist" in each else [])]
        }
        for each in packages
    }


def fit(found: set[str], listed: set[str]) -> bool:
    """Return False if a file was replaced, or has no hash: then none of the two sets includes the other."""
    return "" not in found and bool(found & listed) and (found <= listed or found >= listed)


def verified(locked: str, listed: dict[str, set[str]]) -> str:
    """Return the text of uv.lock without the files that a release got after it was listed.

    End with a message if the files of a package do not fit the list, or the index does not tell their hashes.
    """
    found = files_in(locked)
    wrong = [name for name, hashes in found.items() if not fit(hashes, listed.get(name, set()))]
    if wrong:
        sys.exit(UNKNOWN.format(", ".join(wrong)))
    for name, hashes in found.items():
        for later in hashes - listed[name]:
            locked = re.sub(f'^.*"{later}".*\n', "", locked, flags=re.MULTILINE)
    return locked


if __name__ == "__main__":
    main(sys.argv[1:])
