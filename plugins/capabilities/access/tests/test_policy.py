"""Policies: addresses, ports, hosts, schemes and folders that are allowed or denied, and limits."""

from __future__ import annotations

import copy
import json
import math
import pickle
import re
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any, cast

import pytest

from urlschemes.errors import UnsafeURL
from urlschemes.redaction import one_line
from urlschemes_access.errors import PolicyDenied
from urlschemes_access.policy import Limits, Policy
from urlschemes_access.protocol.networks import METADATA
from urlschemes_access.protocol.ports import LINE_SERVICES, OTHER_PROTOCOLS

PUBLIC = ["8.8.8.8", "93.184.216.34", "1.1.1.1", "2001:4860:4860::8888", "2a00:1450:4001:80b::200e", "::ffff:8.8.8.8"]

NOT_PUBLIC = {
    "127.0.0.1": "loopback",
    "127.255.255.254": "loopback",
    "0.0.0.0": "this host",
    "0.1.2.3": "this network",
    "10.0.0.1": "private",
    "172.16.0.1": "private",
    "172.31.255.255": "private",
    "192.168.1.1": "private",
    "169.254.169.254": "link-local, where clouds keep their secrets",
    "100.64.0.1": "carrier-grade NAT",
    "192.0.0.8": "IETF protocol assignments",
    "192.0.2.1": "documentation",
    "192.88.99.1": "6to4 relays",
    "198.18.0.1": "benchmarking",
    "198.51.100.1": "documentation",
    "203.0.113.1": "documentation",
    "224.0.0.1": "multicast",
    "239.255.255.250": "multicast",
    "240.0.0.1": "reserved",
    "255.255.255.255": "broadcast",
    "::": "unspecified",
    "::1": "loopback",
    "fe80::1": "link-local",
    "fe80::1%eth0": "link-local with a zone",
    "fec0::1": "site-local",
    "fc00::1": "unique local",
    "fd12:3456::1": "unique local",
    "ff02::1": "multicast",
    "ff0e::1": "multicast",
    "2001:db8::1": "documentation",
    "3fff::1": "documentation",
    "5f00::1": "segment routing",
    "100::1": "discard",
    "2001:20::1": "ORCHIDv2",
    "::ffff:127.0.0.1": "IPv4-mapped loopback",
    "::ffff:10.0.0.1": "IPv4-mapped private",
    "::127.0.0.1": "IPv4-compatible loopback",
    "2002:7f00:1::": "6to4 around loopback",
    "2002:a9fe:a9fe::1": "6to4 around link-local",
    "2001:0:a00:1:8000:63bf:807f:fffe": "Teredo whose server is private",
    "2001:0:808:808:8000:63bf:80ff:fffe": "Teredo whose client is loopback",
    "64:ff9b::7f00:1": "NAT64 around loopback",
    "64:ff9b::a00:1": "NAT64 around private",
    "64:ff9b:1::808:808": "NAT64 of a local network",
    "::ffff:0:7f00:1": "IPv4-translated loopback",
    "2a00:1450::5efe:7f00:1": "ISATAP around loopback",
    "2a00:1450::200:5efe:a9fe:a9fe": "ISATAP around link-local",
    "fe80::5efe:808:808": "link-local ISATAP around a public address",
    "4000::1": "unassigned",
    "a000::1": "unassigned",
    "100:0:0:1::1": "dummy prefix",
    "192.0.0.9": "the nearest Port Control Protocol server",
    "2001:1::1": "the nearest Port Control Protocol server",
    "192.31.196.1": "AS112",
    "192.175.48.1": "AS112",
    "2620:4f:8000::1": "AS112",
    "2001:4:112::1": "AS112",
    "192.52.193.1": "AMT",
    "2001:3::1": "AMT",
    **dict.fromkeys(METADATA, "metadata service"),
}


@pytest.mark.parametrize("address", PUBLIC)
def test_the_public_internet_is_allowed_by_default(address: str) -> None:
    Policy.untrusted().check_address(address)


@pytest.mark.parametrize("address", NOT_PUBLIC, ids=[f"{a}-{why}" for a, why in NOT_PUBLIC.items()])
def test_all_other_addresses_are_denied_by_default(address: str) -> None:
    with pytest.raises(PolicyDenied, match="not on the public Internet") as refusal:
        Policy.untrusted().check_address(address, host="name.example")
    assert refusal.value.rule == "networks"
    assert "policy rule 'networks'" in str(refusal.value)


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "10.9.8.7", "192.168.0.1", "172.20.0.1", "fd00::1"])
def test_a_typed_url_may_also_reach_this_machine_and_private_networks(address: str) -> None:
    Policy.interactive().check_address(address)


@pytest.mark.parametrize(
    "address", ["fe80::1", "224.0.0.1", "0.0.0.0", "255.255.255.255", "100.64.0.1", "::ffff:169.254.169.254", *METADATA]
)
def test_even_a_typed_url_may_not_reach_link_local_and_special_addresses(address: str) -> None:
    with pytest.raises(PolicyDenied):
        Policy.interactive().check_address(address)


@pytest.mark.parametrize("address", METADATA)
def test_a_metadata_service_is_allowed_by_its_own_address_alone(address: str) -> None:
    everything = Policy(networks=("0.0.0.0/0", "::/0"))
    with pytest.raises(PolicyDenied, match=f"the {METADATA[address]} metadata address {address} is not on") as refusal:
        everything.check_address(address)
    assert (refusal.value.rule, refusal.value.address) == ("networks", address)
    replace(everything, networks=(address,)).check_address(address)


def test_an_address_that_contains_another_counts_as_that_one() -> None:
    policy = replace(Policy.untrusted(), networks=("127.0.0.0/8",))
    policy.check_address("::ffff:127.0.0.1")
    with pytest.raises(PolicyDenied):
        policy.check_address("::ffff:10.0.0.1")


def test_a_redirect_may_not_lead_to_an_allowed_network() -> None:
    policy = Policy.interactive()
    with pytest.raises(PolicyDenied, match="a redirect led there") as refusal:
        policy.check_address("127.0.0.1", redirected=True)
    assert refusal.value.rule == "redirect"
    policy.check_address("8.8.8.8", redirected=True)


def test_networks_and_the_public_internet_can_be_denied() -> None:
    denying = replace(Policy.interactive(), denied_networks=("10.0.0.0/8", "8.8.8.0/24", "64:ff9b::/96"))
    for address in ("10.1.1.1", "8.8.8.8", "::ffff:8.8.8.8", "64:ff9b::8.8.4.4"):
        with pytest.raises(PolicyDenied) as refusal:
            denying.check_address(address)
        assert refusal.value.rule == "denied_networks"
    denying.check_address("127.0.0.1")
    closed = replace(Policy.interactive(), public=False)
    closed.check_address("127.0.0.1")
    with pytest.raises(PolicyDenied) as refusal:
        closed.check_address("8.8.8.8")
    assert refusal.value.rule == "public"


@pytest.mark.parametrize("network", ["::ffff:127.0.0.1", "::ffff:127.0.0.0/104", "::ffff:0:0/96"])
def test_a_network_of_ipv4_mapped_addresses_is_that_of_the_ipv4_addresses(network: str) -> None:
    Policy(networks=(network,)).check_address("127.0.0.1")
    with pytest.raises(PolicyDenied) as refusal:
        Policy(networks=("127.0.0.0/8",), denied_networks=(network,)).check_address("127.0.0.1")
    assert refusal.value.rule == "denied_networks"


@pytest.mark.parametrize("port", [1024, 1081, 3000, 8000, 8080, 8443, 29021, 65535])
def test_ports_from_1024_are_allowed(port: int) -> None:
    Policy.untrusted().check_port(port)


@pytest.mark.parametrize("port", [1, 7, 19, 22, 25, 53, 80, 110, 445, 587, 1023, *sorted(OTHER_PROTOCOLS)])
def test_ports_of_other_protocols_are_denied(port: int) -> None:
    with pytest.raises(PolicyDenied, match="another protocol") as refusal:
        Policy.untrusted().check_port(port)
    assert refusal.value.rule == "ports"
    assert f"ports={{{port}}}" in str(refusal.value)
    Policy.untrusted().check_port(port, frozenset({port}))
    replace(Policy.untrusted(), ports=frozenset({port})).check_port(port)


@pytest.mark.parametrize(("port", "service"), LINE_SERVICES.items())
def test_ports_of_services_that_obey_lines_are_denied_to_a_scheme_that_sends_lines(port: int, service: str) -> None:
    with pytest.raises(PolicyDenied, match=f"port {port} belongs to {service}") as refusal:
        Policy.interactive().check_port(port)
    assert refusal.value.rule == "ports"
    assert f"ports={{{port}}}" in str(refusal.value)
    Policy().check_port(port, lines=False)
    Policy().check_port(port, frozenset({port}))
    Policy(ports=frozenset({port})).check_port(port)


def test_an_exact_list_of_ports_allows_no_other() -> None:
    policy = Policy(only_ports={443, 6379, 6667}, ports={8000})  # type: ignore[arg-type]
    for port in (443, 6379, 6667):
        policy.check_port(port)
    for port in (80, 8000, 40000):
        with pytest.raises(PolicyDenied) as refusal:
            policy.check_port(port, frozenset({80}), lines=False)
        assert refusal.value.rule == "only_ports"
        assert str(refusal.value) == (
            f"port {port} is not among the allowed ports; policy rule 'only_ports': add {port} to only_ports"
        )


@pytest.mark.parametrize("port", [0, -1, 65536, 99999, 10**50])
def test_an_invalid_port_is_unsafe_under_every_policy(port: int) -> None:
    with pytest.raises(UnsafeURL) as refusal:
        Policy.interactive().check_port(port, frozenset({port}))
    assert refusal.value.part == "port"


def test_hosts_can_be_allowed_and_denied() -> None:
    policy = Policy(hosts=frozenset({"one.example", ".two.example"}), denied_hosts=frozenset({"bad.two.example"}))
    for host in ("one.example", "ONE.example", "a.two.example", "a.b.two.example"):
        policy.check_host(host)
    for host in ("a.one.example", "two.example", "nottwo.example"):
        with pytest.raises(PolicyDenied) as refusal:
            policy.check_host(host)
        assert refusal.value.rule == "hosts"
    with pytest.raises(PolicyDenied) as refusal:
        policy.check_host("BAD.two.example")
    assert refusal.value.rule == "denied_hosts"


@pytest.mark.parametrize("entry", ["[2001:DB8::1]", "2001:db8:0::1"])
def test_an_ipv6_address_is_one_host_however_it_is_written(entry: str) -> None:
    Policy(hosts=frozenset({entry})).check_host("[2001:db8::0:1]")
    with pytest.raises(PolicyDenied):
        Policy(denied_hosts=frozenset({entry})).check_host("[2001:db8::0:1]")


@pytest.mark.parametrize("entry", ["127.0.0.1", "::ffff:127.0.0.1"])
@pytest.mark.parametrize("host", ["127.0.0.1", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]"])
def test_an_address_is_denied_with_those_that_contain_it(host: str, entry: str) -> None:
    with pytest.raises(PolicyDenied) as refusal:
        Policy(denied_hosts=frozenset({entry})).check_host(host)
    assert refusal.value.rule == "denied_hosts"


@pytest.mark.parametrize("entry", ["127.0.0.1", "::ffff:127.0.0.1"])
def test_an_ipv4_mapped_host_is_allowed_as_the_ipv4_address(entry: str) -> None:
    for host in ("127.0.0.1", "[::ffff:127.0.0.1]"):
        Policy(hosts={entry}).check_host(host)


@pytest.mark.parametrize(
    ("entry", "host"), [("a.dom", "A.dom."), ("a.dom.", "a.dom"), (".Dom.", "a.dom."), ("1.2.3.4", "1.2.3.4.")]
)
def test_names_are_compared_without_their_final_dot(entry: str, host: str) -> None:
    Policy(hosts={entry}).check_host(host)
    with pytest.raises(PolicyDenied, match=f"remove '{entry.lower().removesuffix('.')}' from denied_hosts"):
        Policy(denied_hosts={entry}).check_host(host)
    for unsafe in (f"{host}..", "."):
        with pytest.raises(UnsafeURL):
            Policy().check_host(unsafe)


@pytest.mark.parametrize(
    ("rule", "defined", "allowed"),
    [(None, True, True), (None, False, False), (True, False, True), (False, True, False)],
)
def test_user_information_is_allowed_where_the_scheme_defines_it(
    rule: bool | None, defined: bool, allowed: bool
) -> None:
    policy = Policy(user_information=rule)
    if allowed:
        policy.check_user_information(defined=defined)
        return
    with pytest.raises(PolicyDenied, match="user name") as refusal:
        policy.check_user_information(defined=defined)
    assert refusal.value.rule == "user_information"


def test_schemes_can_be_allowed_and_denied() -> None:
    Policy.untrusted().check_scheme("x-talk")
    with pytest.raises(PolicyDenied, match="add 'x-talk' to schemes") as refusal:
        Policy(schemes=frozenset({"x-other"})).check_scheme("x-talk")
    assert refusal.value.rule == "schemes"
    with pytest.raises(PolicyDenied) as refusal:
        Policy(denied_schemes=frozenset({"x-talk"})).check_scheme("x-talk")
    assert refusal.value.rule == "denied_schemes"


def test_no_files_are_allowed_by_default() -> None:
    assert Policy.untrusted().roots == Policy.interactive().roots == ()


def test_a_policy_is_immutable_and_hashable() -> None:
    policy = Policy.interactive()
    with pytest.raises(FrozenInstanceError):
        policy.public = False  # type: ignore[misc]
    assert replace(policy) == policy == copy.deepcopy(policy) == pickle.loads(pickle.dumps(policy))
    assert hash(policy) == hash(Policy.interactive())
    assert Policy() == Policy.untrusted() != policy


LIMITS = Limits(**{each.name: 7 for each in fields(Limits)})  # type: ignore[arg-type]  # a number fits every limit
NOT_DEFAULT = Policy(
    schemes=frozenset({"x-talk", "x-foo"}),
    denied_schemes=frozenset({"x-bar"}),
    hosts=frozenset({"a.dom", ".b.dom"}),
    denied_hosts=frozenset({"c.b.dom"}),
    public=False,
    networks=("127.0.0.0/8", "::1/128"),
    denied_networks=("127.0.0.2",),
    ports=frozenset({7, 70}),
    only_ports=frozenset({80, 443}),
    user_information=False,
    roots=("/srv",),
    writable=("/srv/in",),
    limits=LIMITS,
)


NO_HOSTS = (
    "*.localhost", "*", "http://localhost", "localhost:80", "localhost/", " localhost", "", ".", "..dom", "127.0.0.0/8",
    "\u212a.com", ".0.0.1", ".[::1]", "[::1", "::1]", "[[::1]]",
)  # fmt: skip


HOST_BITS = [
    ("127.0.0.1/8", "127.0.0.0/8", "127.0.0.1"),
    ("127.0.0.0/0", "0.0.0.0/0", "127.0.0.0"),
    ("2001:db8::1/32", "2001:db8::/32", "2001:db8::1"),
]


def quoted(entry: str) -> str:
    return re.escape(f"'{one_line(entry)}'")


@pytest.mark.parametrize("name", [each.name for each in fields(Policy)])
def test_every_rule_of_a_policy_can_be_written_as_json(name: str) -> None:
    policy = replace(Policy(), **{name: getattr(NOT_DEFAULT, name)})
    assert policy != Policy()
    assert Policy.from_dict(json.loads(json.dumps(policy.to_dict()))) == policy
    assert Policy.from_dict({name: policy.to_dict()[name]}) == policy


@pytest.mark.parametrize("name", [each.name for each in fields(Limits)])
def test_every_limit_can_be_written_as_json(name: str) -> None:
    limits = replace(Limits(), **{name: 7})
    assert limits != Limits()
    assert Limits.from_dict(json.loads(json.dumps(limits.to_dict()))) == limits


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"denied_host": ["a.dom"]}, "'denied_host' is not a field of Policy: expected one of schemes, denied_schemes"),
        ({"limits": {"deadlin": 1}}, "'deadlin' is not a field of Limits: expected one of deadline"),
        ({"user_information": 0}, "Policy.user_information must be true or false, not 0"),
        ({"public": "false"}, "Policy.public must be true or false, not 'false'"),
        ({"hosts": "a.dom"}, "Policy.hosts must be a collection of str, not 'a.dom'"),
        ({"denied_hosts": None}, "Policy.denied_hosts must be a collection of str, not None"),
        ({"hosts": {b"a.dom"}}, "Policy.hosts must be a collection of str"),
        ({"only_ports": {80, "443"}}, "Policy.only_ports must be a collection of "),
        ({"ports": [0]}, "Policy.ports: 0 is not a number from 1 to 65535"),
        *(
            ({rule: [entry]}, rf"Policy.{rule}: {quoted(entry)} can never be a host: expected a domain name")
            for rule in ("hosts", "denied_hosts")
            for entry in NO_HOSTS
        ),
        *(
            ({rule: [entry]}, rf"Policy.{rule}: {quoted(entry)} is not the name of a scheme: expected")
            for rule in ("schemes", "denied_schemes")
            for entry in ("http:", "http://", "", "a b", "\u212a")
        ),
        ({"only_ports": [True]}, "Policy.only_ports: True is not a number"),
        ({"networks": ["127.0.0.256"]}, "Policy.networks: '127.0.0.256' is neither an address nor a network"),
        *(
            ({rule: [entry]}, f"Policy.{rule}: '{entry}' is not a network: write '{meant}', or '{address}' for the")
            for rule in ("networks", "denied_networks")
            for entry, meant, address in HOST_BITS
        ),
        *(
            ({rule: ["http://joe:secret@evil.com/"]}, rf"Policy.{rule}: 'http://joe:\*\*\*@evil.com/' ")
            for rule in ("hosts", "denied_hosts", "schemes", "denied_schemes", "networks", "denied_networks")
        ),
        ({"limits": {"idle": 0}}, "Limits.idle: 0 is not positive and finite"),
        ({"limits": {"idle": "20"}}, "Limits.idle must be a number, not '20'"),
        ({"limits": {"idle": True}}, "Limits.idle must be a number, not True"),
        ({"limits": {"hops": 1.5}}, "Limits.hops must be a whole number, not 1.5"),
        ({"limits": None}, "expected a dict of the fields of Limits, not None"),
        ([], r"expected a dict of the fields of Policy, not \[\]"),
    ],
)
def test_a_mistake_in_plain_data_makes_no_policy(values: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        Policy.from_dict(values)


def test_the_values_of_an_iterator_count() -> None:
    assert Policy(denied_hosts=(host for host in ("A.dom",))).denied_hosts == {"a.dom"}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda policy: policy.check_scheme(None), "scheme must be a str, not NoneType"),
        (lambda policy: policy.check_host(None), "host must be a str, not NoneType"),
        (lambda policy: policy.check_port("80"), "port must be an int, not str"),
        (lambda policy: policy.check_address(5), "address must be a str, not int"),
        (lambda policy: replace(policy, limits=5), "Policy.limits must be a Limits, not int"),
    ],
)
def test_an_argument_of_another_type_is_named(check: Callable[[Policy], object], message: str) -> None:
    with pytest.raises(TypeError, match=f"^{message}$"):
        check(Policy())


def test_the_repr_of_a_policy_has_the_fields_that_differ_and_can_be_evaluated() -> None:
    assert (repr(Policy()), repr(Limits())) == ("Policy()", "Limits()")
    changed = Policy(hosts={"b.dom", "a.dom"}, ports={8000}, roots=("/srv",), limits=Limits(hops=1))  # type: ignore[arg-type]
    assert repr(changed) == "Policy(hosts={'a.dom', 'b.dom'}, ports={8000}, roots=('/srv',), limits=Limits(hops=1))"
    for policy in (Policy(), changed, Policy.interactive(), Policy(schemes=frozenset(), public=False)):
        assert eval(repr(policy), {"Policy": Policy, "Limits": Limits, "frozenset": frozenset}) == policy
    assert repr(replace(changed, ports=frozenset(), limits=Limits())) == (
        "Policy(hosts={'a.dom', 'b.dom'}, roots=('/srv',))"
    )


@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf])
@pytest.mark.parametrize("name", [limit.name for limit in fields(Limits)])
def test_limits_are_positive_and_finite(name: str, value: float) -> None:
    with pytest.raises(
        (TypeError, ValueError), match=rf"Limits\.{name}(:| must be) .*(not positive and finite|a whole number)"
    ):
        Limits(**{name: value})  # type: ignore[arg-type]


def test_a_refusal_is_one_line_with_its_hint() -> None:
    with pytest.raises(PolicyDenied) as refusal:
        Policy.untrusted().check_address("127.0.0.1", host="a." * 120 + "example")
    text = str(refusal.value)
    assert len(text) <= 300
    assert text.endswith("""policy rule 'networks': to allow it: networks=("127.0.0.1",)""")


@pytest.mark.parametrize("name", ["roots", "writable"])
def test_a_folder_with_a_nul_is_a_value_error(name: str) -> None:
    with pytest.raises(ValueError, match=f"Policy.{name}: a folder contains a NUL"):
        Policy(**cast("Any", {name: ("/srv", "/a\0b")}))


def test_names_are_compared_in_lower_case() -> None:
    policy = Policy(denied_hosts=["Evil.dom"], denied_schemes={"X-Foo"}, roots=["/srv"])  # type: ignore[arg-type]
    for check, name in ((policy.check_host, "evil.DOM"), (policy.check_scheme, "x-foo")):
        with pytest.raises(PolicyDenied):
            check(name)
    assert hash(policy) == hash(Policy(denied_hosts={"evil.dom"}, denied_schemes={"x-foo"}, roots=("/srv",)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("networks", "hint"), [((), None), (("10.0.0.0/8",), "policy rule 'redirect': access that URL directly")]
)
def test_a_redirect_that_is_refused_has_a_hint_only_if_it_helps(networks: tuple[str, ...], hint: str | None) -> None:
    with pytest.raises(PolicyDenied, match="a redirect led there") as denied:
        Policy(networks=networks).check_address("10.0.0.1", redirected=True)
    assert denied.value.hint == hint
