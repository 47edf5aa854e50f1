"""The plugins of one registry: each is used by itself, loaded once, and its error is remembered."""

from __future__ import annotations

import contextlib
import gc
import sys
import threading
import weakref

import pytest

from urlschemes import Registry, Scheme
from urlschemes.errors import (
    PluginError,
    PluginLoadError,
)

SIMPLE = "from urlschemes import Registration, Scheme\nscheme = Scheme(Registration.of(__name__))\n"


@pytest.mark.plugin_fault(3)
@pytest.mark.parametrize("kind", ["KeyboardInterrupt", "MemoryError"])
def test_an_interrupted_import_is_tried_again(plugin, monkeypatch, kind):
    code = f"import sys\nif not hasattr(sys, 'tried'):\n    sys.tried = True\n    raise {kind}\n{SIMPLE}"
    monkeypatch.syspath_prepend(plugin("x-stop", code))
    registry = Registry()
    with pytest.raises((KeyboardInterrupt, MemoryError)):
        registry.parse("x-stop:yes")
    del sys.tried  # type: ignore[attr-defined]  # the plugin sets it
    sys.tried = True  # type: ignore[attr-defined]  # as above
    assert [claim.state for claim in registry.claims() if claim.name == "x-stop"] == ["active"]
    assert registry.is_valid("x-stop:yes")
    del sys.tried  # type: ignore[attr-defined]  # as above


def test_a_broken_scheme_leaves_the_others_alone(plugin, monkeypatch):
    plugin("x-good", code=None)
    monkeypatch.syspath_prepend(plugin("x-bad", "raise SystemExit(3)"))
    registry = Registry()
    with pytest.raises(PluginError):
        registry.parse("x-bad:yes")
    assert registry.is_valid("x-good:yes")
    assert "x-bad" in registry
    assert {record.scheme for record in registry.registrations()} >= {"x-bad", "x-good"}


def test_threads_that_need_one_scheme_at_once_get_one_scheme(plugin, monkeypatch):
    monkeypatch.syspath_prepend(plugin("x-shared", f"import time\ntime.sleep(0.05)\n{SIMPLE}"))
    registry = Registry()
    found: list[Scheme] = []
    threads = [threading.Thread(target=lambda: found.append(registry["x-shared"])) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert {id(scheme) for scheme in found} == {id(registry["x-shared"])}


def test_a_remembered_error_keeps_nothing_of_its_caller_alive(plugin, monkeypatch):
    monkeypatch.syspath_prepend(plugin("x-leak", "raise RuntimeError"))
    registry = Registry()

    class Secret:
        pass

    def use() -> weakref.ref[Secret]:
        secret = Secret()
        with contextlib.suppress(PluginLoadError):
            registry["x-leak"]
        return weakref.ref(secret)

    reference = use()
    gc.collect()
    assert reference() is None


def test_only_an_active_claim_is_loaded(plugin, monkeypatch):
    monkeypatch.syspath_prepend(plugin("x-off-n", code="raise SystemExit(3)"))
    registry = Registry(disable=["x-off-n"])
    (claim,) = (claim for claim in registry.claims() if claim.name == "x-off-n")
    for given, reason in (
        (claim, "is disabled: Registry(disable=...) names x-off-n"),
        (claim._replace(state="active", reason=""), "is not one of this registry"),
    ):
        with pytest.raises(PluginError) as caught:
            registry.load(given)
        assert str(caught.value) == f"the claim of x-off-n 1.0 for x-off-n {reason}"
    assert "x_off_n" not in sys.modules


@pytest.mark.plugin_fault(34)
def test_a_required_plugin_must_take_part(install, monkeypatch):
    monkeypatch.syspath_prepend(install("one-i", "x-one-i = one_i"))
    assert "x-one-i" in Registry(require=["One.I"])
    with pytest.raises(PluginError, match=r"^the required plugin two-i is not installed; installed: .*one-i"):
        Registry(require=["one-i", "two-i"])
    with pytest.raises(PluginError) as caught:
        Registry(plugins=(), require=["one-i"])
    assert caught.value.message == ("the required plugin one-i is disabled: Registry(plugins=...) does not list one-i")
