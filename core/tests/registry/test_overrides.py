"""Schemes that the program registers, overrides for a while, or takes out of a registry."""

from __future__ import annotations

import contextlib
import threading

import pytest

from urlschemes import Registry, Scheme
from urlschemes.errors import PluginConflict, UnknownScheme


def states(registry: Registry, name: str) -> dict[str, str]:
    """Return the state of each claim for the name, by its provider."""
    return {claim.provider: claim.state for claim in registry.claims() if claim.name == name}


def test_a_name_is_registered_twice_only_on_purpose(bare, registration):
    first, second = Scheme(registration("x-foo")), Scheme(registration("x-foo"))
    bare.register(first)
    with pytest.raises(PluginConflict) as caught:
        bare.register(second)
    assert str(caught.value) == (
        "this program already provides the scheme x-foo; "
        "use register(scheme, replace=True) or override(scheme) to put another in its place"
    )
    assert bare["x-foo"] is first
    bare.register(second, replace=True)
    assert type(bare.parse("x-foo:a")) is second.url_type
    bare.unregister("X-FOO")
    with pytest.raises(UnknownScheme):
        bare.parse("x-foo:a")
    with pytest.raises(UnknownScheme, match="no scheme is registered as 'x-foo'"):
        bare.unregister("x-foo")


def test_an_installed_scheme_is_replaced_only_on_purpose(plugin, registration, monkeypatch):
    monkeypatch.syspath_prepend(plugin("x-site-a", code=None))
    registry = Registry()
    installed, own = registry["x-site-a"], Scheme(registration("x-site-a"))
    with pytest.raises(PluginConflict, match=r"^x-site-a 1\.0 already provides the scheme x-site-a"):
        registry.register(own)
    registry.register(own, replace=True)
    assert registry["x-site-a"] is own
    assert states(registry, "x-site-a") == {"x-site-a 1.0": "shadowed"}
    assert registry.provider("x-site-a") == registry.why("x-site-a").provider == "this program"
    registry.unregister("x-site-a")
    assert registry["x-site-a"] is installed
    assert registry.provider("x-site-a") == "x-site-a 1.0"


@pytest.mark.parametrize("used", [False, True])
def test_unregistering_an_installed_scheme_switches_it_off_until_the_name_is_registered(
    plugin, registration, monkeypatch, used
):
    monkeypatch.syspath_prepend(plugin("x-back-l", code=None))
    registry = Registry()
    assert not used or registry["x-back-l"]
    registry.unregister("x-back-l")
    with pytest.raises(UnknownScheme) as caught:
        registry.parse("x-back-l:a")
    assert str(caught.value) == (
        "the scheme x-back-l is installed but disabled: x-back-l 1.0 (unregister('x-back-l') was called)"
    )
    assert "x-back-l" not in registry
    assert "x-back-l" not in [*registry]
    assert registry.provider("x-back-l") is None
    own = Scheme(registration("x-back-l"))
    registry.register(own)
    assert registry["x-back-l"] is own
    registry.unregister("x-back-l")
    assert registry.why("x-back-l").provider == "x-back-l 1.0"


def test_an_override_is_in_effect_within_its_block(bare, registration):
    bottom, middle, top = (Scheme(registration("x-foo")) for _ in range(3))
    bare.register(bottom)
    with bare.override(middle) as given:
        assert given is middle
        assert bare["x-foo"] is middle
        with contextlib.suppress(RuntimeError), bare.override(top):
            assert type(bare.parse("x-foo:a")) is top.url_type
            raise RuntimeError
        assert type(bare.parse("x-foo:a")) is middle.url_type
    assert type(bare.parse("x-foo:a")) is bottom.url_type
    with bare.override(registration("x-bar")):
        assert [*bare] == ["x-bar", "x-foo"]
    assert [*bare] == ["x-foo"]


def test_an_override_cannot_be_unregistered(bare, registration):
    with bare.override(registration("x-foo")):
        with pytest.raises(UnknownScheme) as caught:
            bare.unregister("x-foo")
        assert caught.value.message == (
            "the scheme x-foo cannot be unregistered: it is known from override(scheme) only"
        )
        assert caught.value.hint == "leave its `with` block"
        assert "x-foo" in bare


def test_overrides_of_several_threads_need_not_be_nested(bare, registration):
    one, two = Scheme(registration("x-foo")), Scheme(registration("x-foo"))
    first, second = bare.override(one), bare.override(two)
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert bare["x-foo"] is two
    second.__exit__(None, None, None)
    assert "x-foo" not in bare


@pytest.mark.plugin_fault(30)
def test_a_parsing_thread_sees_the_old_scheme_or_the_new_one(bare, registration):
    schemes = [Scheme(registration("x-foo")) for _ in range(2)]
    types = {scheme.url_type for scheme in schemes}
    bare.register(schemes[0])
    seen, failures, done = set(), [], threading.Event()

    def parse():
        while not done.is_set():
            try:
                seen.add(type(bare.parse("x-foo:a")))
            except Exception as error:  # noqa: BLE001  none is right
                failures.append(error)

    readers = [threading.Thread(target=parse) for _ in range(3)]
    for reader in readers:
        reader.start()
    for turn in range(300):
        bare.register(schemes[turn % 2], replace=True)
        with bare.override(schemes[1]):
            pass
    done.set()
    for reader in readers:
        reader.join()
    assert not failures
    assert seen <= types
    assert bare["x-foo"] is schemes[1]
