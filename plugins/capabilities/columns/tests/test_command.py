"""The command `urlschemes columns`."""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

pytest.importorskip("pyarrow", reason="needs pyarrow: python3 dev --group columns pytest")
pytest.importorskip("urlschemes_columns", reason="needs urlschemes-columns: python3 dev --group columns pytest")

import pyarrow as pa
import pyarrow.parquet as pq

from urlschemes import Registry
from urlschemes.registry.names import core_ledger, how_to_install
from urlschemes_cli.app import command
from urlschemes_columns import Parser
from urlschemes_columns.files import BATCH, PIECE

TEXTS = ["http://h/a", None, "ftp://h/", "http://a b/", "ftp://h:x/", "x-no:a", "http://h:81/"]
TABLE = pa.table({"n": range(len(TEXTS)), "url": TEXTS})


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "in.parquet"
    pq.write_table(TABLE, path)
    return path


def run(*arguments: object, octets: bytes | None = None) -> Result:
    return CliRunner().invoke(command, ["columns", *map(str, arguments)], octets, prog_name="urlschemes")


def test_the_parts_are_a_new_column_and_the_summary_is_printed(source: Path) -> None:
    target = source.with_name("out.parquet")
    done = run(source, "-o", target)
    assert (done.exit_code, done.stderr) == (1, "")
    lines = [line.split() for line in done.stdout.splitlines() if not line.startswith("─")]
    assert lines == [
        *(["rows", "7"], ["URLs", "3"], ["invalid", "3"], ["null", "1"]),
        *([], ["scheme", "URLs", "invalid"], ["http", "2", "1"], ["ftp", "1", "1"]),
        *([], ["code", "rows"], ["invalid-character", "1"], ["invalid-port", "1"], ["unknown-scheme", "1"]),
        *([], ["code", "row", "text", "position"], ["invalid-character", "4", "http://a", "b/", "8"]),
        *(["invalid-port", "5", "ftp://h:x/", "8"], ["unknown-scheme", "6", "x-no:a"]),
        *([], ["unknown", "scheme", "rows"], ["x-no", "1"]),
    ]
    assert run(target).stdout == done.stdout
    written = pq.read_table(target)
    assert written.select(["n", "url"]) == TABLE
    assert written["parsed"].combine_chunks() == Parser().parse(TABLE["url"].combine_chunks())
    assert sorted(path.name for path in source.parent.iterdir()) == ["in.parquet", "out.parquet"]


def test_the_summary_as_json(source: Path) -> None:
    done = run(source, "-o", source, "--json", "--parts", "path, path.raw", "--into", "parts")
    assert done.exit_code == 1
    assert json.loads(done.stdout) == {
        "source": str(source),
        "output": str(source),
        "rows": 7,
        "nulls": 1,
        "replaced": 0,
        "skipped": 0,
        "profile": "rfc3986",
        "valid": 3,
        "schemes": {"ftp": {"valid": 1, "invalid": 1}, "http": {"valid": 2, "invalid": 1}},
        "codes": {"invalid-character": 1, "invalid-port": 1, "unknown-scheme": 1},
        "samples": {
            "invalid-character": [{"row": 4, "text": "http://a b/", "position": 8}],
            "invalid-port": [{"row": 5, "text": "ftp://h:x/", "position": 8}],
            "unknown-scheme": [{"row": 6, "text": "x-no:a", "position": None}],
        },
        "unknown": {"x-no": {"rows": 1, "registered": False}},
    }
    names = [field.name for field in pq.read_schema(source).field("parts").type]
    assert names == ["scheme", "path", "path.raw", "code", "position"]


LINES = b'http://h/a\n\r\nftp://joe:secret@h/%zz\r\nhttp://h/\xff\nhttp://h/\x01"\n'
FIELDS = b'n,url,note\n1,http://h/a,"x\ny"\n2,,\n3,ftp://joe:secret@h/%zz,\n4,http://h/\xff,\n5,"http://h/\x01""",\n'
FILES = {
    "in.txt": LINES,
    "in.txt.gz": gzip.compress(LINES.rstrip()),
    "in.csv": FIELDS,
    "in.csv.gz": gzip.compress(FIELDS),
    "in.tsv": FIELDS.replace(b",", b"\t"),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("has_output", [False, True])
def test_text_is_read_in_lines_and_in_fields(name: str, tmp_path: Path, *, has_output: bool) -> None:
    source, target = tmp_path / name, tmp_path / "out.parquet"
    source.write_bytes(FILES[name])
    done = run(source, "--json", *(["-o", target] if has_output else []))
    assert done.exit_code == 1, done.output
    found = json.loads(done.stdout)
    assert (found["rows"], found["nulls"], found["valid"]) == (5, 1, 1)
    assert sorted((row["row"], row["text"]) for code in found["samples"].values() for row in code) == [
        (3, "ftp://joe:***@h/%zz"),
        (4, "http://h/\\xff"),
        (5, 'http://h/\x01"'),
    ]
    assert target.exists() == has_output
    if has_output:
        codes = ["missing-url", "bad-escape", "invalid-character", "invalid-character"]
        assert pq.read_table(target)["parsed"].combine_chunks().field("code").to_pylist() == [None, *codes]


@pytest.mark.parametrize(
    ("name", "octets", "columns"),
    [
        ("in.csv", b"url,zip,n\nhttp://h/,01234,1e5\nhttp://i/,,x\n", {"zip": ["01234", None], "n": ["1e5", "x"]}),
        ("in.csv", b"url,n\n" + b"http://h/,\n" * 100_000 + b"http://i/,x\n", {"n": [*[None] * 100_000, "x"]}),
        ("in.csv", b"url,n\nhttp://h/,caf\xe9\n", {"url": ["http://h/"], "n": ["caf\ufffd"]}),
        ("in.csv", b"url\nhttp://h/\n\nhttp://i/\n", {"url": ["http://h/", None, "http://i/"]}),
        ("in.csv", b"url,n\n\nhttp://h/,1\n", {"url": ["http://h/"]}),
        ("in.txt", b"http://h/\n\xe9\n", {"url": ["http://h/", "\ufffd"]}),
        ("in.txt", b"\xef\xbb\xbfhttp://h/\r\nhttp://i/", {"url": ["http://h/", "http://i/"]}),
        ("in.txt", b"http://h/\r\rhttp://i/\r", {"url": ["http://h/", None, "http://i/"]}),
    ],
)
def test_text_is_copied_as_text_of_utf_8(name: str, octets: bytes, columns: object, tmp_path: Path) -> None:
    source, target = tmp_path / name, tmp_path / "out.parquet"
    source.write_bytes(octets)
    done = run(source, "-o", target)
    assert done.exit_code == int(b"\n\xe9" in octets), done.output
    assert ("not UTF-8  1" in done.stdout) == (b"\xe9" in octets)
    assert ("not UTF-8  1" in run(source).stdout) == (b"\n\xe9" in octets)
    written = pq.read_table(target)
    written.validate(full=True)
    assert written.select([*columns]).to_pydict() == columns


@pytest.mark.parametrize(
    ("options", "octets", "rows", "skipped"),
    [
        (["--skip-ragged"], b"url,n\nhttp://h/,1\nhttp://h/\nhttp://a b/,2\nhttp://h/,3,4\n", 2, 2),
        (["--skip-ragged"], b"url,n\n" + b"http://h/,1\n" * 400_000 + b"http://h/\nhttp://a b/,1\n", 400_001, 1),
        (["--delimiter", ";"], b"n;url\n1,5;http://h/\n2;http://a b/\n", 2, 0),
        (["--delimiter", ";", "--skip-ragged"], b"n;url\n1;http://h/\nhttp://h/\n2;http://a b/\n", 2, 1),
    ],
)
@pytest.mark.parametrize("has_output", [False, True])
def test_rows_of_csv_are_divided_and_left_out_by_options(
    options: list[str],
    octets: bytes,
    rows: int,
    skipped: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    has_output: bool,
) -> None:
    monkeypatch.setattr("urlschemes_columns.files.LONGEST_ROW", PIECE)
    source = tmp_path / "in.csv"
    source.write_bytes(octets)
    found = json.loads(run(source, "--json", *options, *(["-o", tmp_path / "o.pq"] if has_output else [])).stdout)
    assert (found["rows"], found["skipped"], found["valid"]) == (rows, skipped, rows - 1)
    assert [sample["row"] for sample in found["samples"]["invalid-character"]] == [rows]


def test_the_rows_of_all_schemes_together_are_all_rows(tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_text(f"http://h/\nhttp:\nh.dom/a\nx-no:a\n\nhttp://h/{'a' * 70_000}\n", "utf-8")
    found = json.loads(run(source, "--json").stdout)
    assert found["schemes"] == {"http": {"valid": 1, "invalid": 1}, "(none)": {"valid": 0, "invalid": 2}}
    counted = sum(sum(each.values()) for each in found["schemes"].values())
    assert counted + found["unknown"]["x-no"]["rows"] + found["nulls"] == found["rows"] == 6


@pytest.mark.parametrize("end", [b"\n", b""])
def test_a_long_field_is_read(end: bytes, tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_bytes(b"url,page\nhttp://h/," + b"a" * 3_000_000 + b"\nhttp://h/,b" + end)
    assert json.loads(run(source, "--json").stdout)["valid"] == 2


def test_people_see_blanks_and_not_all_of_a_long_name(tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_text(f"http://h/ \nhttp://h/\u00a0b\n{'x' * 5000}:a\n", "utf-8")
    found = run(source).stdout
    assert "  http://h/\\u0020  " in found
    assert "  http://h/\\u00a0b  " in found
    assert max(map(len, found.splitlines())) < 200


def test_texts_without_offsets_have_samples(tmp_path: Path) -> None:
    source = tmp_path / "in.parquet"
    pq.write_table(pa.table({"url": pa.array(["http://h/", "http://a b/"], pa.string_view())}), source)
    done = run(source, "--json")
    assert json.loads(done.stdout)["samples"]["invalid-character"][0]["row"] == 2


def test_the_format_and_the_column_of_lines_are_options(tmp_path: Path) -> None:
    source, target = tmp_path / "in.log", tmp_path / "out.parquet"
    source.write_bytes(LINES)
    assert run(source, "--format", "lines", "--column", "link", "-o", target).exit_code == 1
    assert pq.read_schema(target).names == ["link", "parsed"]


def test_samples_differ_and_names_that_are_registered_are_told_from_others(tmp_path: Path) -> None:
    registry = Registry()
    known = next(name for name in registry.known_names() if name not in registry)
    source = tmp_path / "in.txt"
    source.write_text("".join(f"{text}\n" for text in ["x-no:1"] * 3 + ["x-no:2", f"{known}:a", "x-no:4"]), "utf-8")
    found = json.loads(run(source, "--json", "--profile", "rfc1738").stdout)
    assert [sample["row"] for sample in found["samples"]["unknown-scheme"]] == [1, 4, 5]
    assert found["unknown"] == {"x-no": {"rows": 5, "registered": False}, known: {"rows": 1, "registered": True}}
    assert "registered" in run(source, "--profile", "rfc1738").stdout


@pytest.mark.parametrize(
    ("name", "options"), [("in.txt", []), ("in.csv", ["--format", "csv"]), ("in.parquet", ["--format", "parquet"])]
)
def test_standard_input_is_read_as_a_file_is(name: str, options: list[str], source: Path) -> None:
    source = source.with_name(name)
    if name in FILES:
        source.write_bytes(FILES[name])
    piped, read = run("-", *options, "--json", octets=source.read_bytes()), run(source, "--json")
    assert piped.exit_code == 1
    assert {**json.loads(piped.stdout), "source": str(source)} == json.loads(read.stdout)


def test_a_note_says_how_to_install_a_scheme(tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_text("x-no:1\nhttps://h/\n", "utf-8")
    done = CliRunner().invoke(command, ["--disable", "https", "columns", str(source)], prog_name="urlschemes")
    assert done.stderr == f"urlschemes: to read the URLs of https, {how_to_install('urlschemes-https')}\n"
    assert run(source).stderr == ""


def test_without_the_schemes_of_iana_a_note_says_how_to_install_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Registry, "ledgers", lambda _: (core_ledger(),))
    source = tmp_path / "in.txt"
    source.write_text("x-no:1\n", "utf-8")
    note = f"urlschemes: to read the schemes that IANA has registered, {how_to_install('urlschemes-iana')}\n"
    assert run(source).stderr == note


def test_no_lines_are_no_rows(tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.touch()
    assert json.loads(run(source, "--json").stdout)["rows"] == 0


def test_the_profile_of_the_command_is_that_of_the_column(source: Path) -> None:
    pq.write_table(pa.table({"url": ["http://[::1]/~a#b"]}), source)
    target = source.with_name("out.parquet")
    done = run(source, "-o", target, "--parts", "host,fragment")
    assert done.exit_code == 0, done.output
    row = pq.read_table(target)["parsed"].to_pylist()[0]
    assert (row["host"], row["fragment"]) == ("[::1]", "b")
    assert run(source, "-o", target, "--parts", "host", "--profile", "rfc1738").exit_code == 1


def test_the_exit_code_is_0_if_every_row_is_a_url(tmp_path: Path) -> None:
    source = tmp_path / "in.parquet"
    pq.write_table(pa.table({"link": ["http://h/", None]}), source)
    done = run(source, "-o", tmp_path / "out.parquet", "--column", "link")
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--column", "uri"], "there is no column 'uri': expected one of n, url"),
        (["--into", "n"], "there is already a column 'n': choose another name for the new one\n"),
        (["--parts", "hots"], "unknown part 'hots' in the profile rfc3986: expected one of "),
        (["--column", "n"], "expected an Arrow array of strings, got one of int64"),
        (["-o", "out.csv"], "Invalid value for '-o' / '--output': it is written as Parquet: name it OUT.parquet"),
        (["-o", "."], "urlschemes: Invalid value for '-o' / '--output': File '.' is a directory."),
        *(
            (["--delimiter", each], "'--delimiter': expected one character")
            for each in ("", "parquet", "\\t", "é", '"')
        ),
        (
            ["--delimiter", ";", "--format", "parquet"],
            "--delimiter is for CSV: it cannot be combined with --format parq",
        ),
        (["--delimiter", ";", "--format", "tsv"], "--delimiter is for CSV: it cannot be combined with --format tsv"),
        (["--skip-ragged"], "in.parquet is read as parquet: add --format csv or tsv"),
        (["--skip-ragged", "--format", "lines"], "in.parquet is read as lines: add --format csv or tsv"),
    ],
)
def test_what_cannot_be_read_or_written_is_a_usage_error(options: list[str], message: str, source: Path) -> None:
    target = source.with_name("out.parquet")
    done = run(source, "-o", target, *options)
    assert done.exit_code == 2
    assert message in done.stderr
    assert not target.exists()


def test_a_file_that_cannot_be_created_is_named_as_it_was_typed(source: Path) -> None:
    target = source.with_name("none") / "out.parquet"
    done = run(source, "-o", target)
    assert (done.exit_code, done.stderr) == (3, f"urlschemes: {target}: No such file or directory\n")


def test_a_file_that_is_not_parquet_is_a_usage_error(tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.write_text("url\nhttp://h/\n", "utf-8")
    done = run(source, "-o", tmp_path / "out.parquet", "--json")
    assert done.exit_code == 2
    assert json.loads(done.stdout)["error"]["code"] == "usage"
    assert "not a parquet file. Text is read with --format csv, tsv or lines." in done.stderr


@pytest.mark.parametrize(
    ("name", "octets", "message"),
    [
        ("in.csv", "url\nhttp://h/\n".encode("utf-16"), "it is not UTF-8: iconv -f UTF-16 -t UTF-8"),
        ("in.txt", "http://h/\n".encode("utf-16"), "it is not UTF-8: iconv -f UTF-16 -t UTF-8"),
        (
            "in.csv",
            b"url,n\nhttp://h/,1\nhttp://h/\n",
            "row 2: expected 2 fields, got 1; --skip-ragged leaves such rows out\n",
        ),
        (
            "in.tsv",
            b"url\nhttp://joe:secret@h/\t,\n",
            "row 1: expected 1 field, got 2; a field with '\\t' needs quotation marks",
        ),
        ("in.csv", b"", "its first line is empty: expected the names of the columns"),
        ("in.csv", b"\nurl\nhttp://h/\n", "its first line is empty: expected the names of the columns"),
        ("in.csv", b"\1" * 200_000, "cannot be read: field larger than field limit"),
        (
            "in.csv",
            b'url\n"http://h/\n' + b"http://h/\n" * 300_000,
            "a row has over 1 MiB: is a quotation mark missing?",
        ),
    ],
)
def test_what_is_wrong_with_a_text_is_said(
    name: str, octets: bytes, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("urlschemes_columns.files.LONGEST_ROW", PIECE)
    source = tmp_path / name
    source.write_bytes(octets)
    done = run(source)
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"{name}: " in done.stderr
    assert message in done.stderr
    assert "secret" not in done.stderr


def test_a_spoilt_file_leaves_no_output(tmp_path: Path) -> None:
    source = tmp_path / "in.parquet"
    pq.write_table(pa.table({"url": [f"http://host{row}.dom/" for row in range(10_000)]}), source, use_dictionary=False)
    octets = source.read_bytes()
    source.write_bytes(octets[:2000] + b"\xff" * 2000 + octets[4000:])
    done = run(source, "-o", tmp_path / "out.parquet")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "in.parquet: cannot be read: " in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]


@pytest.mark.skipif(not Path("/dev/null").is_char_device(), reason="there is no /dev/null")
def test_a_device_is_written_to_and_not_replaced(source: Path) -> None:
    device = source.with_name("device")
    device.symlink_to("/dev/null")
    assert run(source, "-o", device).exit_code == 1
    assert device.is_symlink()


@pytest.mark.skipif(os.name != "posix", reason="Windows has other permissions")
def test_only_the_output_is_replaced_and_it_keeps_its_permissions(source: Path) -> None:
    target, other = source.with_name("out.parquet"), source.with_name("other")
    other.write_text("mine", "utf-8")
    for link in (target, target.with_name("out.parquet.part")):
        link.symlink_to(other)
    assert run(source, "-o", target).exit_code == 1
    assert (other.read_text("utf-8"), target.is_symlink()) == ("mine", False)
    target.chmod(0o600)
    assert run(source, "-o", target).exit_code == 1
    assert target.stat().st_mode & 0o777 == 0o600


def test_an_output_that_cannot_be_written_is_a_failure(source: Path) -> None:
    done = run(source, "-o", source.parent / "no" / "out.parquet")
    assert done.exit_code == 3
    assert "No such file or directory" in done.stderr


MEASURE = """
import sys
import pyarrow
from urlschemes_columns import Parser
from urlschemes_columns.files import parse_file

parse_file(sys.argv[1], sys.argv[2], "url", "parsed", Parser(), int)
print(pyarrow.default_memory_pool().max_memory())
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    peaks, chance = [], random.Random(1738)
    for batches in (3, 12):
        source = tmp_path / "in.parquet"
        with pq.ParquetWriter(source, pa.schema([("url", pa.string())])) as writer:
            for batch in range(batches):
                urls = [f"http://host{batch}.dom/{chance.getrandbits(256):x}" for _ in range(BATCH)]
                writer.write_batch(pa.record_batch({"url": urls}))
        command = [sys.executable, "-c", MEASURE, str(source), str(tmp_path / "out.parquet")]
        peaks.append(int(subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=100).stdout))
        assert pq.read_metadata(tmp_path / "out.parquet").num_rows == batches * BATCH
    assert peaks[1] < 1.2 * peaks[0], peaks
