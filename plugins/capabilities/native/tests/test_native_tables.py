"""A table is checked when it is loaded, and then read in bounds whatever it says."""

from __future__ import annotations

import struct

import pytest

from urlschemes import default_registry
from urlschemes_tables import Table, table_of
from urlschemes_tables.table import HEADER
from urlschemes_testing.generation import random_near_misses, random_urls

urlschemes_native = pytest.importorskip("urlschemes_native._native", reason="needs `python3 dev --group native`")


SCHEMES = sorted(default_registry)
loaded = urlschemes_native.Table


def table_for(scheme: str) -> Table:
    table = table_of(default_registry.registration(scheme).syntax)
    assert table is not None
    return table


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_table_says_natively_what_it_says_in_python(scheme: str) -> None:
    table = table_for(scheme)
    native = loaded(table.blob, table.marks)
    for text in [*random_urls(scheme, 60), *random_near_misses(scheme, 60)]:
        if not text.isascii():
            continue
        spans, found = table.spans(text), native.spans(text)
        if spans is None:
            assert found == table.viable(text)
        else:
            assert isinstance(found, tuple)
            places = dict(zip(table.marks, zip(found[::2], found[1::2], strict=True), strict=True))
            assert {mark: place for mark, place in places.items() if -1 not in place} == spans


FIELDS = ("states", "classes", "edges", "ops", "final ops", "tags", "registers")


@pytest.mark.parametrize("field", FIELDS)
def test_a_number_of_the_header_is_checked(field: str) -> None:
    table = table_for("ftp")
    header = [*HEADER.unpack_from(table.blob)]
    place = FIELDS.index(field) + 1
    tags = header[1 + FIELDS.index("tags")]
    wrong = {"registers": [0, tags - 1, 255]}.get(field, [0, 1, 255, 256, 65535, 65536])
    for value in {*wrong, 2**31, 2**32 - 1} - {header[place]}:
        spoilt = [*header[:place], value, *header[place + 1 :]]
        with pytest.raises(ValueError, match="unsound table"):
            loaded(HEADER.pack(*spoilt) + table.blob[HEADER.size :], table.marks)


def test_what_stands_in_a_table_is_checked() -> None:
    table = table_for("ftp")
    _, states, classes, edges, ops, _, tags, registers, _ = HEADER.unpack_from(table.blob)
    cells = HEADER.size
    edge_rows = cells + (2 * states * classes + 3) // 4 * 4
    final_rows = edge_rows + 8 * edges
    op_rows = final_rows + 8 * states
    final_op_rows = op_rows + 2 * ops
    wrong = {
        "magic": (0, b"X"),
        "class": (cells - 1, bytes([classes])),
        "transition of the dead state": (cells, struct.pack("<H", 1)),
        "transition by the class of what is in no URL": (cells + 2 * classes, struct.pack("<H", 1)),
        "transition beyond the edges": (cells + 2 * classes + 2, struct.pack("<H", states + edges)),
        "edge to the dead state": (edge_rows, struct.pack("<H", 0)),
        "edge beyond the states": (edge_rows, struct.pack("<H", states)),
        "ops of an edge": (edge_rows + 2, struct.pack("<HH", ops, 1)),
        "more ops than registers": (edge_rows + 2, struct.pack("<HH", 0, registers + 1)),
        "final state": (final_rows + 8, struct.pack("<H", 2)),
        "final ops": (final_rows + 8, struct.pack("<HHH", 1, 65535, 65535)),
        "register of an op": (op_rows, b"\xfe"),
        "source of an op": (op_rows + 1, b"\xfe"),
        "tag of a final op": (final_op_rows, bytes([tags])),
        "source of a final op": (final_op_rows + 1, b"\xfd"),
    }
    for place, octets in wrong.values():
        with pytest.raises(ValueError, match="unsound table"):
            loaded(table.blob[:place] + octets + table.blob[place + len(octets) :], table.marks)


def test_a_table_of_another_size_is_refused() -> None:
    table = table_for("http")
    for blob in (b"", table.blob[:-1], table.blob + b"\0", *(table.blob[:size] for size in range(0, 300, 7))):
        with pytest.raises(ValueError, match="unsound table"):
            loaded(blob, table.marks)
    for marks in ((), table.marks[1:], (*table.marks, "more")):
        with pytest.raises(ValueError, match="unsound table"):
            loaded(table.blob, marks)
    with pytest.raises(TypeError):
        loaded(table.blob, (b"host",) * len(table.marks))  # type: ignore[arg-type]
