"""Demonstrations: what their accesses may reach. `urlschemes demo` and the review test the rest."""

from __future__ import annotations

from ipaddress import ip_network

from urlschemes_testing.demonstration import Demonstration


def test_the_access_may_reach_nothing_but_this_machine_and_the_folders_of_the_demonstration() -> None:
    policy = Demonstration("x-a:b", "A test.", roots=("/demo",)).settings["policy"]
    assert not policy.public
    assert all(ip_network(network).is_loopback for network in policy.networks)
    assert (policy.roots, policy.writable) == (("/demo",), ())
