"""Who provides a name, by which rule; schemes that the program registers; how URLs find their scheme."""

from __future__ import annotations

import contextlib
import pickle
import sys
import threading

import pytest

from urlschemes import URL, InternetURL, Registry, Scheme
from urlschemes.errors import (
    InvalidCharacter,
    InvalidPart,
    InvalidScheme,
    InvalidURL,
    PluginConflict,
    PluginError,
    UnknownScheme,
    URLTooLong,
)
from urlschemes.registry.known_names import KnownName, known_names
from urlschemes_access import Configuration
from urlschemes_access.errors import RedirectRefused

OPEN = {"afs", "mid", "cid", "nfs", "tn3270", "mailserver", "z39.50"}


@pytest.fixture
def bare(monkeypatch) -> Registry:
    """A registry for which nothing is installed."""
    for finds in ("plugins.installed_claims", "discovery.discover"):
        monkeypatch.setattr(f"urlschemes.{finds}", lambda **_: ())
    return Registry()


@pytest.fixture
def known(monkeypatch) -> dict[str, KnownName]:
    """A ledger of its own."""
    names: dict[str, KnownName] = {}
    for room in ("absence", "ledger"):
        monkeypatch.setattr(f"urlschemes.{room}.known_names", lambda: names)
    return names


def states(registry: Registry, name: str) -> dict[str, str]:
    return {claim.provider: claim.state for claim in registry.claims() if claim.name == name}


# What the program registers


def test_a_record_alone_is_a_scheme(bare, registration):
    bare.register(registration("x-foo"))
    url = bare.parse("x-foo:bar%20")
    assert (url.scheme, url.parts, url.raw) == ("x-foo", {"word": "bar "}, {"word": "bar%20"})
    assert type(url) is bare["x-foo"].url_type
    assert ("x-foo" in bare, "X-FOO" in bare, "x-fo" in bare, 7 in bare) == (True, True, False, False)
    assert ([*bare], len(bare)) == (["x-foo"], 1)
    assert bare.registrations() == (bare["x-foo"].registration,)
    assert bare.registration("x-Foo") is bare["X-foo"].registration


def test_the_letters_of_a_name_may_be_capitals(bare, registration):
    bare.register(registration("x-foo"))
    assert str(bare.parse("X-Foo:bar")) == "X-Foo:bar"
    assert bare.parse("X-Foo:bar") == bare.parse("x-foo:bar")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("x-foo:", InvalidPart),
        ("x-foo:a/b", InvalidPart),
        ("X-FOO:a/b", InvalidPart),
        ("x-foo:a b", InvalidCharacter),
        ("x-bar:a b", UnknownScheme),
        ("x-bar:ab", UnknownScheme),
        ("x\u212a:ab", InvalidCharacter),
        ("", InvalidScheme),
        (":", InvalidScheme),
        ("x_foo:a", InvalidScheme),
        (b"x-foo:a", InvalidURL),
        (None, InvalidURL),
        ("x-foo:" + "a" * 65531, URLTooLong),
        ("x-bar:" + "a" * 65531, URLTooLong),
    ],
)
def test_what_is_no_url_is_refused(bare, registration, text, error):
    bare.register(registration("x-foo"))
    with pytest.raises(error):
        bare.parse(text)
    with pytest.raises(error):
        bare.parse(text, bare["x-foo"].url_type)
    assert not bare.is_valid(text)


def test_the_bound_can_be_set(bare, registration):
    bare.register(registration("x-foo"))
    long = "x-foo:" + "a" * 65531
    assert str(bare.parse(long, limit=len(long))) == long
    assert bare.is_valid(long, limit=len(long))
    with pytest.raises(URLTooLong):
        bare.parse("X-FOO:a", limit=6)


def test_the_type_that_is_asked_for(bare, registration):
    bare.register(registration("x-foo"))
    assert type(bare.parse("x-foo:a", bare["x-foo"].url_type)) is bare["x-foo"].url_type
    for text in ("x-foo:a", "X-foo:a"):
        with pytest.raises(InvalidScheme, match=r"^this is a XFooURL, and a InternetURL is wanted$"):
            bare.parse(text, InternetURL)


def test_a_generic_url_needs_nobody(bare):
    assert bare.parse_generic("nobody:knows").schemepart == "knows"
    with pytest.raises(InvalidURL):
        bare.parse_generic("no body:knows")


def test_a_type_that_parses_in_its_own_way_is_asked_to(bare, registration):
    record = registration("x-own")

    class Own(URL, registration=record):
        __slots__ = ()

        @classmethod
        def parse(cls, text, *, limit=65536):
            return super().parse(text.replace("+", "-"), limit=limit)

    bare.register(Scheme(record, Own))
    assert str(bare.parse("x-own:a+b")) == "x-own:a-b"
    assert str(bare.parse("x-own:a+b")) == "x-own:a-b"


def test_registering_twice_is_refused_unless_it_is_meant(bare, registration):
    first, second = Scheme(registration("x-foo")), Scheme(registration("x-foo"))
    bare.register(first)
    with pytest.raises(
        PluginConflict, match=r"^this program provides the scheme x-foo already; register\(scheme, replace=True\)"
    ):
        bare.register(second)
    assert bare["x-foo"] is first
    bare.register(second, replace=True)
    assert type(bare.parse("x-foo:a")) is second.url_type
    bare.unregister("X-FOO")
    with pytest.raises(UnknownScheme):
        bare.parse("x-foo:a")
    with pytest.raises(UnknownScheme, match="no scheme is registered as 'x-foo'"):
        bare.unregister("x-foo")


def test_an_installed_scheme_gives_way_only_where_that_is_meant(plugin, registration, monkeypatch):
    monkeypatch.syspath_prepend(plugin("x-site-a", code=None))
    registry = Registry()
    installed, own = registry["x-site-a"], Scheme(registration("x-site-a"))
    with pytest.raises(PluginConflict, match=r"^x-site-a 1\.0 provides the scheme x-site-a already"):
        registry.register(own)
    registry.register(own, replace=True)
    assert registry["x-site-a"] is own
    assert states(registry, "x-site-a") == {"x-site-a 1.0": "shadowed"}
    assert registry.why("x-site-a").provider == "this program"
    registry.unregister("x-site-a")
    assert registry["x-site-a"] is installed
    registry.unregister("x-site-a")
    with pytest.raises(
        UnknownScheme, match=r"x-site-a is installed but disabled: x-site-a 1\.0 \(unregister\('x-site-a'\)"
    ):
        registry.parse("x-site-a:a")
    assert "x-site-a" not in registry
    assert "x-site-a" not in [*registry]
    registry.register(own)
    assert registry["x-site-a"] is own


def test_an_override_holds_within_its_block(bare, registration):
    bottom, middle, top = (Scheme(registration("x-foo")) for _ in range(3))
    bare.register(bottom)
    with bare.override(middle) as given:
        assert given is middle
        assert bare["x-foo"] is middle
        with contextlib.suppress(RuntimeError), bare.override(top):
            assert type(bare.parse("x-foo:a")) is top.url_type
            assert bare.why("x-foo").rule == "override(scheme) put it there for a while"
            raise RuntimeError
        assert type(bare.parse("x-foo:a")) is middle.url_type
    assert type(bare.parse("x-foo:a")) is bottom.url_type
    with bare.override(registration("x-bar")):
        assert [*bare] == ["x-bar", "x-foo"]
    assert [*bare] == ["x-foo"]


def test_overrides_of_several_threads_need_not_be_nested(bare, registration):
    one, two = Scheme(registration("x-foo")), Scheme(registration("x-foo"))
    first, second = bare.override(one), bare.override(two)
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert bare["x-foo"] is two
    second.__exit__(None, None, None)
    assert "x-foo" not in bare


def test_what_a_program_switches_off_comes_back_where_it_registers_the_name(bare, registration):
    with bare.override(registration("x-foo")):
        with pytest.raises(UnknownScheme, match=r"^the scheme x-foo is neither registered nor installed: override"):
            bare.unregister("x-foo")
        assert "x-foo" in bare
    bare.register(registration("x-foo"))
    assert "x-foo" in bare


def test_an_installed_scheme_comes_back_when_its_name_was_registered_again(plugin, registration, monkeypatch):
    monkeypatch.syspath_prepend(plugin("x-back-l", code=None))
    registry = Registry()
    registry.unregister("x-back-l")
    registry.register(registration("x-back-l"))
    registry.unregister("x-back-l")
    assert registry.why("x-back-l").provider == "x-back-l 1.0"


def test_looking_changes_nothing(plugin, install, monkeypatch):
    broken = "from urlschemes.registry.hooks import hookimpl\nraise SystemExit(3)\n"
    monkeypatch.syspath_prepend(install("hooks-m", "[urlschemes]\nobserve = hooks_m\n", {"hooks_m.py": broken}))
    code = "from urlschemes import Registration, Scheme\nfrom urlschemes.storage.package_data import read_beside\n"
    record = "text, _ = read_beside(__name__, 'registration.toml')\n"
    code += record + "scheme = Scheme(Registration.from_text(text.removeprefix('wrong = 1\\n')))\n"
    monkeypatch.syspath_prepend(plugin("x-own-m", code, lambda text: "wrong = 1\n" + text, site="other"))
    registry = Registry()
    for load in (False, True):
        looked = {found.claim.distribution: found.claim.state for found in registry.diagnose(load=load)}
        assert (looked["x-own-m"], looked["hooks-m"]) == ("broken", "broken" if load else "active")
        assert "hooks_m" not in sys.modules
        assert registry.is_valid("x-own-m:a")
        assert states(registry, "x-own-m") == {"x-own-m 1.0": "active"}
    del sys.modules["x_own_m"]


def test_only_what_counts_is_loaded(plugin, monkeypatch):
    monkeypatch.syspath_prepend(plugin("x-off-n", code="raise SystemExit(3)"))
    registry = Registry(disable=["x-off-n"])
    (claim,) = (claim for claim in registry.claims() if claim.name == "x-off-n")
    for given in (claim, claim._replace(state="active", reason="")):
        with pytest.raises(PluginError, match=r"^what x-off-n 1\.0 claims as x-off-n is "):
            registry.load(given)
    assert "x_off_n" not in sys.modules


def test_readers_see_the_old_or_the_new_and_never_half(bare, registration):  # C30
    schemes = [Scheme(registration("x-foo")) for _ in range(2)]
    types = {scheme.url_type for scheme in schemes}
    bare.register(schemes[0])
    seen, wrong, done = set(), [], threading.Event()

    def read():
        while not done.is_set():
            try:
                seen.add(type(bare.parse("x-foo:a")))
            except Exception as error:  # noqa: BLE001  whatever it is, it is wrong
                wrong.append(error)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for turn in range(300):
        bare.register(schemes[turn % 2], replace=True)
        with bare.override(schemes[1]):
            pass
    done.set()
    for reader in readers:
        reader.join()
    assert not wrong
    assert seen <= types
    assert bare["x-foo"] is schemes[1]


def test_two_registries_share_nothing(bare, registration):  # C38
    bare.register(registration("x-foo"))
    assert "x-foo" not in Registry()


# Claims and rules


def test_making_a_registry_looks_for_nothing(monkeypatch):
    def discover(**_):
        raise AssertionError("looked")

    monkeypatch.setattr("urlschemes.registry.plugins.installed_claims", discover)
    registry = Registry(plugins=["anything"], pins={"x-foo": "foo"})
    with pytest.raises(AssertionError, match="looked"):
        "x-foo" in registry  # noqa: B015


def test_records_are_read_and_nothing_is_imported(plugin, monkeypatch):
    monkeypatch.syspath_prepend(plugin("x-exit-b", code="raise SystemExit(3)"))
    registry = Registry()
    assert registry.registration("x-exit-b").title == "A scheme of the tests"
    assert "x-exit-b" in {record.scheme for record in registry.registrations()}
    assert "x-exit-b" in registry
    (found,) = [found for found in registry.diagnose() if found.claim.name == "x-exit-b"]
    assert (found.claim.state, found.seconds) == ("active", None)
    assert found.file.endswith("__init__.py")
    assert len(found.sha256) == 64
    assert "x_exit_b" not in sys.modules


def test_two_claims_of_one_name_are_a_conflict_until_one_is_chosen(plugin, monkeypatch):  # C11
    one = plugin("x-two-c", code=None, distribution="first-c")
    two = plugin("x-two-c", code=None, distribution="Second_C", site="other")
    for order in ((one, two), (two, one)):
        monkeypatch.setattr(sys, "path", [*map(str, order), *sys.path])
        registry = Registry()
        assert "x-two-c" not in registry
        with pytest.raises(PluginConflict) as caught:
            registry.parse("x-two-c:a")
        assert sorted(caught.value.claimants) == ["Second_C 1.0", "first-c 1.0"]
        assert str(caught.value).startswith("several distributions claim the scheme x-two-c, so none is used: ")
        assert "choose one: Registry(pins={'x-two-c': 'Second_C'})" in str(caught.value)
        assert states(registry, "x-two-c") == {"first-c 1.0": "conflict", "Second_C 1.0": "conflict"}
        why = registry.why("x-two-c")
        assert why.provider is None
        assert "several distributions claim the scheme x-two-c" in str(why)
        assert (sorted(why.pins), why.switch, why.advice) == (["Second_C", "first-c"], None, caught.value.hint)
    pinned = Registry(pins={"X-Two-C": "second.c"})
    assert str(pinned.parse("x-two-c:a")) == "x-two-c:a"
    assert states(pinned, "x-two-c") == {"first-c 1.0": "shadowed", "Second_C 1.0": "active"}
    why = pinned.why("x-two-c")
    assert (why.rule, why.pins, why.switch) == ("the name is pinned to it", ("first-c",), "x-two-c")
    assert why.advice == (
        "pin another: Registry(pins={'x-two-c': 'first-c'}), override(scheme), "
        "or switch it off: URLSCHEMES_DISABLE=x-two-c"
    )
    nobody = Registry(pins={"x-two-c": "third"})
    with pytest.raises(PluginError, match=r"^the pin of x-two-c names third, which does not claim it; claimed by: "):
        nobody.parse("x-two-c:a")
    restricted = Registry(plugins=["first-c"])
    assert states(restricted, "x-two-c") == {"first-c 1.0": "active", "Second_C 1.0": "disabled"}


def test_a_reserved_name_is_refused_to_others(install, plugin, known, monkeypatch):  # C09
    known["x-mine-d"] = KnownName("x-mine-d", "what is mine", "RFC 0 section 1", "", "urlschemes-x-mine-d")
    monkeypatch.syspath_prepend(install("evil-d", "x-mine-d = evil_d:scheme"))
    registry = Registry()
    with pytest.raises(UnknownScheme) as caught:
        registry.parse("x-mine-d:a")
    assert str(caught.value) == (
        "nobody provides the scheme x-mine-d: evil-d 1.0 is reserved: the name is reserved to urlschemes-x-mine-d; "
        "pip install urlschemes-x-mine-d"
    )
    assert registry.why("x-mine-d").advice == "pip install urlschemes-x-mine-d"
    with pytest.raises(
        PluginError, match=r"^the pin of x-mine-d names evil-d, and the name is reserved to urlschemes-x"
    ):
        Registry(pins={"x-mine-d": "evil-d"}).why("x-mine-d")
    monkeypatch.syspath_prepend(plugin("x-mine-d", distribution="Urlschemes_X_Mine-D", site="own"))
    registry = Registry()
    assert states(registry, "x-mine-d") == {"evil-d 1.0": "reserved", "Urlschemes_X_Mine-D 1.0": "active"}
    assert registry.why("x-mine-d").rule == "the name is reserved to it"


def test_why_reads_the_record_and_breaks_nothing(plugin, monkeypatch):
    monkeypatch.syspath_prepend(plugin("x-titled", record=lambda text: text.replace("title = ", "titel = ")))
    registry = Registry()
    found = registry.why("x-titled")
    assert found.provider is None
    assert [claim.state for claim in found.claims] == ["broken"]
    assert "has no title" in found.rule
    assert [claim.state for claim in registry.claims() if claim.name == "x-titled"] == ["active"]


def test_a_program_may_put_a_reserved_scheme_in_place_itself(known, bare, registration):  # C09
    known["x-mine-d"] = KnownName("x-mine-d", distribution="urlschemes-x-mine-d")
    bare.register(registration("x-mine-d"))
    assert bare.is_valid("x-mine-d:a")
    (found,) = bare.diagnose()
    assert (found.claim.distribution, found.claim.reason) == ("(this program)", "register(scheme) was called")


def test_the_ledger_holds_the_names_of_the_rfc():
    names = known_names()
    assert len(names) == 18
    assert {name for name, known in names.items() if not known.distribution} == OPEN
    for name, known in names.items():
        assert known.name == name
        assert known.distribution in {"", f"urlschemes-{name}"}
        assert known.means
        assert known.since
        assert known.status in {"permanent", "provisional", "historical"}
        assert known.reference.startswith("RFC ")


@pytest.mark.parametrize("name", sorted(OPEN))
def test_a_name_that_the_rfc_reserves_is_open_to_whoever_defines_it(name, install, bare, monkeypatch):
    with pytest.raises(UnknownScheme) as caught:
        bare[name]
    known = known_names()[name]
    assert str(caught.value) == (
        f"the name {name} is reserved by RFC 1738 section 4 for {known.means}, and nobody provides it here; "
        f"since then: {known.since}; `parse_generic` reads it; a plugin can define it"
    )
    assert bare.why(name).rule == caught.value.message
    assert bare.parse_generic(f"{name}:x").scheme == name
    monkeypatch.undo()
    monkeypatch.syspath_prepend(install("anybody-e", f"{name} = anybody_e:scheme"))
    assert states(Registry(), name)["anybody-e 1.0"] == "active"


def test_what_is_known_of_a_name_that_nobody_provides(bare, known):
    known["x-known"] = KnownName("x-known", "things", "RFC 0", "", "urlschemes-x-known")
    known["x-bare"] = KnownName("x-bare", "things", "RFC 0", "nobody wanted them")
    said = {}
    for name in ("x-known", "X-Bare", "x-other", "x-\x1b[31m"):
        with pytest.raises(UnknownScheme) as caught:
            bare[name]
        said[name] = str(caught.value)
    assert said == {
        "x-known": "the scheme x-known (things, RFC 0) is not installed; pip install urlschemes-x-known",
        "X-Bare": (
            "the name x-bare is reserved by RFC 0 for things, and nobody provides it here; "
            "since then: nobody wanted them; `parse_generic` reads it; a plugin can define it"
        ),
        "x-other": "no scheme is registered as 'x-other'",
        "x-\x1b[31m": "no scheme is registered as 'x-\\x1b[31m'",
    }
    for error in (pickle.loads(pickle.dumps(caught.value)), caught.value):
        assert (error.code, error.scheme, isinstance(error, LookupError)) == ("unknown-scheme", "x-\x1b[31m", True)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("x-ablum", "did you mean x-album?"),
        ("X-Albm", "did you mean x-album?"),
        ("mailservre", "did you mean mailserver?"),
        ("prospreo", "did you mean prospero?"),
        ("x-albums", None),  # a scheme of its own, as are those within TLS
        ("sx-album", "urlschemes-iana knows the names that IANA has registered"),
        ("nothing-like-it", "urlschemes-iana knows the names that IANA has registered"),
        ("x-albu" + "m" * 15, None),
    ],
)
def test_a_name_that_may_be_a_slip_for_another(bare, registration, name, hint):
    bare.register(registration("x-album"))
    with pytest.raises(UnknownScheme) as caught:
        bare.parse(f"{name}:a")
    carried = pickle.loads(pickle.dumps(caught.value))
    assert (caught.value.hint, carried.hint) == (hint, hint)
    assert str(carried) == str(caught.value)
    assert bare.why(name).advice == (
        hint or "a distribution that provides it can be installed, or made: `urlschemes new`"
    )


def test_why_prints_what_a_person_needs(plugin, monkeypatch):
    site = plugin("x-why-f", code=None)
    monkeypatch.syspath_prepend(site)
    assert str(Registry(["x-why-f"]).why("X-Why-F")) == (
        "x-why-f: x-why-f 1.0\n"
        "  because no other distribution claims the name\n"
        f"  claim: x-why-f: x-why-f 1.0 [active] x_why_f in {site}\n"
        "  to choose otherwise: override(scheme), or switch it off: URLSCHEMES_DISABLE=x-why-f"
    )


def test_plugins_can_be_switched_off(install, monkeypatch):  # C33, C35
    install("one-g", "x-one-g = one_g")
    monkeypatch.syspath_prepend(install("two-g", "x-two-g = two_g"))

    def provided(*arguments, **named):
        return [name for name in Registry(*arguments, **named) if name.endswith("-g")]

    assert provided() == ["x-one-g", "x-two-g"]
    assert provided(()) == []
    assert provided(["ONE_G"]) == ["x-one-g"]
    for value, left in (
        ("none", []),
        ("two.g", ["x-two-g"]),
        ("one-g, two-g", ["x-one-g", "x-two-g"]),
        ("", ["x-one-g", "x-two-g"]),
    ):
        monkeypatch.setenv("URLSCHEMES_PLUGINS", value)
        assert provided() == left
        assert provided(["one-g"]) == [name for name in left if name == "x-one-g"]
    monkeypatch.setenv("URLSCHEMES_PLUGINS", "two-g")
    with pytest.raises(UnknownScheme) as caught:
        Registry().parse("x-one-g:a")
    assert (
        str(caught.value)
        == "the scheme x-one-g is installed but disabled: one-g 1.0 (URLSCHEMES_PLUGINS leaves one-g out)"
    )


def test_schemes_and_distributions_are_switched_off_by_name(install, monkeypatch):  # C33, C35
    install("one-k", "x-one-k = one_k\nx-also-k = one_k")
    monkeypatch.syspath_prepend(install("two-k", "x-two-k = two_k"))
    configured = Configuration.of({"registry": {"disable": ["x-two-k"]}}, source="k.toml")

    def provided(**named):
        return [name for name in Registry(**named) if name.endswith("-k")]

    assert provided(disable=["X-One-K"]) == ["x-also-k", "x-two-k"]
    assert provided(disable=["One_K"]) == ["x-two-k"]
    assert provided(configuration=configured) == ["x-also-k", "x-one-k"]
    assert provided(configuration=configured, disable=["x-one-k"]) == ["x-also-k"]
    monkeypatch.setenv("URLSCHEMES_DISABLE", "x-also-k")
    assert provided(configuration=configured, disable=["x-one-k"]) == []
    why = Registry(configuration=configured).why("x-two-k")
    assert why.claims[0][7:] == ("disabled", "registry.disable of k.toml names x-two-k")
    with pytest.raises(
        PluginError, match=r"^Registry\(disable=\.\.\.\) names x-no-k, which is neither an installed plugin "
    ):
        provided(disable=["x-no-k"])
    with pytest.raises(TypeError, match="not one string"):
        Registry(disable="x-one-k")


def test_a_list_that_names_nobody_is_an_error(install, monkeypatch):  # C33
    monkeypatch.syspath_prepend(install("one-h", "x-one-h = one_h"))
    for registry in (Registry(plugins=["one-h", "no-h"]), Registry()):
        with pytest.raises(PluginError, match=r"names no-h, which is not installed as a plugin; installed: .*one-h"):
            list(registry)
        monkeypatch.setenv("URLSCHEMES_PLUGINS", "no-h,one-h")
    for names in ("one-h", "none"):
        with pytest.raises(TypeError, match="not one string"):
            Registry(plugins=names)


def test_what_is_required_must_be_there(install, monkeypatch):  # C34
    monkeypatch.syspath_prepend(install("one-i", "x-one-i = one_i"))
    assert "x-one-i" in Registry(require=["One.I"])
    with pytest.raises(PluginError, match=r"^the required plugin two-i is not installed; installed: .*one-i"):
        Registry(require=["one-i", "two-i"])
    with pytest.raises(
        PluginError, match=r"^the required plugin one-i is disabled: Registry\(plugins=\.\.\.\) leaves one-i out"
    ):
        Registry(plugins=(), require=["one-i"])


def test_what_lies_in_the_current_directory_is_ignored_and_said(install, monkeypatch):  # C13
    site = install("here-j", "x-here-j = here_j")
    monkeypatch.syspath_prepend(site)
    monkeypatch.chdir(site)
    with pytest.raises(UnknownScheme) as caught:
        Registry()["x-here-j"]
    assert str(caught.value) == (
        "nobody provides the scheme x-here-j: here-j 1.0 is ignored: found in the current directory"
    )
    assert "x-here-j" in Registry(current_directory=True)


# Redirects, and what was found in a listing


def test_a_redirect_reaches_what_the_record_names_and_nothing_else(bare, registration):
    bare.register(registration("x-foo", 'redirects = ["x-foo", "x-bar"]\n'))
    bare.register(registration("x-bar"))
    bare.register(registration("x-baz"))
    base = bare.parse("x-foo:a")
    assert str(bare._operations().follow(base, "X-BAR:b", "access")) == "X-BAR:b"
    assert str(bare._operations().follow(base, "x-bar:~b#c", "access")) == "x-bar:%7Eb"
    for location in ("x-baz:b", "X-Baz:b", "nobody:b"):
        with pytest.raises(RedirectRefused, match=r"^a redirect from x-foo leads to "):
            bare._operations().follow(base, location, "access")
    for location in ("x-bar:a b", "x-bar:a\r\nb", "x-bar:a\\b", "x-foo:a\tb"):
        with pytest.raises(InvalidCharacter):
            bare._operations().follow(base, location, "access")
    with pytest.raises(RedirectRefused):
        bare._operations().follow(bare.parse("x-bar:a"), "x-bar:b", "access")


def test_what_was_found_never_loads_a_plugin(plugin, registration, monkeypatch):  # C36
    monkeypatch.syspath_prepend(plugin("x-exit-k", code="raise SystemExit(3)"))
    registry = Registry()
    found = registry._operations().parse_found("x-exit-k:a")
    assert type(found) is URL
    assert "x_exit_k" not in sys.modules
    registry.register(registration("x-own-k"))
    assert type(registry._operations().parse_found("X-own-k:a")) is registry["x-own-k"].url_type
    with pytest.raises(UnknownScheme):
        registry._operations().parse_found("x-none-k:a")


# The other rooms


def test_the_rooms_use_the_schemes_of_their_registry(bare, registration):
    bare.register(registration("x-foo"))
    assert str(bare.fix("<URL:x-foo:~a>").url) == "x-foo:%7Ea"
    assert bare.check("x-foo:a") == ()
    assert [finding.code for finding in bare.check("x-foo:a b")] == ["invalid-character"]
    assert "word" in bare.explain("x-foo:a")
    assert [finding.code for finding in bare.check("x-bar:a")] == ["unknown-scheme"]
    for use in (bare.fix, bare.explain):
        with pytest.raises(UnknownScheme):
            use("x-bar:a")
    with pytest.raises(URLTooLong):
        bare.fix("x-foo:aaaa", limit=8)
    assert [finding.code for finding in bare.check("x-foo:aaaa", limit=8)] == ["url-too-long"]
    assert "more than the bound of 8" in bare.explain("x-foo:aaaa", limit=8)
