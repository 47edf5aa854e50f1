"""The commands `doctor` and `why`: what plugins provide, and which of them provides a scheme."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import click

from urlschemes.errors import URLError
from urlschemes.grammar.profile import Profile
from urlschemes.registry.claims import RECORDS, SCHEMES, Claim, Diagnosis, subject, switch
from urlschemes.registry.names import how_to_install
from urlschemes.registry.plugins import SLOW_IMPORT
from urlschemes.registry.readers import CHOICE
from urlschemes.storage.package_data import locate, read_file
from urlschemes_cli.commands.show import NO_OPERATIONS
from urlschemes_cli.error_reports import report, report_missing_profile
from urlschemes_cli.exit_codes import UNKNOWN
from urlschemes_cli.options import json_option, scheme_argument
from urlschemes_cli.output.console import Console
from urlschemes_cli.output.hints import conflict_hint, with_options
from urlschemes_cli.output.json_output import write_json
from urlschemes_cli.output.text import safe_line, write_note
from urlschemes_cli.settings import Settings, known_profiles, known_records

_NATIVE = "URLSCHEMES_NATIVE"
"""The variable that switches urlschemes-native off."""
_SAME = ("provider", "state", "reason", "module", "file", "changes")
"""What claims have in common, besides group and name, that are shown as one."""
_OF_PROFILE = frozenset({"active", "broken", "conflict"})
"""The states that a claim for a scheme has in the profiles of which it has a record."""
_STATE_STYLES = {"active": "green", "disabled": "dim", "ignored": "dim", "shadowed": "dim"}


@click.command()
@click.option("--load", is_flag=True, help="Import the plugins, and show how long it takes.")
@click.option(
    "--verify",
    is_flag=True,
    help="Import each plugin in a process of its own, and show what it changes there, such as signal handlers.",
)
@json_option
@click.pass_obj
def doctor(settings: Settings, *, load: bool, verify: bool, as_json: bool) -> int:
    """Examine everything that installed plugins provide, and say what reads URLs.

    The exit code is 5 if something is wrong.
    """
    missing = settings.without_missing_profile()
    found = [*_examined(settings, load=load, verify=verify)]
    (write_json if as_json else _show)(found)
    if found and not (as_json or load or verify):
        write_note("plugins were not imported: --load or --verify imports them")
    known, profiles = known_records(settings.installed), known_profiles(settings.installed)
    in_packages = (each for each in found if each["group"] == SCHEMES and each["module"] and not each["profiles"])
    for provider, records in {(each["provider"], each["records"]) for each in in_packages}:
        if unknown := [each for each in map(os.path.basename, records) if each not in known]:
            write_note(f"{provider}: {', '.join(unknown)} is not a record of a known profile")
    working = {(each["records"][0], name) for each in found if not each["in_trouble"] for name in each["profiles"]}
    for file, name in sorted(each for each in working if each[1] not in profiles):
        write_note(f"{file}: {name} is not a known profile: expected one of {', '.join(sorted(profiles))}")
    for folder in {each["origin"] for each in found if each["group"] == RECORDS and not each["distribution"]}:
        others = (each.name for each in Path(folder).iterdir() if each.name[0] not in "._" and each.suffix != ".toml")
        if names := ", ".join(sorted(others)):
            write_note(f"{folder}: not read, since a record is a file NAME.toml: {names}")
    write_note(f"URLs are read by {CHOICE.provider or f'their patterns: {CHOICE.reason}'}")
    value = os.environ.get(_NATIVE, "none")
    if value not in {"", "none"}:
        write_note(f"{_NATIVE} is {safe_line(value)!r}, which means nothing: `none` switches the native reader off")
    if missing is not None:
        report(missing)
    return UNKNOWN if missing is not None or any(each["in_trouble"] for each in found) else 0


@click.command()
@scheme_argument
@json_option
@click.pass_obj
def why(settings: Settings, name: str, *, as_json: bool) -> int:
    """Show which distribution or folder of records provides the scheme NAME, by which rule, and how to choose another.

    The exit code is 5 if none does.
    """
    code = report_missing_profile(settings)
    registry = settings.registry_for(name)
    found, record = registry.why(name), None
    with suppress(URLError):  # `doctor` reports a record that cannot be read
        record = registry.registration(name)
    pin = f"--pin {found.name}={found.pins[0]} chooses another, " if found.pins else ""
    advice = f"{pin}--disable {found.switch} switches it off"
    if found.switch is None:
        advice = conflict_hint(found.name, found.pins) if found.pins else with_options(found.advice)
    facts: dict[str, Any] = {
        "name": found.name,
        "provider": found.provider,
        "rule": found.rule,
        "reference": record and record.reference,
        "record": record and record.source,
        "profile": record and record.profile.name,
        "operations": record and record.operations,
        "gateway": settings.client_for(name).describe_gateway(found.name),
        "advice": advice,
        "claims": [_claim_json(claim) for claim in found.claims],
    }
    (write_json if as_json else _show_why)(facts)
    return code or (UNKNOWN if found.provider is None else 0)


def _show_why(facts: dict[str, Any]) -> None:
    console = Console()
    provider = (safe_line(facts["provider"]), "bold green") if facts["provider"] else ("no provider", "bold red")
    console.print_line((safe_line(facts["name"]), "bold"), "  ", provider)
    none = {"operations": NO_OPERATIONS} if facts["operations"] == () else {}
    console.print_fields(facts | none, without=("name", "provider"))
    if facts["claims"]:
        console.print_heading("Claims")
    for claim in facts["claims"]:
        _print_claim(console, claim)


def _examined(settings: Settings, *, load: bool, verify: bool) -> Iterator[dict[str, Any]]:
    """Yield the result for each claim; for that of a scheme, one for each profile of which it has a record."""
    registries = settings.registries
    listed: set[tuple[str, ...]] = set()
    for registry in registries:
        found: list[tuple[Diagnosis, str | None]] = []
        for each in registry.diagnose(load=load):
            profiles = [other.profile for other in registries if _has_record(each.claim, other.profile)]
            place = (each.claim.group, each.claim.name, each.claim.origin, *each.claim.place)
            if registry.profile in profiles and each.claim.state in _OF_PROFILE:
                found.append((each, registry.profile.name))
            elif place not in listed and (each.claim.state != "unused" or not profiles):
                found.append((each, None))
                listed.add(place)
        verified = _verify([each.claim for each, _ in found], registry.profile) if verify else {}
        for each, profile in found:
            yield _result(*each, registry.profile.record, verified.get(each.claim)) | {"profile": profile}


def _has_record(claim: Claim, profile: Profile) -> bool:
    """Return True if a claim has a record of a profile; that of a ledger that cannot be read is one of all profiles."""
    if claim.profiles or claim.in_ledger:
        return not claim.profiles or profile.name in claim.profiles
    return profile.record in map(os.path.basename, claim.records)


def _verify(claims: list[Claim], profile: Profile) -> dict[Claim, Any]:
    try:
        from urlschemes_conformance.import_probe import probe_imports  # late: an optional distribution
    except ModuleNotFoundError:
        raise click.UsageError(f"--verify is not installed: {how_to_install('urlschemes-conformance')}") from None
    return probe_imports((claim for claim in claims if claim.module), profile.name)


def _result(claim: Claim, seconds: float | None, record: str, verified: Any) -> dict[str, Any]:
    """Return the result of examining a claim, which took `seconds` to import if it was, as JSON."""
    file, sha256 = _file(claim, record)
    changes = None if verified is None else verified.changes
    if verified is not None and verified.fault:
        claim = claim._replace(state="broken", reason=verified.fault.removeprefix(subject(claim)))
    seconds = seconds if verified is None else verified.seconds
    return _claim_json(claim, changes) | {"file": file, "sha256": sha256, "seconds": seconds, "changes": changes}


def _file(claim: Claim, record: str) -> tuple[str, str]:
    """Return the claim's file, which is read and not executed, and its hash."""
    from hashlib import sha256  # it loads OpenSSL, which no other command needs

    try:
        if claim.attribute or claim.group != SCHEMES:
            spec = locate(claim.module)
            file = spec.origin or ""
            octets = spec.loader.get_data(file)  # type: ignore[union-attr]  # without a loader, there is no file
        elif claim.in_ledger or claim.profiles:
            file = claim.records[0]
            octets = Path(file).read_bytes()
        else:
            text, file = read_file(claim.module, record)
            octets = text.encode()
    except Exception:  # noqa: BLE001  there may be no such file, or another package's finder failed
        return "", ""
    return file, sha256(octets).hexdigest()


def _show(examined: list[dict[str, Any]]) -> None:
    """Print what is wrong first, then what can be used, then what is switched off, each by distribution or kind."""
    console = Console()
    examined = sorted(examined, key=lambda each: (each["group"] != SCHEMES, each["group"], each["name"]))
    alike = ([*each] for _, each in groupby(examined, itemgetter("group", "name", *_SAME)))
    merged = [each[0] | {"profile": ", ".join(one["profile"] for one in each if one["profile"])} for each in alike]
    by_provider = itemgetter("provider")
    in_trouble = sorted((each for each in merged if each["in_trouble"]), key=by_provider)
    disabled = sorted((each for each in merged if each["state"] == "disabled"), key=by_provider)
    usable = [each for each in merged if each not in in_trouble and each not in disabled and each["group"] != RECORDS]
    if in_trouble:
        console.print_line(("Problems", "bold underline"))
    for each in in_trouble:
        state = "changes the process" if each["state"] == "active" else each["state"]
        _print_claim(console, each | {"name": f"{each['kind']} {each['name']}".strip(), "state": state})
        if each["advice"]:
            console.print_line((f"    {safe_line(each['advice'])}", "dim"), wrap=True)
    for kind, claims in groupby((each for each in usable if each["module"]), itemgetter("kind")):
        console.print_heading(f"{kind.capitalize()}s")
        for each in claims:
            _print_claim(console, each)
    in_ledgers = sorted((each for each in usable if not each["module"]), key=by_provider)
    if in_ledgers:
        console.print_heading("Ledgers")
    for provider, claims in groupby(in_ledgers, by_provider):
        listed = [*claims]
        console.print_line((safe_line(provider), "bold"), f"  {_counted(listed)}")
        console.print_line((f"    {safe_line(str(Path(listed[0]['records'][0]).parent))}", "dim"))
    if disabled:
        console.print_heading("Switched off")
    for (provider, reason), claims in groupby(disabled, itemgetter("provider", "reason")):
        console.print_line(f"{safe_line(provider)}: {safe_line(reason)}")
        names = ", ".join(f"{each['kind']} {each['name']}" for each in claims)
        console.print_paragraph(safe_line(names), "dim", indent=4)
    summary = _counted(merged) or "nothing is installed"
    if changing := sum(bool(each["changes"]) for each in merged):
        summary += f"; {changing} {'changes' if changing == 1 else 'change'} the process when imported"
    console.print()
    console.print_line((summary, "bold"))


def _claim_json(claim: Claim, changes: tuple[str, ...] | None = None) -> dict[str, Any]:
    """Return a claim as JSON, with what to do about it if it is in trouble, or if importing it makes `changes`."""
    in_trouble, pin = claim.in_trouble or bool(changes), f"--pin {claim.name}={claim.distribution} chooses it"
    advice = pin if claim.state == "conflict" else f"--disable {switch(claim)} switches it off"
    facts = {"provider": claim.provider, "kind": claim.kind, "in_trouble": in_trouble}
    return claim._asdict() | facts | {"advice": advice if in_trouble and claim.state != "malformed" else None}


def _print_claim(console: Console, claim: dict[str, Any]) -> None:
    """Print the JSON of a claim, and the files to copy: the one that would be imported, or the records."""
    seconds, facts = claim.get("seconds"), (claim["provider"], claim.get("profile"))
    console.print_line(
        (f"{safe_line(claim['name']) or '(no name)':<10} ", "bold"),
        (f"{claim['state']:<8}", _STATE_STYLES.get(claim["state"], "bold red")),
        *(f"  {safe_line(fact)}" for fact in facts if fact),
        ("" if seconds is None else f"  {seconds * 1000:.0f} ms", "bold" if (seconds or 0) > SLOW_IMPORT else "dim"),
    )
    for line in filter(None, (claim["reason"], *(claim.get("changes") or ()))):
        console.print_line(f"{'':<11}{safe_line(line)}", wrap=True)
    for file in [claim["file"]] if claim.get("file") else claim["records"] or [claim["origin"]]:
        console.print_line((f"    {safe_line(file)}", "dim"))


def _counted(claims: list[dict[str, Any]]) -> str:
    return ", ".join(f"{count} {state}" for state, count in Counter(each["state"] for each in claims).items())
