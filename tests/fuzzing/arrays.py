"""Arrow arrays of every form, in slices and chunks: each row is read as the text alone is."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

from fuzzing.urls import REGISTRIES, corpus
from urlschemes import URLError

PARTS = ("scheme", "host", "port", "path.raw", "name", "error.part", "error.host")
FORMS = ("string", "large_string", "string_view", "dictionary")


def make(random: Random) -> dict[str, Any]:
    """Return a profile, texts, the form of their array, and where it is cut."""
    profile = random.choice([*REGISTRIES])
    size = random.choice((0, 1, 3, 8, 40))
    texts = [_text(random, profile) if random.random() < 0.9 else None for _ in range(size)]
    cuts = sorted(random.randint(0, size) for _ in range(random.choice((2, 2, 3, 4))))
    return {"profile": profile, "texts": texts, "form": random.choice(FORMS), "cuts": cuts}


def _text(random: Random, profile: str) -> str:
    return corpus(profile).mutated(random).encode("utf-8", "replace").decode()


def judge(case: dict[str, Any]) -> str:
    """Compare the columns of the array with those of each text alone."""
    import pyarrow as pa  # late: a large library, which another target does not need

    import urlschemes_columns  # late: it needs pyarrow

    registry = REGISTRIES[case["profile"]]
    form = case["form"]
    whole = pa.array(case["texts"], pa.string() if form == "dictionary" else getattr(pa, form)())
    whole = whole.dictionary_encode() if form == "dictionary" else whole
    cuts = case["cuts"]
    pieces = [whole.slice(start, end - start) for start, end in pairwise(cuts)]
    parsed = urlschemes_columns.parse(pa.chunked_array(pieces, whole.type), PARTS, registry=registry)
    parsed.validate(full=True)
    rows = parsed.to_pylist()
    texts = [text for piece in pieces for text in piece.to_pylist()]
    assert len(rows) == len(texts), "rows are lost"
    for text, row in zip(texts, rows, strict=True):
        assert row["code"] == _code(text, registry), f"{text!r}: {row}"
        alone = urlschemes_columns.parse(pa.array([text], pa.string()), PARTS, registry=registry).to_pylist()[0]
        assert row == alone, f"{text!r}: {row}, alone {alone}"
    return f"{form}, {'empty' if not rows else 'with nulls' if None in texts else 'without nulls'}"


def _code(text: str | None, registry: Any) -> str | None:
    if text is None:
        return "missing-url"
    try:
        registry.parse(text)
    except URLError as error:
        return str(error.code)
    return None
