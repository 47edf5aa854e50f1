"""Ledgers: folders of records, by the program and installed; who provides a name, and what breaks it."""

from __future__ import annotations

import os
import pickle
import sys
from pathlib import Path

import importlib_metadata  # noqa: F401  discovery imports it late, from a folder that is not searched here
import pytest

from urlschemes import InvalidURL, PluginError, Registration, RegistrationError, Registry, Scheme, UnknownScheme
from urlschemes.errors import PluginContractError, PluginRecordError
from urlschemes.grammar.profile import Profile
from urlschemes.registry.selection import Rules
from urlschemes.rfc1738 import RFC1738

NOTE = """\
scheme = "x-note"
[syntax]
bnf = '''noteurl = "x-note://" hostport "/" note
note = 1*uchar'''
parts = { host = "host", note = "note" }
"""
LEDGER = "[urlschemes.records]\nledger = {}\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a function that makes a folder of files, and let nothing be installed but the folder `site`."""
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site"), str(Path(os.__file__).parent)])

    def make(files: dict[str, str], name: str = "ledger") -> Path:
        made = tmp_path / name
        made.mkdir(exist_ok=True)
        for file, text in files.items():
            (made / file).write_text(text)
        return made

    return make


def record(name: str, word: str = "1*uchar", more: str = "") -> str:
    rules = f'testurl = "{name}:" word\nword = {word}'
    return f"scheme = \"{name}\"\n{more}[syntax]\nbnf = '''{rules}'''\nparts = {{ word = \"word\" }}\n"


def test_five_lines_are_a_scheme(folder):
    registry = Registry(records=folder({"x-note.toml": NOTE}))
    assert registry.keys() == ("x-note",)
    assert registry.parse("x-note://host.dom/a%20b").parts == {"host": "host.dom", "note": "a b"}
    made = registry.registration("x-note")
    assert (made.status, made.title, made.contact, made.operations) == ("experimental", "", "", ())
    assert (made.syntax.rule, made.syntax.section) == ("noteurl", "x-note.toml")
    assert not registry.would_import_third_party("x-note")


def test_a_scheme_is_made_of_rules_in_a_program():
    scheme = Scheme.of("x-memo", 'memourl = "x-memo://" hostport "/" *uchar', host="host", port={"at": "port"})
    registry = Registry(plugins=())
    registry.register(scheme)
    assert registry.parse("x-memo://host.dom:7/a").parts == {"host": "host.dom", "port": 7}
    with pytest.raises(RegistrationError, match=r"^the name 'memo' does not begin with x-"):
        Scheme.of("memo", 'memourl = "memo:" *uchar')
    named = Scheme.of("x-memo", 'memourl = "x-memo:" *uchar', profile="rfc1738")
    assert str(named.url_type.parse("x-memo:a")) == "x-memo:a"
    with pytest.raises(TypeError, match=r"^profile must be a Profile or a str, not int"):
        Scheme.of("x-memo", 'memourl = "x-memo:" *uchar', profile=5)


def test_the_rules_of_a_registry_keep_its_folders(folder):
    registry = Registry(records=[folder({"x-note.toml": NOTE})])
    for other in (pickle.loads(pickle.dumps(registry)), Registry.from_rules(Rules(records=(str(folder({})),)))):
        assert "x-note" in other


# Who provides a name


def test_a_plugin_comes_first_then_folders_in_their_order_then_installed_ledgers(folder, install):
    names = ("x-a", "x-b", "x-c", "x-d")
    first = folder({f"{name}.toml": record(name) for name in names[:2]}, "first")
    second = folder({f"{name}.toml": record(name) for name in names[:3]}, "second")
    files = {f"ledger/{name}.toml": record(name) for name in names}
    install("ledger", LEDGER.format("ledger"), files)
    install("plugin", "x-a = plugin", {"plugin/__init__.py": "", "plugin/registration.toml": record("x-a")})
    registry = Registry(records=(first, second))
    assert [registry.provider(name) for name in names] == ["plugin 1.0", str(first), str(second), "ledger 1.0"]
    assert [(each.provider, each.state, each.reason) for each in registry.why("x-a").claims] == [
        ("plugin 1.0", "active", ""),
        *((each, "shadowed", "plugin 1.0 claims the name") for each in (str(first), str(second), "ledger 1.0")),
    ]
    assert registry.why("x-b").rule == f"no plugin claims the name, so the record {first}/x-b.toml counts"
    assert "ledger" not in sys.modules
    assert registry.registration("x-d").source.endswith("ledger/x-d.toml")


@pytest.mark.parametrize(
    ("disable", "provider"),
    [((), "plugin 1.0"), (("plugin",), "ledger 1.0"), (("x-a",), None), (("ledger",), "plugin 1.0")],
)
def test_a_plugin_that_does_not_take_part_lets_the_ledger_provide_the_name(folder, install, disable, provider):
    folder({})
    install("ledger", LEDGER.format("ledger"), {"ledger/x-a.toml": record("x-a")})
    install("plugin", "x-a = plugin", {"plugin/__init__.py": "", "plugin/registration.toml": record("x-a")})
    assert Registry(disable=disable).provider("x-a") == provider


def test_a_broken_plugin_is_not_replaced_by_a_record(folder, install):
    install("plugin", "x-a = plugin", {"plugin/__init__.py": "", "plugin/registration.toml": record("x-a", "nothing")})
    with pytest.raises(PluginRecordError, match=r"plugin/registration.toml"):
        Registry(records=folder({"x-a.toml": record("x-a")})).parse("x-a:b")


def test_of_two_installed_ledgers_a_pin_chooses(folder, install):
    folder({})
    for name in ("one", "two"):
        install(name, LEDGER.format(name), {f"{name}/x-a.toml": record("x-a")})
    assert [claim.state for claim in Registry().why("x-a").claims] == ["conflict", "conflict"]
    assert Registry(pins={"x-a": "two"}).provider("x-a") == "two 1.0"


def test_a_reserved_name_is_not_taken_from_a_ledger(folder):
    text = record("ftp").replace("scheme", "api = 1\nstatus = 'permanent'\nscheme", 1)
    with pytest.raises(UnknownScheme, match=r"the name is reserved for urlschemes-ftp"):
        Registry(records=folder({"ftp.toml": text})).parse("ftp://host.dom/")


def test_a_plugin_without_a_record_has_that_of_the_ledger(folder, install):
    folder({})
    install("ledger", LEDGER.format("ledger"), {"ledger/x-a.toml": record("x-a")})
    code = "from urlschemes import Registration, Scheme\nscheme = Scheme(Registration.of('ledger', scheme='x-a'))\n"
    install("plugin", "x-a = x_plugin:scheme", {"x_plugin/__init__.py": code})
    registry = Registry()
    assert registry.provider("x-a") == "plugin 1.0"
    assert registry.parse("x-a:b").word == "b"


# Profiles, and what a record takes from another


@pytest.mark.parametrize(
    ("files", "profiles"),
    [
        ({"x-a.toml": record("x-a")}, {"rfc1738"}),
        ({"x-a.toml": record("x-a", more='profile = "later"\n')}, {"later"}),
        ({"x-a.toml": f"{record('x-a')}[later]\nsyntax.parts = {{}}\n"}, {"rfc1738", "later"}),
        (
            {"x-a.toml": 'scheme = "x-a"\nsame_as = "x-b"', "x-b.toml": record("x-b", more='profile = "later"\n')},
            {"later"},
        ),
        ({"x-a.toml": "none"}, {"rfc1738", "later"}),  # what cannot be read breaks its name in all of them
    ],
)
def test_a_record_counts_in_its_profiles(folder, files, profiles):
    later = Profile(**{**vars(RFC1738), "name": "later", "record": "registration.later.toml"})
    made = folder(files)
    found = {profile.name for profile in (RFC1738, later) if "x-a" in Registry(records=made, profile=profile)}
    assert found == profiles


def test_a_record_of_another_profile_is_not_read(folder):
    made = folder({"x-a.toml": record("x-a", more='profile = "later"\n')})
    with pytest.raises(RegistrationError, match=r"profile is 'later', and it is read as a record of rfc1738"):
        Registration.from_file(made / "x-a.toml")


def test_a_record_takes_the_rest_from_another(folder):
    first = record("x-a").replace('"x-a:" word', '"x-a:" rest\nrest = word')
    example = "[[examples]]\nurl = 'x-a:b'\nparts = { word = 'b' }\n"
    second = """scheme = "x-b"\nsame_as = "x-a"\ntitle = "B"\nsyntax.bnf = 'burl = "x-b:" rest'\n"""
    made = folder({"x-a.toml": first + example, "x-b.toml": second})
    registry = Registry(records=made)
    assert registry.parse("x-b:%41").word == "A"
    taken = registry.registration("x-b")
    assert (taken.title, taken.syntax.rule, taken.examples) == ("B", "burl", ())


@pytest.mark.parametrize("key", ["uses", r'"\u0075ses"'])
def test_a_record_uses_rules_of_files_beside_it(folder, key):
    text = record("x-a").replace("[syntax]", f'reference = "RFC 1 section 2"\n[syntax]\n{key} = ["one", "two"]', 1)
    made = folder({"x-a.toml": text.replace("word = 1*uchar", "word = 1*own host", 1)})
    folder({"one.bnf": 'own = "a" ; RFC 9 section 3\nhost = own', "two.bnf": "own = nothing"}, "ledger/_rules")
    with pytest.raises(PluginError, match=r"/two.bnf: rule 'own' in line 1 refers to 'nothing', which is not defined"):
        Registry(records=made).parse("x-a:aa")
    folder({"two.bnf": 'own = "b"'}, "ledger/_rules")
    syntax = Registry(records=made).registration("x-a").syntax
    assert [bool(syntax.fullmatch(text)) for text in ("x-a:bbb", "x-a:aa")] == [True, False]
    assert syntax.own_rules.keys() == {"own", "host", "word", "testurl"}
    assert [syntax.section_of(rule) for rule in ("own", "word")] == ["RFC 1 section 2"] * 2
    folder({"two.bnf": "other = own"}, "ledger/_rules")
    syntax = Registry(records=made).registration("x-a").syntax
    assert syntax.fullmatch("x-a:aa"), "nothing is cached but by the texts"
    assert (syntax.section_of("own"), syntax.section_of("port")) == ("RFC 9 section 3", "RFC 1738 section 3.1")


def test_a_record_that_defines_a_part_of_a_host_rule_again_has_errors_of_its_own(folder):
    grammar = 'hurl = "x-h://" host\nhostname = 1*( alpha | "_" )'
    made = folder({"x-h.toml": f'scheme = "x-h"\n[syntax]\nbnf = """{grammar}"""\nparts = {{ host = "host" }}\n'})
    registry = Registry(records=made)
    assert registry.is_valid("x-h://a_b")
    with pytest.raises(InvalidURL, match="invalid character '-' in the host at position 7"):
        registry.parse("x-h://a-b")


def test_a_profile_has_rules_of_other_documents():
    pytest.importorskip("urlschemes_rfc3986")
    record = {"scheme": "x-a", "syntax": {"uses": ["rfc1738"], "bnf": 'url = "x-a:" host'}}
    syntax = Registration.from_table(record, profile=Registry(profile="rfc3986").profile).syntax
    assert [bool(syntax.fullmatch(text)) for text in ("x-a:a.b", "x-a:~")] == [True, False]
    record["syntax"]["uses"] = ["rfc2397"]
    with pytest.raises(
        RegistrationError, match=r"rfc2397.abnf cannot be read: no such file, only \['rfc1738', 'rfc2396'\]"
    ):
        Registration.from_table(record, profile=syntax.profile)


def test_a_profile_that_is_misspelt_is_named_with_its_file(folder):
    registry = Registry(records=folder({"x-note.toml": f'profile = "rfc-1738"\n{NOTE}'}))
    with pytest.raises(UnknownScheme, match=r"x-note.toml: its profile is rfc-1738: expected one of rfc1738"):
        registry["x-note"]


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (
            "syntax.uses = ['x']\nsyntax.bnf = 'u = x'",
            "x-a.toml: syntax.uses names 'x': .*x.bnf .*: no such file, only ",
        ),
        ("syntax.uses = ['../x']\nsyntax.bnf = 'u = x'", "x-a.toml: syntax.uses must be a list of names of files"),
        ("same_as = 'x-c'", "x-a.toml: same_as names 'x-c': .*x-c.toml cannot be read: No such file or directory;"),
        ("same_as = '../x-c'", "x-a.toml: same_as must be the name of a record in its folder"),
        ("same_as = 'x-d'", "x-a.toml: same_as names 'x-d', which is the same as 'x-a': name that one"),
        ("api = 2", "x-a.toml has api = 2: expected 1"),
    ],
)
def test_a_record_that_cannot_be_used_breaks_its_own_name(folder, other, message):
    made = folder({"x-a.toml": f"scheme = 'x-a'\n{other}\n", "x-d.toml": "same_as = 'x-a'\n", "x-note.toml": NOTE})
    registry = Registry(records=made)
    assert registry.is_valid("x-note://host.dom/a")
    with pytest.raises(PluginError, match=message):
        registry.parse("x-a:b")


def test_a_file_is_named_after_its_scheme(folder):
    registry = Registry(records=folder({"x-a.toml": record("x-b"), "X-C.toml": record("x-c")}))
    with pytest.raises(
        PluginContractError,
        match=r"x-a is wrong: .*toml is the record of 'x-b': name the file x-b.toml; URLSCHEMES_DISABLE=x-a switches",
    ):
        registry.parse("x-a:b")
    assert [(each.claim.name, each.claim.state) for each in registry.diagnose(load=True)] == [
        (registry.provider("x-a"), "active"),
        ("X-C", "malformed"),
        ("x-a", "broken"),
    ]


def test_a_file_that_changes_is_read_again_by_a_new_registry(folder):
    made = folder({"x-a.toml": record("x-a")})
    assert "x-a" in Registry(records=made)
    folder({"x-a.toml": record("x-a", more='profile = "later"\n')})
    assert "x-a" not in Registry(records=made)


@pytest.mark.skipif(os.name == "nt", reason="there are no modes")
def test_what_others_can_write_is_refused(folder):
    made = folder({"x-a.toml": record("x-a"), "x-note.toml": NOTE})
    (made / "x-a.toml").chmod(0o666)
    with pytest.raises(UnknownScheme, match=r"malformed: .*x-a.toml cannot be used: other users can write it"):
        Registry(records=made).parse("x-a:b")
    made.chmod(0o777)
    with pytest.raises(
        PluginError, match=r"the ledger .* cannot be used: other users can write it; run chmod go-w on it"
    ):
        Registry(records=made).parse("x-note://host.dom/a")
    with pytest.raises(PluginError, match=r"cannot be read: No such file or directory: .*; a ledger is a folder"):
        Registry(records=made / "nothing").keys()


# Names without a record


def test_a_ledger_says_why_a_name_has_no_syntax(folder):
    made = folder({"_names.toml": '[thing]\nmeans = "things"\nno_syntax = "A thing is no URL."\n'})
    registry = Registry(records=made)
    assert registry.known_names()["thing"].no_syntax == "A thing is no URL."
    with pytest.raises(UnknownScheme, match=rf"the ledger of {made} lists it: things, A thing is no URL; "):
        registry.parse("thing:a")
    folder({"_names.toml": "[thing]\ncolour = 1\n"})
    registry = Registry(records=made)
    assert "thing" not in registry.known_names()
    ((claim, _),) = registry.diagnose()
    assert (claim.provider, claim.state) == (str(made), "broken")
    assert claim.reason.startswith(f"{made}/_names.toml cannot be read: TypeError: ")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"x-v.toml": 'scheme = "x-v"\nsame_as = "x-a"\n'}, "same_as names 'x-a': .* other users can write it"),
        (
            {"x-v.toml": record("x-v").replace("[syntax]", "[syntax]\nuses = ['own']")},
            "syntax.uses names 'own': .* other users can write",
        ),
        ({"x-v.toml": 'same_as = "x-note"\nsyntax = "foo"\n'}, "x-v.toml: syntax must be a TOML table"),
        ({"x-v.toml": f'same_as = "x-note"\n[{"a." * 700}b]\n'}, "has an unknown field a"),
        ({"x-v.toml": record("x-v").replace("testurl", ";" * 60 + "\n1", 1)}, "unexpected '1'|has no syntax.rule"),
    ],
)
def test_a_hostile_file_breaks_its_own_name_at_once(folder, more, message):
    made = folder({"x-a.toml": record("x-a"), "x-note.toml": NOTE, **more})
    folder({"own.bnf": "own = digit"}, "ledger/_rules")
    for file in ("x-a.toml", "_rules/own.bnf"):
        (made / file).chmod(0o666)
    os.mkfifo(made / "x-pipe.toml", 0o600)
    registry = Registry(records=made)
    assert registry.is_valid("x-note://host.dom/a")
    with pytest.raises(PluginError, match=message):
        registry.parse("x-v:a")
    with pytest.raises(PluginError, match="it is not a regular file"):
        registry.parse("x-pipe:a")


def test_a_file_that_is_refused_is_not_replaced_by_an_installed_record(folder, install):
    install("ledger", LEDGER.format("ledger"), {"ledger/x-a.toml": record("x-a")})
    made = folder({"x-a.toml": record("x-a")})
    (made / "x-a.toml").chmod(0o666)
    assert Registry(records=made).provider("x-a") is None


@pytest.mark.parametrize("records", [5, None, b"abc", ["a", 5]])
def test_a_folder_of_records_is_a_path(records):
    with pytest.raises(TypeError, match=r"^(records|a folder of records) must be a"):
        Registry(records=records)
