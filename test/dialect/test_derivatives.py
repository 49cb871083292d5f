"""The rules of differentiation of every op, derived from its class: all cases, real and complex.

Tangents are compared with central differences, cotangents with tangents by <g, J t> = <Jᵀ g, t>.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from support.eager_emitter import EagerEmitter
from support.interpreter import interpret
from support.op_uses import WITHOUT_CASES, Use, uses_of
from support.programs import build
from weft.dialect.derivatives import Part, cotangents, has_numbers, is_differentiable, tangents
from weft.dialect.dtypes import kind
from weft.dialect.emitter import Tensor
from weft.dialect.errors import WeftError
from weft.dialect.mlir import ir
from weft.dialect.op import OPS, Op, UnaryUfunc
from weft.dialect.op_emitter import OpEmitter
from weft.dialect.types import TensorType

NAMES = [name for name in OPS if name not in WITHOUT_CASES]
RANGES = ((0.15, 0.85), (-2.0, 2.0), (1.2, 3.0))
"""Where operands are taken from; what is not finite there is left out."""
STEP = 1e-6
eager = EagerEmitter()


def numbers_of(use: Use) -> list[int]:
    """The operands that have derivatives."""
    results = use.op.result_types(use.types, use.case.attributes)
    if not any(isinstance(result, TensorType) and has_numbers(result) for result in results):
        return []
    return [number for number, operand in enumerate(use.types) if has_numbers(operand)]


def forms_of(op_class: type[Op]) -> list[str]:
    """The forms in which an op states its derivative."""
    stated = {
        "flat": op_class.flat,
        "partials": bool(op_class.partials),
        "linear": bool(op_class.linear),
        "own": op_class.vjp is not Op.vjp,
        "whole": op_class.pullback is not Op.pullback,
    }
    return [form for form, is_stated in stated.items() if is_stated]


def missing_rule(op: type[Op]) -> str:
    """What is wrong with the forms in which an op states its derivative: each that has one states it once."""
    stated = forms_of(op)
    if len(stated) > 1:
        return f"{op.name} states its derivative as {' and '.join(stated)}"
    wanted = any(numbers_of(use) for use in uses_of(op))
    if op.underived:
        return f"{op.name} has a rule and a reason for none" if stated else ""
    if wanted and not stated:
        return f"{op.name} has results of real numbers: it needs partials, linear, vjp and jvp, or flat"
    if stated == ["own"] and op.jvp is Op.jvp:
        return f"{op.name} has a vjp and needs a jvp"
    if stated == ["whole"] and op.pushforward is Op.pushforward:
        return f"{op.name} has a pullback and needs a pushforward"
    if stated and not wanted:
        return f"{op.name} has no results of real numbers, but {stated[0]}"
    return ""


@pytest.mark.parametrize("name", NAMES)
def test_every_op_states_its_derivative_once(name: str) -> None:
    assert not missing_rule(OPS[name])


def test_ops_without_rules_are_found() -> None:
    class Silent(UnaryUfunc):
        """A function that nobody differentiates."""

        ufunc = np.tanh

    class Twice(Silent):
        """A function with two derivatives."""

        flat = True
        partials = (1,)

    Silent.name = Twice.name = "planted"
    assert "needs partials" in missing_rule(Silent)
    assert "flat and partials" in missing_rule(Twice)


def values_of(use: Use, low: float, high: float) -> list[Any]:
    """Operands in a range; those that have no derivatives as the case says."""
    generator = np.random.default_rng(zlib.crc32(repr(use).encode()))
    found = []
    for given, operand in zip(use.operands(), use.types, strict=True):
        parts = [generator.uniform(low, high, given.shape) for _ in range(2)]
        if not has_numbers(operand):
            found.append(given)
        else:
            value = parts[0] + 0.4j * parts[1] if kind(operand.dtype) == "c" else parts[0]
            if use.op.name == "cholesky":  # of positive definite matrices
                value = value + 8 * np.eye(given.shape[-1])
            found.append(np.asarray(value).astype(operand.dtype))
    return found


def direction(generator: np.random.Generator, like: Any) -> Any:
    """Random numbers of an array's dtype and shape."""
    real, imaginary = generator.standard_normal((2, *like.shape))
    return np.asarray(real + 1j * imaginary if like.dtype.kind == "c" else real).astype(like.dtype)


def inner(left: Any, right: Any) -> float:
    """The real inner product."""
    return float(np.sum(np.conj(left) * right).real)


def whole(cotangent: Tensor | Part, operand: Tensor) -> Any:
    """A cotangent as an array; one of a part is added to zeros, and gives the same when it is written."""
    if isinstance(cotangent, Tensor):
        return cotangent.handle
    zeros = eager.zeros_like(operand)
    added = cotangent.add(zeros).handle
    if cotangent.write is not None:
        np.testing.assert_array_equal(cotangent.write(zeros).handle, added)
    if cotangent.region is not None:
        outside = added.copy()
        outside[tuple(slice(axis.start, axis.stop) for axis in cotangent.region)] = 0
        assert not outside.any()
    return added


def reverse(use: Use, operands: list[Tensor], results: list[Tensor], given: list[Any]) -> dict[int, Any]:
    """The cotangents of all operands that have one."""
    wanted = numbers_of(use)
    found = cotangents(
        eager, use.op, operands, results, list(map(eager.value, given)), use.case.attributes, wanted
    )
    arrays = {number: whole(cotangent, operands[number]) for number, cotangent in found}
    for number, array in arrays.items():
        assert (array.dtype, array.shape) == (operands[number].dtype, operands[number].shape), str(use)
    return arrays


def is_right(use: Use, low: float, high: float) -> bool:
    """Compare tangents and cotangents at one point; False where results are not finite there."""
    arrays, attributes = values_of(use, low, high), use.case.attributes
    generator = np.random.default_rng(1)
    wanted = numbers_of(use)
    moves = {number: direction(generator, arrays[number]) for number in wanted}
    moved = [
        [
            array + sign * STEP * moves[number] if number in moves else array
            for number, array in enumerate(arrays)
        ]
        for sign in (1, -1)
    ]
    try:
        computed, ahead, behind = (use.op.compute(at, attributes) for at in (arrays, *moved))
    except ValueError:  # repeat of nothing, and the like
        return False
    if not all(np.isfinite(array).all() for array in (*computed, *ahead, *behind)):
        return False
    operands, results = (list(map(eager.value, values)) for values in (arrays, computed))
    given = [eager.value(moves[number]) if number in moves else None for number in range(len(arrays))]
    found = tangents(eager, use.op, operands, results, given, attributes)
    seeds = [
        direction(generator, array) if has_numbers(r.type) else None
        for array, r in zip(computed, results, strict=True)
    ]
    product = 0.0
    for tangent, result, seed, after, before in zip(found, computed, seeds, ahead, behind, strict=True):
        if seed is None:
            continue
        expected = (after - before) / (2 * STEP)
        got = np.zeros_like(result) if tangent is None else tangent.handle
        assert (got.dtype, got.shape) == (result.dtype, result.shape), str(use)
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6, err_msg=str(use))
        product += inner(seed, got)
    seeds = [np.zeros(0) if seed is None else seed for seed in seeds]
    back = reverse(use, operands, results, seeds)
    assert np.isclose(
        product, sum(inner(array, moves[number]) for number, array in back.items()), atol=1e-9
    ), str(use)
    return True


def checked_uses(op: type[Op]) -> Iterator[Use]:
    """The uses of an op with operands and results of float64 and complex128."""
    for use in uses_of(op):
        results = use.op.result_types(use.types, use.case.attributes)
        if any(isinstance(r, TensorType) and r.dtype == np.complex64 for r in results):
            continue
        if all(isinstance(r, TensorType) and r.dtype.itemsize < 8 for r in results):
            continue
        if op.name == "eigh" and use.types[0].dtype == np.complex128:
            continue  # vectors have any phase: what does not depend on it is tested below
        if all(t.dtype in (np.float64, np.complex128) for t in use.types if has_numbers(t)) and numbers_of(
            use
        ):
            yield use


WITH_RULES = [name for name in NAMES if is_differentiable(OPS[name])]


@pytest.mark.parametrize("name", [name for name in WITH_RULES if name != "stop_gradient"])
def test_rules_agree_with_differences(name: str) -> None:
    for use in checked_uses(OPS[name]):
        done = [is_right(use, *bounds) for bounds in RANGES]
        assert any(done) or any(0 in operand.shape for operand in use.types), f"{use} was nowhere finite"


@pytest.mark.parametrize("name", WITH_RULES)
def test_derivatives_have_the_dtypes_of_operands(name: str) -> None:
    for _, uses in itertools.groupby(uses_of(OPS[name]), key=lambda use: use.dtypes):
        use = next(uses)
        if not numbers_of(use) or use.types[0].dtype in (np.float64, np.complex128):
            continue
        operands = list(map(eager.value, values_of(use, *RANGES[0])))
        results = list(
            map(eager.value, use.op.compute([operand.handle for operand in operands], use.case.attributes))
        )
        try:
            reverse(use, operands, results, [np.ones(r.shape, r.dtype) for r in results])
        except WeftError:
            assert name == "bitcast"
            continue
        given = [operand if has_numbers(operand.type) else None for operand in operands]
        for tangent, result in zip(
            tangents(eager, use.op, operands, results, given, use.case.attributes), results, strict=True
        ):
            assert tangent is None or tangent.type == result.type, str(use)


@pytest.mark.sampled
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("name", WITH_RULES)
def test_ops_that_rules_make_compute_what_rules_compute(name: str, dynamic: bool) -> None:
    if name == "bitcast":
        pytest.skip("is an identity where it has a derivative")
    use = next(use for use in checked_uses(OPS[name]) if all(0 not in t.shape for t in use.types))
    arrays, attributes, wanted = values_of(use, *RANGES[0]), use.case.attributes, numbers_of(use)
    if name == "arccosh":
        arrays = values_of(use, *RANGES[2])
    operands = list(map(eager.value, arrays))
    results = list(map(eager.value, use.op.compute(arrays, attributes)))
    seeds = [np.full(r.shape, 2.0, r.dtype) for r in results]
    expected = reverse(use, operands, results, seeds)
    types = use.dynamic_types if dynamic else use.types
    if name == "conv":
        types = [types[0], use.types[1]]  # of whose kernel the extents are needed

    def body(b: Any, *values: Any) -> list[Any]:
        emitter = OpEmitter(ir.Location.unknown())
        inputs = list(map(emitter.value, values[: len(types)]))
        made = b(name, *values[: len(types)], **attributes)
        outputs = list(map(emitter.value, made if isinstance(made, tuple) else (made,)))
        given = [
            emitter.refined(emitter.value(g), r.type)
            for g, r in zip(values[len(types) :], outputs, strict=True)
        ]
        found = cotangents(emitter, use.op, inputs, outputs, given, attributes, wanted)
        full = [(n, c.add(emitter.zeros_like(inputs[n])) if isinstance(c, Part) else c) for n, c in found]
        assert all(value.type == types[number] for number, value in full)
        return [value.handle for _, value in sorted(full, key=lambda pair: pair[0])]

    seed_types = [eager.value(seed).type for seed in seeds]
    if dynamic:
        seed_types = [t.with_shape([n if n == 1 else None for n in t.shape]) for t in seed_types]
    got = interpret(build([*types, *seed_types], body), "main", [*arrays, *seeds])
    for array, number in zip(got, sorted(expected), strict=True):
        np.testing.assert_allclose(array, expected[number], rtol=1e-12, err_msg=str(use))


@pytest.mark.parametrize("upper", [False, True])
def test_vectors_of_complex_matrices_move_up_to_their_phases(upper: bool) -> None:
    generator = np.random.default_rng(3)
    x, move = (generator.normal(size=(3, 3)) + 1j * generator.normal(size=(3, 3)) for _ in range(2))

    def projectors(at: Any) -> Any:
        _, vectors, _ = OPS["eigh"].compute([at], {"upper": upper})
        return np.einsum("ik,jk->kij", vectors, vectors.conj())

    results = list(map(eager.value, OPS["eigh"].compute([x], {"upper": upper})))
    found = tangents(eager, OPS["eigh"], [eager.value(x)], results, [eager.value(move)], {"upper": upper})
    assert found[1] is not None
    vectors, moved = results[1].handle, found[1].handle
    got = np.einsum("ik,jk->kij", moved, vectors.conj())
    expected = (projectors(x + STEP * move) - projectors(x - STEP * move)) / (2 * STEP)
    np.testing.assert_allclose(got + got.conj().swapaxes(1, 2), expected, atol=1e-7)
    seeds = [np.zeros(3), direction(generator, vectors), np.zeros(0)]
    ((_, back),) = cotangents(
        eager,
        OPS["eigh"],
        [eager.value(x)],
        results,
        list(map(eager.value, seeds)),
        {"upper": upper},
        [0],
    )
    assert isinstance(back, Tensor)
    assert np.isclose(inner(seeds[1], moved), inner(back.handle, move))


# Kinks, ties and infinities


def gradient(name: str, *arrays: Any, wanted: tuple[int, ...] = (0,), **attributes: Any) -> Any:
    """The cotangent of the first wanted operand for a cotangent of ones."""
    operands = [eager.value(np.asarray(array, np.float64)) for array in arrays]
    results = [eager.value(r) for r in OPS[name].compute([o.handle for o in operands], attributes)]
    ones = [eager.full(eager.extents(r), 1, r.dtype) for r in results]
    found = dict(cotangents(eager, OPS[name], operands, results, ones, attributes, wanted))
    return whole(found[wanted[0]], operands[wanted[0]]) if wanted[0] in found else 0.0


ALL = {"axes": (0,), "keepdims": False}


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (lambda: gradient("maximum", 0.0, 0.0), 0.0),  # relu'(0)
        (lambda: gradient("maximum", 0.0, 0.0, wanted=(0, 1)), 0.5),
        (lambda: gradient("minimum", 2.0, 2.0, wanted=(1, 0)), 0.5),
        (lambda: gradient("fmax", 1.0, np.nan), 1.0),
        (lambda: gradient("absolute", 0.0), 0.0),
        (lambda: gradient("sqrt", 0.0), np.inf),
        (lambda: gradient("power", [0.0, 0.0, 2.0], [0.0, 1.0, 0.0]), [0.0, 1.0, 0.0]),
        (lambda: gradient("power", [0.0, 2.0], [2.0, 1.0], wanted=(1,)), [0.0, 2 * np.log(2)]),
        (lambda: gradient("max", [1.0, 3, 3], **ALL), [0.0, 0.5, 0.5]),
        (lambda: gradient("min_number", [np.nan, 3, 3, 4], **ALL), [0.0, 0.5, 0.5, 0.0]),
        (lambda: gradient("prod", [2.0, 0, 5], **ALL), [0.0, 10.0, 0.0]),
        (lambda: gradient("prod", [0.0, 0, 5], **ALL), [0.0, 0.0, 0.0]),
        (lambda: gradient("std", [2.0, 2.0], **ALL, correction=0.0), [0.0, 0.0]),
        (lambda: gradient("cumulative_prod", [2.0, 0, 3], axis=0), [1.0, 2 + 6, 0.0]),
        (lambda: gradient("cumulative_max", [1.0, 0, 1, 3], axis=0), [2.0, 0.0, 1.0, 1.0]),
        (lambda: gradient("heaviside", [0.0, 1.0], [0.5, 0.5], wanted=(1,)), [1.0, 0.0]),
        (lambda: gradient("logaddexp", -np.inf, 0.0), 0.0),
        (lambda: gradient("mean", np.zeros((0, 2)), **ALL), np.zeros((0, 2))),
    ],
)
def test_kinks_and_ties(got: Any, expected: Any) -> None:
    np.testing.assert_array_equal(got(), expected)


@pytest.mark.parametrize("name", ["sqrt", "log", "log1p", "reciprocal", "cbrt", "arcsin", "arctanh"])
def test_a_cotangent_of_zero_stays_zero(name: str) -> None:
    """Where a branch was not chosen, an infinite partial is multiplied by nothing."""
    edges = np.array([0.0, 1.0, -1.0])
    operand = eager.value(edges)
    result = eager.value(OPS[name].compute([edges], {})[0])
    ((_, found),) = cotangents(eager, OPS[name], [operand], [result], [eager.zeros_like(result)], {}, [0])
    np.testing.assert_array_equal(whole(found, operand), np.zeros(3))


def test_a_stopped_gradient_is_zero_whatever_differences_say() -> None:
    np.testing.assert_array_equal(gradient("stop_gradient", [1.0, 2.0]), 0.0)
