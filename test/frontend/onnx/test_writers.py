"""Every op that is written in ONNX, in its cases and dtypes, checked and run by ONNX's reference."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

from support.op_uses import WITHOUT_CASES, Use, is_close, representative_uses
from support.programs import NAME, build
from weft.dialect.dtypes import kind
from weft.dialect.mlir import ir
from weft.dialect.op import OPS, Op
from weft.dialect.register import context
from weft.dialect.types import TensorType, type_of
from weft.frontend.onnx.writing.model import OLDEST_OPSET, USUAL_OPSET, WRITERS, Writing

NEWEST_OPSET = onnx.defs.onnx_opset_version()

NAMES = [name for name in WRITERS if name not in WITHOUT_CASES]

SOME_REFUSED = {
    "reciprocal": "divides integers by zero, which ONNX leaves open",
    "cast": "has no form for complex",
    "bitcast": "reads bits of floats, which ONNX can from opset 26 on",
    "conv": "Conv does not take it",
    "window_max": "MaxPool of opset 20 does not take it",
    "window_mean": "AveragePool does not take it",
    "window_min": "MaxPool of opset 20 does not take it",
    "window_sum": "Conv does not take it",
}
"""Ops that are not written for all dtypes, and why."""

APPROXIMATE = {"erf", "erfc", "ndtr"}
"""What ONNX has no op for in all dtypes, and what is written instead is some units off."""


def chosen(name: str) -> Iterator[Use]:
    """Uses of an op with all dtypes but for complex ones."""
    uses = representative_uses(OPS[name])
    return (use for use in uses if not any(kind(dtype) == "c" for dtype in use.dtypes))


def written(
    op: type[Op], types: Sequence[TensorType], attributes: dict[str, Any], opset: int = USUAL_OPSET
) -> tuple[Any, list[tuple[str, str]]]:
    """The model of an op, and what was refused."""
    module = build(types, lambda b, *operands: b(op.name, *operands, **attributes))
    with context(), ir.Location.unknown():
        writing = Writing(module, True, opset)
        names = [f"x{place}" for place in range(len(types))]
        model = writing.of(NAME, names, {}, lambda made, _: {f"y{i}": value for i, value in enumerate(made)})
    return model, writing.refused


def require_right(op: type[Op], model: Any, operands: Sequence[Any], attributes: dict[str, Any]) -> None:
    """Require that a model is right, and gives what the op gives."""
    onnx.checker.check_model(model, full_check=True)
    inputs = {f"x{place}": operand for place, operand in enumerate(operands)}
    with np.errstate(all="ignore"):
        found = ReferenceEvaluator(model).run(None, inputs)
    for got, expected in zip(found, op.compute(operands, attributes), strict=True):
        assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
        near = op.name in APPROXIMATE and np.allclose(
            got, expected, rtol=precision(got), atol=0, equal_nan=True
        )
        assert near or is_close(op, got, expected), f"{operands} gives\n{got}\nand not\n{expected}"


def precision(array: Any) -> float:
    """Some units in the last place."""
    return 64 * float(ml_dtypes.finfo(array.dtype).eps)


def test_the_table_is_of_ops() -> None:
    assert set(WRITERS) <= set(OPS)
    assert len(NAMES) > 145


@pytest.mark.parametrize("name", NAMES)
def test_ops(name: str) -> None:
    tried = 0
    for use in chosen(name):
        model, refused = written(use.op, use.types, use.case.attributes)
        if refused:
            assert all(SOME_REFUSED[name] in why for _, why in refused)
            continue
        tried += 1
        require_right(use.op, model, use.operands(), use.case.attributes)
    assert tried


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", NAMES)
def test_unknown_sizes_in_other_versions(name: str) -> None:
    """One dtype with all cases, in the oldest and in the newest version of ONNX's ops."""
    uses = {use.dtypes: use for use in chosen(name)}
    dtypes = next((each for each in uses if np.dtype(np.float32) in each), next(iter(uses)))
    for use, opset in itertools.product(chosen(name), (OLDEST_OPSET, NEWEST_OPSET)):
        if use.dtypes != dtypes:
            continue
        model, refused = written(use.op, use.dynamic_types, use.case.attributes, opset)
        if not refused:
            require_right(use.op, model, use.operands(), use.case.attributes)
        assert not refused or name in ("bitcast", "cast")


# Numbers of which NumPy and ONNX, or its runtimes, do not think alike


def special(dtype: np.dtype[Any]) -> Any:
    """Numbers of a dtype at the edges of what it has."""
    if kind(dtype) == "b":
        return np.array([False, True])
    if kind(dtype) == "f":
        limits = ml_dtypes.finfo(dtype)
        edges = [float(limits.max), float(limits.min), float(limits.tiny)]
        numbers = [
            0,
            -0.0,
            np.nan,
            np.inf,
            -np.inf,
            0.5,
            -0.5,
            1,
            -1,
            1.5,
            2.5,
            -2.5,
            3,
            -3,
            1e-3,
            1e4,
            -1e4,
            20.5,
        ]
        return np.array([*numbers, *edges]).astype(dtype)
    info, width = np.iinfo(dtype), 8 * dtype.itemsize
    numbers = [0, 1, 2, 3, 7, 8, width, width - 1, info.max, info.min, info.max - 1, info.min + 1]
    return np.array([*numbers, *([-1, -2, -7] if kind(dtype) == "i" else [])], dtype)


OF_ELEMENTS = [
    name
    for name in NAMES
    if OPS[name].family in ("elementwise", "special", "casts", "selection") and name != "nonzero"
]


@pytest.mark.parametrize("name", OF_ELEMENTS)
def test_special_numbers(name: str) -> None:
    op = OPS[name]
    attributes = [case.attributes for case in op.cases] if name == "cast" else [op.cases[0].attributes]
    for dtypes, given in itertools.product(op.operand_dtypes(), attributes):
        if "c" in [kind(dtype) for dtype in (*dtypes, given.get("dtype", dtypes[0]))]:
            continue
        operands = [special(dtype) for dtype in dtypes]
        operands = [grid.reshape(-1) for grid in np.meshgrid(*operands, indexing="ij")]
        model, refused = written(op, [type_of(operand) for operand in operands], given)
        assert not refused or name in SOME_REFUSED
        if not refused:
            require_right(op, model, operands, given)


WITH_NAN = [
    ("max", {"axes": (1,), "keepdims": False}),
    ("min", {"axes": (0,), "keepdims": True}),
    ("max", {"axes": (0, 1), "keepdims": False}),
    ("max_number", {"axes": (1,), "keepdims": False}),
    ("argmax", {"axis": 1, "keepdims": False}),
    ("argmin", {"axis": 0, "keepdims": True}),
    ("any", {"axes": (1,), "keepdims": False}),
    ("sum", {"axes": (1,), "keepdims": False}),
    ("sort", {"axis": 1, "descending": False}),
    ("sort", {"axis": 0, "descending": True}),
    ("argsort", {"axis": 1, "descending": False}),
    ("argsort", {"axis": 1, "descending": True}),
    ("cumulative_max", {"axis": 1}),
    ("cumulative_min", {"axis": 0}),
    ("cumulative_sum", {"axis": 0}),
]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "bfloat16"])
@pytest.mark.parametrize(
    ("name", "attributes"), WITH_NAN, ids=lambda value: value if isinstance(value, str) else ""
)
def test_nan_along_axes(name: str, attributes: dict[str, Any], dtype: str) -> None:
    rows = np.array(
        [
            [1, np.nan, 3, -np.inf], [np.nan, 2, np.nan, np.inf], [4, 5, 6, np.nan], [-1, -2, -3, -4],
            [np.inf, np.inf, np.nan, 1], [np.nan] * 4, [0, 0, -0.0, 0], [2, 1, 2, 1],
        ]
    )  # fmt: skip
    operand = rows.astype(dtype)
    model, refused = written(OPS[name], [type_of(operand)], attributes)
    assert not refused
    require_right(OPS[name], model, [operand], attributes)


def test_nan_in_windows() -> None:
    image = np.array([[1, np.nan, 3], [4, 5, -np.inf], [-np.inf, -np.inf, -np.inf]], np.float32).reshape(
        1, 3, 3, 1
    )
    how = {
        "window": (1, 2, 2, 1),
        "strides": (1, 1, 1, 1),
        "padding": (0, 0, 1, 0, 0, 1, 0, 0),
        "dilations": (1, 1, 1, 1),
    }
    for name in ("window_max", "window_min"):
        model, _ = written(OPS[name], [type_of(image)], how)
        require_right(OPS[name], model, [image], how)


@pytest.mark.parametrize("places", [[0, 2, 0, -3], [4, 1, 4, -1], [9, 1, -9, 1], [9, 9, -9, 1]])
@pytest.mark.parametrize("mode", ["set", "add"])
def test_the_last_write_to_a_place_stays(places: list[int], mode: str) -> None:
    """And what lies outside is skipped."""
    x, update = (
        np.arange(10, dtype=np.float32).reshape(5, 2),
        -np.arange(1, 9, dtype=np.float32).reshape(4, 2),
    )
    wanted = x.copy()
    for row, place in zip(update, places, strict=True):
        if -5 <= place < 5:
            wanted[place] = row + (wanted[place] if mode == "add" else 0)
    how = {"axes": (0,), "position": 0, "mode": mode}
    model, _ = written(
        OPS["scatter"], [type_of(x), type_of(update), TensorType((4,), np.dtype(np.int64))], how
    )
    onnx.checker.check_model(model, full_check=True)
    (found,) = ReferenceEvaluator(model).run(None, {"x0": x, "x1": update, "x2": np.array(places)})
    np.testing.assert_array_equal(found, wanted)


def test_reading_outside_takes_the_nearest_element() -> None:
    """Where a program guards what it reads, weft may read it nevertheless."""
    how = {"axes": (0,), "position": 0}
    model, _ = written(
        OPS["gather"], [TensorType((4,), np.dtype(np.float32)), TensorType((6,), np.dtype(np.int64))], how
    )
    x = np.arange(4, dtype=np.float32)
    (found,) = ReferenceEvaluator(model).run(None, {"x0": x, "x1": np.array([0, 3, -4, 4, -5, 99])})
    np.testing.assert_array_equal(found, [0, 3, 0, 3, 0, 3])


@pytest.mark.parametrize("step", [1, 2, -1, -2])
@pytest.mark.parametrize("start", [-9, -4, -1, 0, 2, 3, 9])
def test_bounds_of_run_time_are_those_of_python(start: int, step: int) -> None:
    """A start in front of all elements is the first one for ONNX, and none for Python, if it goes backwards."""
    how = {"start": (0,), "stop": (0,), "step": (step,), "start_axes": (0,), "stop_axes": (0,)}
    x = np.arange(4, dtype=np.int64)
    scalar = TensorType((), np.dtype(np.int64))
    model, _ = written(OPS["dynamic_slice"], [type_of(x), scalar, scalar], how)
    for stop in (-9, -5, -2, 0, 1, 4, 9):
        operands = [x, np.array(start), np.array(stop)]
        require_right(OPS["dynamic_slice"], model, operands, how)
