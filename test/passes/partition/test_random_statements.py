"""Random programs of NumPy's statements, with arguments split at random, against NumPy.

`WEFT_TEST_SEEDS=1000:50` runs the programs of the seeds 1000 to 1049.
"""

from __future__ import annotations

import random
import runpy
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from support.outcomes import seeds
from support.partitioned import P, check
from support.random_numpy import arguments, random_numpy

MESHES: tuple[dict[str, int], ...] = (
    {"d": 1},
    {"d": 2},
    {"d": 3},
    {"d": 5},
    {"a": 2, "b": 2},
    {"a": 3, "b": 2},
)


def random_spec(choices: random.Random, x: Any, names: list[str]) -> Any:
    """How an argument is split."""
    first, last = names[0], names[-1]
    if not np.ndim(x):
        return P()
    if np.ndim(x) == 1:
        return choices.choice((P(), P(first), P(last)))
    both = [P(first, last), P(last, first), P((first, last))] if first != last else []
    return choices.choice((P(), P(first), P(None, last), *both))


@pytest.mark.parametrize("seed", seeds(3))
def test_ranks_compute_what_numpy_does(seed: int, tmp_path: Path) -> None:
    text = random_numpy(seed)
    file = tmp_path / "program.py"
    file.write_text(f"import numpy as np\n\n\n{text}", encoding="utf-8")
    program, choices = runpy.run_path(str(file))["program"], random.Random(seed)
    axes = choices.choice(MESHES)
    args = arguments(seed)
    specs = [random_spec(choices, x, list(axes)) for x in args]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            check(program, args, specs, weft.distributed.Mesh.simulated(**axes), rtol=1e-8, atol=1e-9)
        except weft.UnsupportedError:  # what is written may be one of several arrays
            return
        except AssertionError as error:
            raise AssertionError(f"{error}\n{axes}, {specs}\n{text}") from error
