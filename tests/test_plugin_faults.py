"""A plugin can break only its own scheme.

Each test installs faulty distributions beside a good one and runs a new Python, in which afterwards the examples of
every scheme that is left still come out as their records say. The process ends with exit code 0, whatever a plugin did.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import zipfile
from pathlib import Path

import pytest
from faulty import GOOD, HEAD

HOSTILE = """
class Hostile(Exception):
    def __str__(self): raise SystemExit(9)
    __repr__ = __str__
raise Hostile
"""

AT_IMPORT = {  # C01, C02, C04, C40: what the package does when it is imported, and what is said of it
    "x-missing": ("import a_module_that_nobody_has", "ModuleNotFoundError: No module named 'a_module_that_nobody_has'"),
    "x-exit": ("raise SystemExit(7)", "SystemExit: 7"),
    "x-quiet": ("raise SystemExit", "SystemExit"),
    "x-base": (
        "class Mine(BaseException): pass\nraise Mine('\\x1b[31m ftp://u:secret@h/')",
        "\\x1b[31m ftp://u:***@h/",
    ),
    "x-generator": ("raise GeneratorExit", "GeneratorExit"),
    "x-assert": ("assert False, 'no'", "AssertionError: no"),
    "x-deep": ("def deep(): deep()\ndeep()", "RecursionError: maximum recursion depth exceeded"),
    "x-syntax": ("def :", "SyntaxError: invalid syntax"),
    "x-hostile": (HOSTILE, "x_hostile.Hostile"),
    "x-null": ("raise ValueError('a\\x00b\\nc')", "ValueError: a\\x00b\\x0ac"),
}


def test_what_fails_at_import_breaks_its_scheme_alone(plugin, child):  # C01, C02, C04, C40
    for name, (code, _) in AT_IMPORT.items():
        plugin(name, code, version="2.5")
    said = child(
        HEAD
        + f"""
names = {list(AT_IMPORT)!r}
first, again = [use(name) for name in names], [use(name) for name in names]
controls(*names)
assert culprits("x-good", *names) == sorted(names)
print(json.dumps([first, again, [state(name) for name in names]]))
""",
        plugin("x-good"),
    )
    for (name, (_, told)), first, again, state in zip(AT_IMPORT.items(), *said, strict=True):
        message = f"PluginLoadError: {name} 2.5, which provides {name}, cannot be imported: "
        assert first.startswith(message)
        assert told in first
        assert first.endswith(f"; URLSCHEMES_DISABLE={name} switches it off, `pip uninstall {name}` removes it")
        assert first.isascii()
        assert first.isprintable()
        assert again == first
        assert [claim[0] for claim in state] == ["broken"]
        assert told in state[0][1]


@pytest.mark.parametrize("kind", ["KeyboardInterrupt", "MemoryError"])
def test_an_interrupted_import_is_tried_again(plugin, child, kind):  # C03, C04
    plugin("x-stop", f"import sys\nif not hasattr(sys, 'again'):\n    sys.again = True\n    raise {kind}\n{GOOD}")
    assert child(
        HEAD
        + f"""
try:
    urlschemes.parse("x-stop:yes")
except {kind}:
    first = "passed through"
print(json.dumps([first, state("x-stop"), use("x-stop")]))
""",
        plugin("x-good"),
    ) == ["passed through", [["active", ""]], "x-stop:yes"]


def test_a_slow_import_is_reported(plugin, child):  # C05
    plugin("x-slow", f"import time\ntime.sleep(1.05)\n{GOOD}")
    logged, found = child(
        HEAD
        + """
import logging
logged = []
class Handler(logging.Handler):
    def emit(self, record): logged.append([record.levelname, record.getMessage()])
logging.getLogger("urlschemes").addHandler(Handler())
assert "x_slow" not in sys.modules
assert use("x-slow") == "x-slow:yes"
controls()
(found,) = [d for d in urlschemes.Registry(["x-slow"]).diagnose(verify=True) if d.claim.name == "x-slow"]
assert found.seconds > 1 and not found.in_trouble
print(json.dumps([logged, [d.seconds > 1 for d in registry.diagnose() if d.claim.name == "x-slow"]]))
""",
        plugin("x-good"),
    )
    ((level, message),) = logged
    assert level == "WARNING"
    assert message.startswith("x-slow 1.0 took 1.")
    assert message.endswith(" s to import for x-slow")
    assert found == [True]


RECORDS = {  # C06: wrong records, found before anything is imported (the packages exit)
    "x-api-two": (
        lambda text: text.replace("api = 1", "api = 2"),
        "api = 2",
        "is written for api 2, and this core reads api 1",
    ),
    "x-api-none": (lambda text: text.replace("api = 1\n", ""), "no api", "has no api"),
    "x-api-text": (lambda text: text.replace("api = 1", 'api = "1"'), "no api", "api must be"),
    "x-no-toml": (lambda _: "api = 1 1", "", "is not TOML"),
    "x-other": (
        lambda text: text.replace('scheme = "x-other"', 'scheme = "x-else"'),
        "x-else",
        "is the record of 'x-else'",
    ),
    "x-status": (lambda text: text.replace("experimental", "permanent"), "no status", "status must be experimental"),
    "x-grammar": (lambda text: text.replace("1*uchar", "1*nothing"), "no syntax", "; define it, or use one of the"),
}


def test_a_wrong_record_is_a_broken_contract(plugin, child):  # C06
    for name, (change, _, _) in RECORDS.items():
        code = None if name in {"x-other", "x-status", "x-grammar"} else "raise SystemExit(5)"
        plugin(name, code, change)
    plugin("x-none", "raise SystemExit(5)", None)
    names = [*RECORDS, "x-none"]
    said = child(
        HEAD
        + f"""
def facts(name):
    try:
        registry[name]
    except URLError as error:
        off = "URLSCHEMES_DISABLE=" + name + " switches it off"
        said = bool(error.wants and off in error.hint)
        return [type(error).__name__, error.distribution, error.has, error.message + "; " + error.hint, said]
found = [facts(name) for name in {names!r}]
controls()
assert culprits("x-good", *{names!r}) == sorted({names!r})
print(json.dumps([found, [name for name in sys.modules if name.startswith("x_")]]))
""",
        plugin("x-good"),
    )
    assert said[1] == ["x_good"]
    for name, (kind, distribution, has, message, wants) in zip(names, said[0], strict=True):
        assert (kind, distribution, wants) == ("PluginContractError", f"{name} 1.0", True)
        _, expected_has, told = RECORDS.get(name, (None, "none", "has no file registration.toml"))
        assert expected_has in has
        assert told in message


def test_malformed_distributions_hide_nothing(install, plugin, child):  # C07, C08, C09, C10
    install("no-name", "x-no-name = a:scheme", metadata="Version: 1\n\n")
    install("no-metadata", "x-no-metadata = a:scheme", metadata=b"")
    install("latin", b"[urlschemes.schemes]\nx-\xe9 = a:scheme\n")
    install("names", "HTTP = a:s\nbad name! = a:s\na_b = a:s\nhtt\u0440 = a:s\n = a:s\n" + "x" * 300 + " = a:s\n")
    install("squatter", "ftp = squatter:scheme\nmailto = squatter:scheme", {"squatter.py": "raise SystemExit(4)"})
    install("near", "htttp = near\nftp+ = near\nx-goo = near")
    bad, near, squatted = child(
        HEAD
        + """
controls("htttp", "ftp+", "x-goo")
assert culprits("names", "near", "squatter", "x-good") == ["names", "near", "squatter"]
claims = registry.claims()
print(json.dumps([
    sorted([c.state, c.distribution] for c in claims if c.state == "malformed"),
    [use(name).partition(":")[0] for name in ("htttp", "ftp+", "x-goo", "x-goodd", "x-g", "a_b", "HTTPS+")],
    sorted([c.name, c.state, c.reason] for c in claims if c.distribution == "squatter"),
]))
""",
        plugin("x-good"),
    )
    assert bad == [
        ["malformed", "latin-1.0.dist-info"],
        *[["malformed", "names"]] * 6,
        ["malformed", "no_metadata-1.0.dist-info"],
        ["malformed", "no_name-1.0.dist-info"],
    ]
    assert near == ["PluginLoadError"] * 3 + ["UnknownScheme"] * 2 + ["InvalidScheme", "UnknownScheme"]
    assert squatted == [[name, "reserved", f"the name is reserved to urlschemes-{name}"] for name in ("ftp", "mailto")]


def test_what_is_no_plain_file_stops_nobody(install, plugin, child, tmp_path):  # C07
    plugin("x-bomb", code=None)
    site = plugin("x-pipe", code=None)
    for name, target in (("x_pipe", None), ("x_bomb", "/dev/zero")):
        (site / name / "registration.toml").unlink()
        if target is None:
            os.mkfifo(site / name / "registration.toml")
        else:
            (site / name / "registration.toml").symlink_to(target)
    install("some-pipe", None)
    os.mkfifo(site / "some_pipe-1.0.dist-info" / "entry_points.txt")
    install("no-metadata", "x-no-metadata = a:scheme", metadata=b"")
    os.mkfifo(site / "no_metadata-1.0.dist-info" / "METADATA")
    with zipfile.ZipFile(tmp_path / "big.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x_big/__init__.py", "")
        archive.writestr("x_big/registration.toml", "\n" * (5 << 20))
        archive.writestr("big-1.0.dist-info/METADATA", "Name: big\nVersion: 1.0\n\n")
        archive.writestr("big-1.0.dist-info/entry_points.txt", "[urlschemes.schemes]\nx-big = x_big\n")
    said, files, bad = child(
        HEAD
        + """
names = ["x-pipe", "x-bomb", "x-big"]
kinds = {use(name).partition(":")[0] for name in names}
assert kinds == {"PluginContractError"}
said = [state(name)[0][1] for name in names]
controls(*names)
found = [d for d in registry.diagnose() if d.claim.name in names]
assert [d.claim.name for d in found if d.in_trouble] == ["x-big", "x-bomb", "x-pipe"]
malformed = sorted(c.distribution for c in registry.claims() if c.state == "malformed")
print(json.dumps([said, [d.sha256 for d in found], malformed]))
""",
        plugin("x-good"),
        tmp_path / "big.zip",
    )
    for message, why in zip(said, ["no regular file", "no regular file", "longer than 4194304 octets"], strict=True):
        assert "breaks the contract of plugins: its record cannot be read: OSError: " in message
        assert message.endswith(f"registration.toml: it is {why}")
    assert files == ["", "", ""]
    assert bad == ["no_metadata-1.0.dist-info", "some_pipe-1.0.dist-info"]


def test_however_many_claims_cost_no_more_than_each_by_itself(install, plugin, child):  # C11
    install("evil", "".join(f"x-evil = evil_{number}\n" for number in range(20_000)))
    install("greedy", "".join(f"x-greedy-{number} = greedy\n" for number in range(1001)))
    install("twice", "x-twice = one\nx-twice = two\nx-once = one\n")
    for number in range(300):
        install(f"crowd-{number:03}", "x-crowd = crowd")
    once, bad, crowd, error, reasons = child(
        HEAD
        + """
claims = [c for c in registry.claims() if c.state in {"malformed", "conflict"}]
found = [use(name).partition(":")[0] for name in ("x-once", "x-twice", "x-evil", "x-greedy-1")]
controls("x-once")
print(json.dumps([
    found,
    [[c.distribution, c.name, c.reason] for c in claims if c.state == "malformed"],
    [c.reason.replace(c.origin, "SITE") for c in claims if c.state == "conflict"][150],
    registry.why("x-crowd").rule.replace(claims[0].origin, "SITE"),
    sum(len(c.reason) for c in claims) / len(claims) / len(claims[0].origin) < 5,
]))
""",
        plugin("x-good"),
    )
    assert once == ["PluginLoadError", "UnknownScheme", "UnknownScheme", "UnknownScheme"]
    too_many = "its entry_points.txt cannot be read: it claims more than 1000 names"
    assert bad == [
        ["evil-1.0.dist-info", "", too_many],
        ["greedy-1.0.dist-info", "", too_many],
        ["twice", "x-twice", "the distribution claims the name 2 times"],
    ]
    three = "crowd-000 1.0 in SITE; crowd-001 1.0 in SITE; crowd-002 1.0 in SITE"
    assert crowd == f"claimed as well by {three}; 296 more"
    assert error.endswith(f"so none is used: {three}; 297 more")
    assert reasons


def test_conflicts_and_copies(plugin, child, tmp_path):  # C11, C12
    plugin("x-both", distribution="one")
    plugin("x-both", distribution="two", site="other")
    plugin("x-same", site="other")
    plugin("x-copied")
    plugin("x-copied", site="other")
    (tmp_path / "link").symlink_to(tmp_path / "other")
    site = plugin("x-good")
    said = []
    for path in ((site, "other", "link"), ("link", "other", site)):
        entries = [tmp_path / entry for entry in path]
        said.append(
            child(
                HEAD
                + """
controls("x-same")
assert culprits("one", "two", "x-same", "x-copied") == ["one", "two", "x-copied"]
assert not {"one", "two", "x_copied"} & set(sys.modules)
print(json.dumps([use("x-same"), state("x-same"), use("x-both"), [c[0] for c in state("x-copied")], use("x-copied")]))
""",
                *entries,
            )
        )
    for same, states, both, copies, copied in said:
        assert (same, states) == ("x-same:yes", [["active", ""]])
        assert both.startswith(
            "PluginConflict: several distributions claim the scheme x-both, so none is used: one 1.0 in "
        )
        assert copies == ["conflict", "conflict"]
        assert copied.startswith("PluginConflict: ")


def test_a_stranger_takes_no_tool_away(install, plugin, child):  # C09, C11
    entries = "".join(f"{name} = g:x\n" for name in ("new", "review", "site", "send", "session", "iana", "parse"))
    for name in ("stranger", "urlschemes-new", "urlschemes-parse"):
        install(name, f"[urlschemes.commands]\n{entries}[urlschemes.demos]\nx-a = g:x\n")
    commands, demos = child(
        HEAD
        + """
controls()
from urlschemes.registry.claims import COMMANDS, DEMOS
strangers = {"stranger", "urlschemes-new", "urlschemes-parse"}
claims = registry.claims()
print(json.dumps([
    sorted({(c.name, c.state, c.reason) for c in claims if c.group == COMMANDS and c.distribution in strangers}),
    sorted({(c.name, c.state) for c in claims if (c.group, c.name) == (DEMOS, "x-a")}),
]))
""",
        plugin("x-good"),
    )
    assert commands == [
        ["iana", "reserved", "the name is reserved to urlschemes-iana"],
        ["new", "reserved", "the name is reserved to urlschemes-testing"],
        ["parse", "reserved", "urlschemes has a command of that name itself"],
        ["review", "reserved", "the name is reserved to urlschemes-testing"],
        ["send", "reserved", "the name is reserved to urlschemes-mailto"],
        ["session", "reserved", "the name is reserved to urlschemes-telnet"],
        ["site", "reserved", "the name is reserved to urlschemes-site"],
    ]
    assert demos == [["x-a", "conflict"]]


def test_a_demonstration_of_a_reserved_scheme_is_the_kits(install, child):  # C09
    install("stranger", "[urlschemes.demos]\nwais = g:x\nx-a = g:x\n")
    kit = install("urlschemes-testing", "[urlschemes.demos]\nwais = k:x\nx-a = k:x\n", version="99")
    code = """
from urlschemes.registry.claim_selection import Rules, select
from urlschemes.registry.discovery import discover
pins = json.loads(PINS)
print(json.dumps([[c.name, c.distribution, c.state] for c in select(discover([SITE]), Rules(pins=pins)).claims]))
"""

    def found(pins: str) -> list[list[str]]:
        return child(f"SITE, PINS = {str(kit)!r}, {pins!r}\n{code}")

    wais = [["wais", "stranger", "shadowed"], ["wais", "urlschemes-testing", "active"]]
    conflict = [["x-a", "stranger", "conflict"], ["x-a", "urlschemes-testing", "conflict"]]
    pinned = [["x-a", "stranger", "active"], ["x-a", "urlschemes-testing", "shadowed"]]
    assert found("{}") == wais + conflict
    assert found('{"x-a": "stranger"}') == wais + pinned


def test_a_pin_to_whom_a_name_is_not_is_refused(install, plugin, child):
    install("thief", "gopher = thief\nx-own = thief\n")
    plugin("x-two", distribution="one")
    plugin("x-two", distribution="two")
    said = child(
        HEAD
        + """
said = []
for pins in ({"gopher": "thief"}, {"x-two": "on"}):
    try:
        len(urlschemes.Registry(pins=pins))
    except URLError as error:
        said.append(str(error))
print(json.dumps(said))
""",
        plugin("x-good"),
    )
    assert [message.partition("; a reserved name")[0] for message in said] == [
        "the pin of gopher names thief, and the name is reserved to urlschemes-gopher",
        "the pin of x-two names on, which does not claim it; claimed by: one, two",
    ]


def test_the_current_directory_provides_nothing(plugin, child, tmp_path):  # C13
    plugin("x-here", "raise SystemExit(4)", site="here")
    plugin("x-below", "raise SystemExit(4)", site="here/below")
    site = plugin("x-good")
    assert child(
        HEAD
        + """
sys.path[:0] = ["", "below"]
controls()
print(json.dumps([[c[0] for c in state(name)] for name in ("x-here", "x-below")] + [use("x-here")[:13]]))
""",
        site,
        tmp_path / "here",
        folder=tmp_path / "here",
    ) == [["ignored"], ["ignored"], "UnknownScheme"]


OBJECTS = {  # C14: what the entry point names, and what is said of it
    "x-nothing": ("", "x_nothing:scheme is not there"),
    "x-number": ("scheme = 7", "x_number:scheme is an object of int"),
    "x-class": ("from urlschemes import Scheme as scheme", "x_class:scheme is the class Scheme"),
    "x-hostile": (
        (
            "class Hostile:\n    def __repr__(self): raise SystemExit(8)\n    __str__ = __repr__\n"
            "    __class__ = property(__repr__)\nscheme = Hostile()"
        ),
        "x_hostile:scheme is an object of Hostile",
    ),
    "x-lazy": ("def __getattr__(name): raise SystemExit(8)", "x_lazy:scheme is not there"),
    "x-renamed": (
        (
            "from urlschemes import Registration, Scheme\nfrom urlschemes.storage.package_data import read_beside\n"
            "text, _ = read_beside(__name__, 'registration.toml')\n"
            "scheme = Scheme(Registration.from_text(text.replace('x-renamed', 'x-else')))"
        ),
        "its scheme is called x-else",
    ),
    "x-untyped": (
        "from urlschemes import Registration, Scheme, URL\nscheme = Scheme(Registration.of(__name__), URL)",
        "the type URL is not made for the registration of 'x-untyped'",
    ),
}


def test_an_object_of_the_wrong_kind_is_a_broken_contract(plugin, child):  # C14, C40
    for name, (code, _) in OBJECTS.items():
        plugin(name, code)
    said = child(
        HEAD
        + f"""
names = {list(OBJECTS)!r}
found = [use(name) for name in names]
controls(*names)
assert culprits("x-good", *names) == sorted(names)
print(json.dumps([found, [state(name)[0][0] for name in names]]))
""",
        plugin("x-good"),
    )
    assert said[1] == ["broken"] * len(OBJECTS)
    for (name, (_, told)), message in zip(OBJECTS.items(), said[0], strict=True):
        assert message.startswith(
            f"PluginContractError: {name} 1.0, which provides {name}, breaks the contract of plugins: "
        )
        assert told in message


def test_no_lock_is_held_while_a_plugin_is_imported(plugin, child):  # C27
    plugin(
        "x-back",
        "import threading\nimport urlschemes\nfrom urlschemes import default_registry as registry\n"
        "assert str(urlschemes.parse('x-good:yes')) == 'x-good:yes'\n"
        "made = []\n"
        "def work():\n"
        "    made.append(str(urlschemes.parse('x-other:yes')))\n"
        "    registry.register(registry.registration('x-spare'), replace=True)\n"
        "thread = threading.Thread(target=work)\nthread.start()\nthread.join(20)\n"
        f"assert made == ['x-other:yes'] and not thread.is_alive()\n{GOOD}",
    )
    plugin("x-other")
    plugin("x-spare", code=None)
    assert child(
        HEAD
        + """
said = [use("x-back"), use("x-spare"), state("x-spare")[0][0]]
controls()
print(json.dumps(said))
""",
        plugin("x-good"),
    ) == ["x-back:yes", "x-spare:yes", "shadowed"]


def test_a_plugin_that_goes_or_changes_while_the_program_runs(plugin, child, tmp_path):  # C28
    gone = plugin("x-gone", site="gone")
    plugin("x-used", site="gone")
    plugin("x-half")
    used, half, there, where = child(
        HEAD
        + f"""
import shutil
assert "x-gone" in registry and use("x-used") == "x-used:yes"
shutil.rmtree({str(gone)!r})
shutil.rmtree({str(tmp_path / "site" / "x_half")!r})
said = [use("x-used"), use("x-half"), use("x-gone"), state("x-gone")[0][0]]
assert culprits("x-used", "x-gone", "x-half") == ["x-half"]  # the doctor looks anew: what is gone is gone
controls("x-gone", "x-half")
print(json.dumps(said))
""",
        plugin("x-good"),
        gone,
    )
    assert used == "x-used:yes"
    assert half.startswith(
        "PluginLoadError: x-half 1.0, which provides x-half, cannot be imported: ModuleNotFoundError"
    )
    assert there.startswith(
        "PluginLoadError: x-gone 1.0, which provides x-gone, cannot be imported: ModuleNotFoundError"
    )
    assert where == "broken"


def test_a_thousand_plugins_are_found_and_none_is_imported(install, plugin, child):  # C29
    for number in range(1000):
        site = install(
            f"many-{number}", f"x-many-{number} = many_{number}:scheme", {f"many_{number}.py": "raise SystemExit"}
        )
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
        site,
        plugin("x-good"),
    ) == [1000, [], [["active", ""]]]


def test_switches(plugin, child):  # C33, C34, C35
    plugin("x-off", "raise SystemExit(6)")
    site = plugin("x-good")
    code = HEAD + "print(json.dumps([[*registry], use('x-good'), use('x-off')]))"
    names, good, off = child(code, site, environ={"URLSCHEMES_PLUGINS": "none"})
    assert names == []
    assert good.startswith(
        "UnknownScheme: the scheme x-good is installed but disabled: x-good 1.0 (URLSCHEMES_PLUGINS "
    )
    assert off.startswith("UnknownScheme: the scheme x-off is installed but disabled: ")
    names, good, off = child(code, site, environ={"URLSCHEMES_PLUGINS": "x_good"})
    assert (names, good) == (["x-good"], "x-good:yes")
    assert off.startswith("UnknownScheme: the scheme x-off is installed but disabled: ")
    code = HEAD + "print(json.dumps(use('x-good')))"
    wrong = child(code, site, environ={"URLSCHEMES_PLUGINS": "x-good,x-missing"})
    assert wrong.startswith(
        "PluginError: URLSCHEMES_PLUGINS names x-missing, which is not installed as a plugin; installed: "
    )


def test_what_is_broken_is_switched_off_by_name(plugin, child):  # C33, C35
    plugin("x-off", "raise SystemExit(6)", distribution="off-schemes")
    site = plugin("x-good")
    code = HEAD + "print(json.dumps([use('x-good'), use('x-off'), culprits('off-schemes'), state('x-off')]))"
    good, off, culprits, _ = child(code, site)
    assert good == "x-good:yes"
    assert off.endswith("; URLSCHEMES_DISABLE=x-off switches it off, `pip uninstall off-schemes` removes it")
    assert culprits == ["off-schemes"]
    for name in ("x-off", "Off_Schemes", "x-off,x-off"):
        good, off, culprits, states = child(code, site, environ={"URLSCHEMES_DISABLE": name})
        assert good == "x-good:yes"
        reason = f"URLSCHEMES_DISABLE names {name.partition(',')[0]}"
        assert off == f"UnknownScheme: the scheme x-off is installed but disabled: off-schemes 1.0 ({reason})"
        assert culprits == []
        assert states == [["disabled", reason]]
    wrong = child(HEAD + "print(json.dumps(use('x-good')))", site, environ={"URLSCHEMES_DISABLE": "x-of"})
    assert wrong.startswith(
        "PluginError: URLSCHEMES_DISABLE names x-of, which is neither an installed plugin nor a scheme of one; "
    )


def test_two_registries_of_one_process_share_nothing(plugin, child):  # C38
    plugin("x-bad", "raise SystemExit(6)")
    plugin("x-one")
    site = plugin("x-two")
    assert child(
        HEAD
        + """
one, two = urlschemes.Registry(plugins=["x-one", "x-bad"]), urlschemes.Registry(disable=["x-one", "x-bad"])
assert str(one.parse("x-one:yes")) == "x-one:yes"
one.register(registry.registration("x-two"))
one.unregister("x-one")
try:
    one.parse("x-bad:yes")
except URLError:
    pass
states = [[c.state for c in r.claims() if c.name == name] for r in (one, two, registry)
          for name in ("x-one", "x-two", "x-bad")]
controls("x-bad")
said = [r.why("x-two").provider for r in (one, two, registry)]
print(json.dumps([states, said, sorted(one), use("x-one")]))
""",
        site,
        plugin("x-good", site="good"),
    ) == [
        [
            *(["disabled"], ["disabled"], ["broken"]),
            *(["disabled"], ["active"], ["disabled"]),
            *(["active"], ["active"], ["active"]),
        ],
        ["this program", "x-two 1.0", "x-two 1.0"],
        ["x-bad", "x-two"],
        "x-one:yes",
    ]


def test_a_plugin_registers_schemes_from_a_thread(plugin, child):  # C30
    plugin(
        "x-churn",
        GOOD
        + """
import threading

def churn(registry):
    record = registry.registration("x-spare")
    def work():
        for _ in range(200):
            registry.register(record, replace=True)
            registry.unregister("x-spare")
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads: thread.start()
    return threads
""",
    )
    plugin("x-spare", code=None)
    assert (
        child(
            HEAD
            + """
import x_churn
threads, seen = x_churn.churn(registry), set()
while any(thread.is_alive() for thread in threads):
    said = use("x-spare")
    seen.add(said if said == "x-spare:yes" else said.partition(":")[0])
for thread in threads: thread.join()
controls("x-spare")
print(json.dumps(sorted(seen - {"x-spare:yes", "UnknownScheme"})))
""",
            plugin("x-good"),
        )
        == []
    )


def test_a_redirect_or_a_listing_loads_no_plugin(plugin, child):  # C36
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
said = []
for word in ("next", "never", "nobody"):
    try:
        with urlschemes_access.access("x-from:" + word) as document:
            said.append(document.read().decode())
    except URLError as error:
        said.append([type(error).__name__, error.reason])
with urlschemes_access.access("x-from:list") as listing:
    for entry in listing:
        said.append([type(entry.parse()).__name__, str(entry.parse())])
assert "x_never" not in sys.modules
controls("x-never")
print(json.dumps(said))
""",
        plugin("x-from", record=lambda text: 'redirects = ["x-next"]\n' + text, access=access),
        plugin("x-good", site="good"),
    ) == [
        "x-next:yes",
        ["RedirectRefused", "scheme"],
        ["RedirectRefused", "scheme"],
        ["URL", "x-never:yes"],
    ]


def test_a_pickle_outlives_its_plugin(plugin, child):  # C37
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
    said = type(error).__name__ + ": " + str(error)
print(json.dumps([type(url).__name__, str(url), said]))
"""
    )
    assert child(code) == ["URL", "x-pickled:yes", "UnknownScheme: no scheme is registered as 'x-pickled'"]
    assert child(code, site) == [
        "TestURL",
        "x-pickled:yes",
        (
            "PluginLoadError: the algorithm of the scheme x-pickled, of x-pickled 1.0, cannot be imported: "
            "ModuleNotFoundError: No module named 'x_pickled.access'"
        ),
    ]


def test_an_algorithm_that_cannot_be_imported_is_its_plugins_fault(plugin, child):  # C01, C02
    plugin("x-late", access="raise SystemExit(3)")
    plugin("x-empty", access="")
    said = child(
        HEAD
        + """
said = []
for name in ("x-late", "x-empty"):
    try:
        urlschemes_access.access(name + ":yes")
    except URLError as error:
        said.append(type(error).__name__ + ": " + str(error))
try:
    urlschemes_access.find_attributes("x-late:yes")
except URLError as error:
    said.append(type(error).__name__ + ": " + str(error))
controls()
print(json.dumps(said))
""",
        plugin("x-good"),
    )
    assert said == [
        "PluginLoadError: the algorithm of the scheme x-late, of x-late 1.0, cannot be imported: SystemExit: 3",
        "PluginContractError: x_empty.access has no function 'access'",
        "UnsupportedOperation: x-late does not offer the operation 'find attributes'; it offers access",
    ]


def test_a_plugin_in_an_archive_is_a_plugin(plugin, child, tmp_path):
    site = plugin("x-packed")
    plugin("x-plain", code=None)
    archive = shutil.make_archive(str(tmp_path / "packed"), "zip", site)
    used, found = child(
        HEAD
        + """
print(json.dumps([[use("x-packed"), use("x-plain")], [[d.file, d.sha256] for d in registry.diagnose()]]))
""",
        archive,
    )
    assert used == ["x-packed:yes", "x-plain:yes"]
    files = {file: digest for file, digest in found if file.startswith(archive)}
    assert files == {
        str(Path(archive) / name): hashlib.sha256((site / name).read_bytes()).hexdigest()
        for name in ("x_packed/__init__.py", "x_plain/registration.toml")
    }


def test_everything_is_named_by_the_diagnosis(plugin, install, child):
    plugin("x-broken", "raise SystemExit(3)")
    plugin("x-norecord", record=None)
    install("odd", "x_odd = odd:scheme")
    said = child(
        HEAD
        + """
before = {d.claim.name: d.claim.state for d in registry.diagnose()}
after = {d.claim.name: [d.claim.state, d.claim.reason, d.seconds is None] for d in registry.diagnose(load=True)}
names = ("x-good", "x-broken", "x-norecord", "x_odd")
controls("x-broken", "x-norecord")
print(json.dumps([[before[name], *after[name]] for name in names]))
""",
        plugin("x-good", GOOD),
    )
    assert [each[:2] for each in said] == [
        ["active", "active"],
        ["active", "broken"],
        ["broken", "broken"],
        ["malformed", "malformed"],
    ]
    assert [each[3] for each in said] == [False, True, True, True]
    assert "SystemExit: 3" in said[1][2]
    assert "has no file registration.toml" in said[2][2]
