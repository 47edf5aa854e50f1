"""A plugin can break only its own scheme.

Each test installs faulty distributions beside a good one and runs a new Python, in which the examples of all other
schemes must still be parsed as their records say. The process ends with exit code 0, whatever a plugin does.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from faulty import GOOD, HEAD

FAILING_IMPORTS = {
    "x-missing": "import a_missing_module",
    "x-exit": "raise SystemExit(7)",
    "x-deep": "def deep(): deep()\ndeep()",
    "x-syntax": "def :",
}
WRONG_RECORDS: dict[str, tuple[str, str]] = {  # the packages exit when they are imported
    "x-api": ("api = 1", "api = 2"),
    "x-toml": ("api = 1", "api = 1 1"),
    "x-other": ('scheme = "x-other"', 'scheme = "x-else"'),
    "x-grammar": ("1*uchar", "1*nothing"),
}
WRONG_OBJECTS = {
    "x-nothing": "",
    "x-number": "scheme = 7",
    "x-lazy": "def __getattr__(name): raise SystemExit(8)",
    "x-untyped": "from urlschemes import Registration, Scheme, URL\nscheme = Scheme(Registration.of(__name__), URL)",
}


@pytest.mark.plugin_fault(1)
def test_faulty_plugins_break_their_own_schemes_alone(
    plugin: Callable[..., Path], install: Callable[..., Path], child: Callable[..., Any]
) -> None:
    for name, code in {**FAILING_IMPORTS, **WRONG_OBJECTS}.items():
        plugin(name, code)
    for name, change in WRONG_RECORDS.items():
        plugin(name, "raise SystemExit(5)", lambda text, change=change: text.replace(*change))
    plugin("x-none", "raise SystemExit(5)", None)
    install("no-name", "x-no-name = a:scheme", metadata="Version: 1\n\n")
    install("no-metadata", "x-no-metadata = a:scheme", metadata=b"")
    install("latin", b"[urlschemes.schemes]\nx-\xe9 = a:scheme\n")
    install("names", "HTTP = a:s\nbad name! = a:s\na_b = a:s\nhtt\u0440 = a:s\n = a:s\n" + "x" * 300 + " = a:s\n")
    install("squatter", "ftp = squatter:scheme\nmailto = squatter:scheme", {"squatter.py": "raise SystemExit(4)"})
    plugin("x-both", distribution="one")
    plugin("x-both", distribution="two")
    plugin("x-copied")
    other = plugin("x-copied", site="other")
    names = [*FAILING_IMPORTS, *WRONG_OBJECTS, *WRONG_RECORDS, "x-none", "x-both", "x-copied"]
    kinds, culprits, imported = child(
        HEAD
        + f"""
names = {names!r}
kinds = [use(name).partition(":")[0] for name in names]
controls(*names)
claims = registry.diagnose()
imported = [name for name in sys.modules if name.startswith("x_")]
print(json.dumps([kinds, sorted({{d.claim.distribution for d in claims if d.claim.in_trouble}}), imported]))
""",
        plugin("x-good"),
        other,
    )
    assert dict(zip(names, kinds, strict=True)) == {
        **dict.fromkeys(FAILING_IMPORTS, "PluginLoadError"),
        **dict.fromkeys([*WRONG_OBJECTS, "x-api", "x-other", "x-none"], "PluginContractError"),
        **dict.fromkeys(["x-toml", "x-grammar"], "PluginRecordError"),
        **dict.fromkeys(["x-both", "x-copied"], "PluginConflict"),
    }
    malformed = ["latin-1.0.dist-info", "names", "no_metadata-1.0.dist-info", "no_name-1.0.dist-info"]
    assert culprits == sorted([*names[:-2], *malformed, "squatter", "one", "two", "x-copied"])
    assert imported == ["x_nothing", "x_number", "x_lazy", "x_good"]


@pytest.mark.plugin_fault(27)
def test_no_lock_is_held_while_a_plugin_is_imported(plugin: Callable[..., Path], child: Callable[..., Any]) -> None:
    plugin(
        "x-back",
        f"""
import threading
import urlschemes
from urlschemes import default_registry as registry
assert str(urlschemes.parse("x-good:yes")) == "x-good:yes"
made = []
def work():
    made.append(str(urlschemes.parse("x-other:yes")))
    registry.register(registry.registration("x-spare"), replace=True)
thread = threading.Thread(target=work)
thread.start()
thread.join(20)
assert made == ["x-other:yes"] and not thread.is_alive()
{GOOD}
""",
    )
    plugin("x-other")
    plugin("x-spare", code=None)
    assert child(
        HEAD
        + """
found = [use("x-back"), use("x-spare"), state("x-spare")[0][0]]
controls()
print(json.dumps(found))
""",
        plugin("x-good"),
    ) == ["x-back:yes", "x-spare:yes", "shadowed"]


@pytest.mark.plugin_fault(28)
def test_a_plugin_that_is_removed_while_the_program_runs_breaks_when_it_is_next_needed(
    plugin: Callable[..., Path], child: Callable[..., Any], tmp_path: Path
) -> None:
    gone = plugin("x-gone", site="gone")
    plugin("x-used", site="gone")
    plugin("x-half")
    used, half, other, state = child(
        HEAD
        + f"""
import shutil
assert "x-gone" in registry and use("x-used") == "x-used:yes"
shutil.rmtree({str(gone)!r})
shutil.rmtree({str(tmp_path / "site" / "x_half")!r})
found = [use("x-used"), use("x-half"), use("x-gone"), state("x-gone")[0][0]]
assert culprits("x-used", "x-gone", "x-half") == ["x-half"]  # a diagnosis searches again
controls("x-gone", "x-half")
print(json.dumps(found))
""",
        plugin("x-good"),
        gone,
    )
    assert used == "x-used:yes"
    for name, message in (("x-half", half), ("x-gone", other)):
        assert message.startswith(
            f"PluginLoadError: {name} 1.0, which provides {name}, cannot be imported: ModuleNotFoundError"
        )
    assert state == "broken"


@pytest.mark.plugin_fault(29)
def test_a_thousand_schemes_of_plugins_are_found_and_no_plugin_is_imported(
    install: Callable[..., Path], plugin: Callable[..., Path], child: Callable[..., Any], tmp_path: Path
) -> None:
    for number in range(100):
        claims = "".join(f"x-many-{number}{each} = many_{number}:scheme\n" for each in range(10))
        install(f"many-{number}", claims, {f"many_{number}.py": "raise SystemExit"}, site="many")
    assert child(
        HEAD
        + """
controls()
print(json.dumps([
    sum(name.startswith("x-many-") for name in registry),
    [name for name in sys.modules if name.startswith("many_")],
    state("x-many-999"),
]))
""",
        tmp_path / "many",
        plugin("x-good"),
    ) == [1000, [], [["active", ""]]]


@pytest.mark.plugin_fault(36)
def test_a_redirect_or_a_listing_imports_no_other_plugin(
    plugin: Callable[..., Path], child: Callable[..., Any]
) -> None:
    plugin("x-never", "raise SystemExit(6)")
    plugin("x-next")
    access = """
from urlschemes_access.attributes import Attributes, Entry
from urlschemes_access.protocol import Deliver, Follow, Open

def access(url):
    if url.word == "list":
        yield from Open("listing", Attributes())
        yield from Deliver(Entry(name="one", url="x-never:yes"))
    else:
        target = yield from Follow(f"x-{url.word}:yes")
        yield from Open("document", Attributes())
        yield from Deliver(str(target).encode())
"""
    assert child(
        HEAD
        + """
found = []
for word in ("next", "never", "nobody"):
    try:
        with urlschemes_access.access("x-from:" + word) as document:
            found.append(document.read().decode())
    except URLError as error:
        found.append([type(error).__name__, error.reason])
with urlschemes_access.access("x-from:list") as listing:
    for entry in listing:
        found.append([type(entry.parse()).__name__, str(entry.parse())])
assert "x_never" not in sys.modules
controls("x-never")
print(json.dumps(found))
""",
        plugin("x-from", record=lambda text: 'redirects = ["x-next"]\n' + text, access=access),
        plugin("x-good", site="good"),
    ) == [
        "x-next:yes",
        ["RedirectRefused", "scheme"],
        ["RedirectRefused", "scheme"],
        ["URL", "x-never:yes"],
    ]


@pytest.mark.plugin_fault(37)
def test_a_pickled_url_outlives_its_plugin(plugin: Callable[..., Path], child: Callable[..., Any]) -> None:
    site = plugin("x-pickled", site="one")
    made = child(HEAD + "import pickle\nprint(json.dumps(pickle.dumps(urlschemes.parse('x-pickled:yes')).hex()))", site)
    code = (
        HEAD
        + f"""
import pickle
url = pickle.loads(bytes.fromhex({made!r}))
try:
    urlschemes_access.access(url)
except URLError as error:
    message = type(error).__name__ + ": " + str(error)
print(json.dumps([type(url).__name__, str(url), message]))
"""
    )
    assert child(code) == ["URL", "x-pickled:yes", "UnknownScheme: no scheme is registered as 'x-pickled'"]
    kind, text, message = child(code, site)
    assert (kind, text) == ("TestURL", "x-pickled:yes")
    assert message.startswith("PluginLoadError: ")  # it has no module of algorithms
    assert "No module named 'x_pickled.access'" in message


def test_an_algorithm_that_cannot_be_imported_breaks_accesses_and_not_parsing(
    plugin: Callable[..., Path], child: Callable[..., Any]
) -> None:
    plugin("x-late", access="raise SystemExit(3)")
    plugin("x-empty", access="")
    late, empty, unsupported = child(
        HEAD
        + """
found = []
for name in ("x-late", "x-empty"):
    try:
        urlschemes_access.access(name + ":yes")
    except URLError as error:
        found.append(type(error).__name__ + ": " + str(error))
try:
    urlschemes_access.find_attributes("x-late:yes")
except URLError as error:
    found.append(type(error).__name__ + ": " + str(error))
controls()
print(json.dumps(found))
""",
        plugin("x-good"),
    )
    assert late == (
        "PluginLoadError: the algorithms of scheme x-late, from x-late 1.0, cannot be imported: SystemExit: 3"
    )
    assert empty == "PluginContractError: x_empty.access has no function 'access'"
    assert unsupported == (
        "UnsupportedOperation: x-late does not offer the operation 'find attributes'; it offers access"
    )


def test_a_plugin_in_an_archive_is_a_plugin(
    plugin: Callable[..., Path], child: Callable[..., Any], tmp_path: Path
) -> None:
    access = """
from urlschemes_access.attributes import Attributes
from urlschemes_access.protocol import Deliver, Open

def access(url):
    yield from Open("document", Attributes())
    yield from Deliver(url.word.encode())
"""
    archive = shutil.make_archive(str(tmp_path / "packed"), "zip", plugin("x-packed", access=access))
    assert child(HEAD + "print(json.dumps([use('x-packed'), access('x-packed:yes')]))", archive) == [
        "x-packed:yes",
        "yes",
    ]
