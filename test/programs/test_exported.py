"""Programs of the catalogue as libraries of C: they do what they do eagerly."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from programs.catalogue import PROGRAMS, Program
from support.exported_calls import Exported

EACH = 7
"""Every so many programs."""

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")


def spec(argument: Any) -> Any:
    """What a function is compiled for: arrays of any sizes."""
    if isinstance(argument, np.ndarray) and argument.ndim:
        return weft.TensorSpec([None] * argument.ndim, argument.dtype)
    return {int: np.int64, float: np.float64}.get(type(argument), lambda x: x)(argument)


@pytest.mark.parametrize("program", PROGRAMS[::EACH], ids=lambda program: program.name)
def test_does_what_it_does_eagerly(tmp_path: Path, program: Program) -> None:
    arguments = program.arguments(program.sizes[-1])
    concrete = weft.function(program.function).get_concrete_function(*map(spec, arguments))
    library = Exported(concrete.export(str(tmp_path), name="program", target="native", checked=True))
    given, own = ([np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments] for _ in range(2))
    expected = program.function(*own)
    wanted = list(expected) if isinstance(expected, tuple) else [] if expected is None else [expected]
    found = library(*given)
    got = list(found.values()) if isinstance(found, dict) else [found]
    for one, other in zip([*got, *given], [*wanted, *own], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)
