"""What the namespace stages compiles to what NumPy gives; in a process of its own, as compiled code may crash."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import weft
from support import namespace_cases as cases

TEST_ROOT = Path(__file__).parents[2]
SECONDS = 240


@pytest.mark.slow
@pytest.mark.parametrize("extents", ["known", "run-time"])
def test_expressions_compile(extents: str) -> None:
    """Every twelfth expression with known extents, and those half way between them with extents of the run."""
    expressions = [*cases.with_run_time_extents(), *(cases.others() if extents == "known" else [])]
    outcome = subprocess.run(
        [sys.executable, __file__, extents],
        input="\n".join(expressions[6 * (extents == "run-time") :: 12]),
        env=os.environ | {"PYTHONPATH": f"{TEST_ROOT}:{Path(weft.__file__).parents[1]}"},
        timeout=SECONDS,
        check=False,
        capture_output=True,
        text=True,
    )
    assert outcome.returncode == 0, f"{outcome.stdout[-2000:]}{outcome.stderr[-2000:]}"


def run(expression: str, extents: str) -> None:
    """Compile one expression and compare its results with NumPy's."""
    function, arrays = cases.call_of(expression)
    namespace: ModuleType = np if expression in cases.expressions(cases.PROTOCOLS) else weft
    with np.errstate(all="ignore"):
        expected = function(np, *(array.copy() for array in arrays))
    if extents == "known":
        compiled = weft.function(lambda *traced: function(namespace, *traced))
        cases.assert_like_numpy(compiled(*arrays), expected)
        return
    specs = [weft.TensorSpec([n if n == 1 else None for n in array.shape], array.dtype) for array in arrays]
    compiled = weft.function(lambda traced: function(namespace, *traced))
    cases.assert_like_numpy(compiled.get_concrete_function(specs)(arrays), expected)


def main() -> int:
    """Run the expressions on standard input; the last line printed names the one that fails or crashes."""
    for expression in sys.stdin.read().splitlines():
        print(expression, flush=True)
        run(expression, sys.argv[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
