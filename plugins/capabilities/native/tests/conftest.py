"""Tests of the native reader: skipped where it is not installed (`python3 dev --group native pytest ...`)."""

from __future__ import annotations

import pytest

pytest.importorskip("urlschemes_native", reason="needs urlschemes-native: python3 dev --group native pytest ...")
