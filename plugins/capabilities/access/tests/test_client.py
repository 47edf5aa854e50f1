"""Clients: values that other processes can use."""

from __future__ import annotations

import pickle

import pytest

from urlschemes.storage.config_file import ConfigFile
from urlschemes_access import Client, Limits, Policy


def test_a_client_pickles_with_its_settings_and_without_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("URLSCHEMES_GATEWAYS", "x-foo=http://gw.dom/{url}")
    monkeypatch.setenv("X_SECRET", "mellon")
    policy = Policy(networks=("127.0.0.0/8",), limits=Limits(idle=2))
    settings = {"deadline": 5, "credentials": str, "options": {"news": {"server": "news.dom"}}}
    client = Client.from_configuration(ConfigFile({}), trust_env=True, policy=policy, **settings)
    client.hooks_in_use()
    pickled = pickle.dumps(client)
    assert b"mellon" not in pickled
    monkeypatch.setenv("X_SECRET", "friend")
    twin = pickle.loads(pickled)
    assert (twin.policy, twin.deadline, twin.credentials) == (policy, 5, str)
    assert twin.configuration == client.configuration
    assert twin.configuration.environment["X_SECRET"] == "friend"
    assert twin.registry is client.registry
    assert pickle.loads(pickle.dumps(Client())).configuration.environment == {}
