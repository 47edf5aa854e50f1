"""An editable, a zipped and a nested plugin, whose packages end the process when imported, are found and described."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workspace import metadata, write

if TYPE_CHECKING:
    from collections.abc import Callable

MADE = ("x-editable", "x-nested", "x-zipped")
ENDS = "raise SystemExit('{name} was imported')\n"
RECORD = """
api = 1
scheme = "{scheme}"
status = "experimental"
title = "The {scheme} scheme"
reference = "none"
contact = "nobody"
change_controller = "nobody"
operations = []
encoding_considerations = "None: letters and digits alone."
interoperability_considerations = "None."
security_considerations = "None: nothing is accessed."

[syntax]
rule = "made"
bnf = '''
made  = "{scheme}:" name
name  = 1*alphadigit
'''

[syntax.parts]
name = {{ at = "name" }}

[[examples]]
url = "{scheme}:abc"
parts = {{ name = "abc" }}
says = "a name"
"""


def distribution(scheme: str, module: str) -> dict[str, str]:
    """The files of an installed distribution that claims the scheme for an object of the module."""
    return metadata(scheme, {"urlschemes.schemes": {scheme: f"{module}:scheme"}})


def package(scheme: str, module: str) -> dict[str, str]:
    """The files of a package, its outer packages too, that must not be imported."""
    names = module.split(".")
    folders = ["/".join(names[: depth + 1]) for depth in range(len(names))]
    files = {f"{folder}/__init__.py": ENDS.format(name=folder) for folder in folders}
    return {**files, f"{folders[-1]}/registration.toml": RECORD.format(scheme=scheme)}


def test_they_are_found_and_their_records_read_without_importing_them(
    child: Callable[..., Any], tmp_path: Path
) -> None:
    sources = write(tmp_path / "sources", package("x-editable", "ends_editable"))
    site = write(tmp_path / "site", {**distribution("x-editable", "ends_editable"), "it.pth": f"{sources}\n"})
    write(
        site, {**distribution("x-nested", "ends_outer.middle.inner"), **package("x-nested", "ends_outer.middle.inner")}
    )
    archive = tmp_path / "zipped.zip"
    with zipfile.ZipFile(archive, "w") as opened:
        for name, text in {**distribution("x-zipped", "ends_zipped"), **package("x-zipped", "ends_zipped")}.items():
            opened.writestr(name, text)

    told = child(
        """
        import json, site, sys
        folder, archive, *made = sys.argv[1:]
        site.addsitedir(folder)
        sys.path.append(archive)
        import urlschemes
        from urlschemes.errors import PluginLoadError

        registry = urlschemes.Registry()
        records = {record.scheme: record.title for record in registry.registrations() if record.scheme in made}
        imported = [name for name in sys.modules if name.startswith("ends_")]
        errors = {}
        for name in records:
            try:
                registry.parse(f"{name}:abc")
            except PluginLoadError as error:
                errors[name] = str(error)
        print(json.dumps([records, imported, errors, str(registry.parse("ftp://host.dom/a"))]))
        """,
        site,
        archive,
        *MADE,
    )
    records, imported, errors, readable = told
    assert records == {scheme: f"The {scheme} scheme" for scheme in MADE}
    assert imported == []
    # To use one is to import it: that ends with an error of this one scheme, not with the process.
    assert set(errors) == set(records)
    assert all(scheme in error for scheme, error in errors.items())
    assert readable == "ftp://host.dom/a"
