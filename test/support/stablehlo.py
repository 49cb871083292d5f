"""Modules of StableHLO run by its own interpreter, and by weft."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from support.interpreter import interpret
from weft.dialect.attributes import elements_from_mlir, elements_to_mlir
from weft.dialect.dtypes import ELEMENT_TYPES
from weft.dialect.mlir import Module, ir
from weft.dialect.register import context
from weft.frontend.stablehlo.context import stablehlo
from weft.frontend.stablehlo.translation import translated


def evaluated(text: str | Module, arrays: Sequence[Any]) -> list[np.ndarray[Any, Any]]:
    """The results of the function `main` as StableHLO's own interpreter computes them."""
    known = stablehlo()
    with context(), ir.Location.unknown():
        module = ir.Module.parse(text) if isinstance(text, (str, bytes)) else text
        given = [elements_to_mlir(np.asarray(array)) for array in arrays]
        return [np.array(elements_from_mlir(result)) for result in known.eval_module(module, given)]


def translation(text: str) -> Module:
    """The module of the weft dialect of the function `main`."""
    stablehlo()
    with context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        functions = [view.operation for view in module.body.operations]
        entry = next(f for f in functions if f.attributes["sym_name"].value == "main")
        made = translated(module, entry, "main")
        assert made.operation.verify()
        return made


def interpreted(text: str, arrays: Sequence[Any]) -> list[np.ndarray[Any, Any]]:
    """The results of `main`, translated and run by weft's reference interpreter."""
    return interpret(translation(text), "main", [np.asarray(array) for array in arrays])


def require_equal(
    found: Sequence[Any], wanted: Sequence[Any], tolerance: float = 0.0, signs: bool = True
) -> None:
    """Require equal dtypes, shapes and values, NaNs and signs of zeros included; floats may differ a little."""
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        wide = {"f": np.float64, "V": np.float64, "c": np.complex128}.get(other.dtype.kind)
        if wide is None:
            np.testing.assert_array_equal(one, other)
            continue
        one, other = one.astype(wide), other.astype(wide)
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance, equal_nan=True)
        if wide is np.float64 and signs:
            is_zero = (one == 0) & (other == 0)
            np.testing.assert_array_equal(np.signbit(one)[is_zero], np.signbit(other)[is_zero])


SPELLINGS = {element.dtype: element.mlir for element in ELEMENT_TYPES}
"""How dtypes are spelled."""

DTYPES = {element.mlir: element.dtype for element in ELEMENT_TYPES}
FLOATS = ("f16", "bf16", "f32", "f64")
COMPLEX = ("complex<f32>", "complex<f64>")
SIGNED = ("i8", "i16", "i32", "i64")
UNSIGNED = ("ui8", "ui16", "ui32", "ui64")
INTEGERS = (*SIGNED, *UNSIGNED)


def type_of(array: Any) -> str:
    """The type of an array."""
    array = np.asarray(array)
    return f"tensor<{''.join(f'{extent}x' for extent in array.shape)}{SPELLINGS[array.dtype]}>"


def module_of(op: str, arrays: Sequence[Any], *results: str, attributes: str = "", regions: str = "") -> str:
    """The text of a module with one op on arrays; `results` are its types, without `tensor`."""
    types = [type_of(array) for array in arrays]
    outputs = ", ".join(f"tensor<{result}>" for result in results)
    names = [f"%a{i}" for i in range(len(arrays))]
    given = ", ".join(f"{name}: {kind}" for name, kind in zip(names, types, strict=True))
    made = "%r" if len(results) == 1 else f"%r:{len(results)}"
    returned = "%r" if len(results) == 1 else ", ".join(f"%r#{i}" for i in range(len(results)))
    return f"""
        func.func @main({given}) -> ({outputs}) {{
          {made} = "stablehlo.{op}"({", ".join(names)}) {f"({regions})" if regions else ""} {{{attributes}}}
            : ({", ".join(types)}) -> ({outputs})
          return {returned} : {outputs}
        }}"""


def region(body: str, *arguments: str, result: str) -> str:
    """A region of scalars `%x0`, `%x1`, ... that returns `%y`."""
    given = ", ".join(f"%x{i}: tensor<{kind}>" for i, kind in enumerate(arguments))
    end = f'"stablehlo.return"(%y) : (tensor<{result}>) -> ()'
    return f"{{ ^bb0({given}): {body} {end} }}"


def combiner(op: str, kind: str = "f32") -> str:
    """A region that combines two scalars by an op."""
    return region(f"%y = stablehlo.{op} %x0, %x1 : tensor<{kind}>", kind, kind, result=kind)


def sample(kind: str, count: int, seed: int = 0) -> np.ndarray[Any, Any]:
    """Numbers of a dtype, the special ones first."""
    draw = np.random.default_rng(seed)
    dtype = DTYPES[kind]
    if kind == "i1":
        return draw.integers(0, 2, count).astype(bool)
    if kind in COMPLEX:
        return ((draw.standard_normal(count) + 1j * draw.standard_normal(count)) * 1.5).astype(dtype)
    if kind in INTEGERS:
        info = np.iinfo(dtype)
        special = np.array([0, 1, 2, 3, info.max, info.min, info.max - 1, 7], dtype)
        numbers = draw.integers(max(info.min, -(2**62)), min(info.max, 2**62), count).astype(dtype)
    else:
        special = np.array([0, -0.0, np.nan, np.inf, -np.inf, 0.5, -0.5, 1.5, 2.5, -2.5], dtype)
        numbers = (draw.standard_normal(count) * 2).astype(dtype)
    most = min(len(special), count)
    numbers[:most] = special[draw.permutation(len(special))[:most]]
    return numbers


def tolerance_of(kind: str) -> float:
    """How much functions may differ."""
    return {"f16": 2e-3, "bf16": 2e-2, "f32": 1e-5, "complex<f32>": 1e-5}.get(kind, 1e-12)


_draw = np.random.default_rng(0)


def normal(*shape: int) -> Any:
    """Numbers of float32."""
    return _draw.standard_normal(shape).astype(np.float32)


def below(stop: int, *shape: int) -> Any:
    """Integers of int32."""
    return _draw.integers(0, stop, shape).astype(np.int32)


def complexes(*shape: int) -> Any:
    """Numbers of complex64."""
    return (normal(*shape) + 1j * normal(*shape)).astype(np.complex64)


def i32(value: int) -> Any:
    """A scalar."""
    return np.array(value, np.int32)


def f32(value: float) -> Any:
    """A scalar."""
    return np.array(value, np.float32)


def listed(*numbers: int) -> str:
    """An attribute of integers."""
    return f"array<i64: {', '.join(map(str, numbers))}>" if numbers else "array<i64>"


def agrees(op: str, arrays: list[Any], *results: str, tolerance: float = 1e-5, **parts: str) -> None:
    """Require that an op gives what StableHLO's interpreter gives."""
    text = module_of(op, arrays, *results, **parts)
    require_equal(interpreted(text, arrays), evaluated(text, arrays), tolerance)


def gives(op: str, arrays: list[Any], wanted: list[Any], *results: str, **parts: str) -> None:
    """Require that an op gives something: StableHLO's interpreter, which has it not, would end the process."""
    text = module_of(op, arrays, *results, **parts)
    require_equal(interpreted(text, arrays), [np.asarray(each) for each in wanted], 1e-4)


__all__ = [
    "COMPLEX",
    "DTYPES",
    "FLOATS",
    "INTEGERS",
    "SIGNED",
    "SPELLINGS",
    "UNSIGNED",
    "agrees",
    "below",
    "combiner",
    "complexes",
    "evaluated",
    "f32",
    "gives",
    "i32",
    "interpreted",
    "listed",
    "module_of",
    "normal",
    "region",
    "require_equal",
    "sample",
    "tolerance_of",
    "translation",
    "type_of",
]
