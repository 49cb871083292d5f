"""What each version of the dialect wrote is read, runs, and gives what it gave then."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from support.golden_files import FOLDER, from_json, missing, outcome, to_json
from support.op_uses import is_close
from weft.dialect.op import OPS
from weft.dialect.upgrades.versions import DIALECT
from weft.frontend.artifacts.checked_modules import UPSTREAM

FILES = sorted(FOLDER.glob("v*/*.weft"))


def require_same(got: Any, expected: Any, op: Any) -> None:
    """Values are of the same types, and those that were computed are as close as the op is exact."""
    if isinstance(expected, dict) and "raises" in expected:
        told = to_json(got)
        assert told == expected, (told, expected)
        return
    if type(got) in (float, complex, slice, range, set, bytes, type, type(...)):
        got = repr(got)
    assert type(got).__name__ == type(expected).__name__, (got, expected)
    if isinstance(expected, (tuple, list)):
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            require_same(one, other, op)
    elif isinstance(expected, dict):
        assert list(got) == list(expected)
        for key in expected:
            require_same(got[key], expected[key], op)
    elif isinstance(expected, (np.ndarray, np.generic)):
        assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
        if op is not None and op.name in ("eig", "eigvals"):  # libraries compute them for each processor
            np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9)
        elif op is not None:
            assert is_close(op, np.asarray(got), np.asarray(expected)), (got, expected)
        else:
            np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)
    else:
        assert got == expected


@pytest.mark.sampled(4)
@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_golden_files_run_as_they_did(path: Path) -> None:
    if path.stem == "library":
        pytest.importorskip("scipy.special", reason="it calls a function of SciPy")
    told = json.loads(path.with_suffix(".json").read_text())
    loaded, op = weft.load(path), OPS.get(path.stem)
    for call in told["calls"]:
        result, after = outcome(getattr(loaded, call["name"]), from_json(call["args"]))
        require_same(result, from_json(call["result"]), op)
        require_same(after, from_json(call["after"]), None)
    for name, value in told["state"].items():
        require_same(loaded.state[name], from_json(value), None)


def test_every_op_has_a_golden_file_of_the_present_version() -> None:
    assert [path.name for path, _ in missing()] == [], "write them: python -m support.golden_files, in test/"
    seen = set()
    for path in (FOLDER / f"v{DIALECT}").glob("*.weft"):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                seen |= set(re.findall(r'"([a-z]+\.\w+)"\(', archive.read(name).decode("latin-1")))
    recorded = {f"weft.{op.name}" for op in OPS.values() if op.recorded}
    assert (recorded | UPSTREAM) - seen == set(), "add programs with them to support/golden_programs.py"


def test_all_golden_files_together_are_small() -> None:
    files = list(FOLDER.rglob("*.*"))
    assert len(files) == 2 * len(FILES)
    assert sum(path.stat().st_size for path in files) < 1 << 20
