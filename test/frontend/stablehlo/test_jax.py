"""What weft writes, run by JAX, where that is installed; no other test needs it."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import weft

from .test_to_stablehlo import CASES, arrays_of, require_equal

jax: Any = pytest.importorskip("jax", reason="JAX, which runs what weft writes, is not installed")


def run_by_jax(artifact: bytes, arguments: list[Any], wanted: list[Any]) -> list[np.ndarray[Any, Any]]:
    """The results of an artifact, called as if JAX had exported it: only types are those of another program."""
    types = [jax.ShapeDtypeStruct(np.shape(each), np.asarray(each).dtype) for each in wanted]

    def other(*_: Any) -> Any:
        return tuple(jax.numpy.zeros(each.shape, each.dtype) for each in types)

    exported = jax.export.export(jax.jit(other, keep_unused=True))(*arguments)
    called = jax.jit(dataclasses.replace(exported, mlir_module_serialized=artifact).call)
    return [np.asarray(result) for result in called(*arguments)]


@pytest.mark.parametrize(("program", "arguments"), CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_programs_run(program: Any, arguments: list[Any]) -> None:
    jax.config.update("jax_enable_x64", True)
    given = [np.array(each) if each.ndim else each for each in arguments]
    concrete = weft.function(program).get_concrete_function(*given)
    wanted = arrays_of(program(*given))
    if program.__name__ == "written":
        wanted.append(given[0])
    require_equal(run_by_jax(concrete.to_stablehlo(checks=False), arguments, wanted), wanted, 1e-5)
