"""Lowerings that compute on scalars find how, in programs in which nothing else does: most files are imported late."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
from support.op_uses import uses_of
from support.programs import build, transform
from weft.dialect.op import OPS

family = sys.argv[1]
for op in OPS.values():
    for use in uses_of(op) if op.family == family and op.cases else ():
        if use.dtypes and use.dtypes[0] == "float32":
            break
    else:
        continue
    cases = [use.case] if "mode" not in use.case.attributes else [use.case, op.cases[-1]]
    for case in cases:
        types = [t.with_shape(shape) for t, shape in zip(use.types, case.shapes)]
        module = build(types, lambda b, *operands: b(op.name, *operands, **case.attributes))
        transform(module, "weft-optimize,weft-to-linalg")
        print(op.name)
"""


@pytest.mark.parametrize("family", ["contraction", "creation", "indexing", "reductions", "scans", "windows"])
def test_each_family_is_lowered_without_the_others(family: str) -> None:
    here = Path(__file__).parents[2]
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, family], capture_output=True, text=True, check=False, cwd=here
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout
