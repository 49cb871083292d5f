"""`concrete.to_stablehlo()`: programs written in StableHLO, run by its interpreter and read back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import weft
from support.graph_programs import F32, convolved, mlp, normal, trained
from support.stablehlo import evaluated, require_equal


def looped(x: Any, n: Any) -> Any:
    total = np.zeros(3, F32)
    count = 0
    for i in range(n):
        total = total + x * i
        if total[0] > 4:
            count = count + 1
    while total.sum() > 1:
        total = total / 2
    return total, count


def written(x: Any, y: Any) -> Any:
    x[1:] += y[:2]
    for i in range(3):
        if y[i] > 0:
            x[i] = -1
    return x.sum()


def indexed(x: Any, places: Any) -> Any:
    y = x.copy()
    y[:, 1] = 7
    y[::2, ::-2] = 1
    return (
        x[places], y, x.T, np.sort(x, axis=1), np.argsort(x, axis=0), np.where(x > 0, x, 0).cumsum(axis=1),
        np.argmax(x, axis=1), x.std(axis=0), np.roll(x, 1, axis=1), np.tril(x), x.astype(np.int32) % 3, x.mean(),
    )  # fmt: skip


def numbers(x: Any, scale: float) -> Any:
    return x * scale, np.power(x, 2), 3, x.shape[0] * 2


CASES: list[tuple[Callable[..., Any], list[Any]]] = [
    (mlp, [normal(4, 8), normal(8), normal(8, 3), normal(5, 4)]),
    (trained, [normal(4, 8), normal(8), normal(8, 3), normal(5, 4)]),
    (looped, [normal(3), np.int64(6)]),
    (written, [normal(3), np.array([0.5, -1, 2], F32)]),
    (indexed, [normal(4, 5), np.array([3, 0, -1])]),
    (convolved, [normal(2, 6, 6, 3), normal(3, 3, 3, 4)]),
    (numbers, [normal(3), np.float32(2.5)]),
]


def arrays_of(given: Any) -> list[np.ndarray[Any, Any]]:
    """The arrays of a result."""
    several = given if isinstance(given, (tuple, list)) else [given]
    return [np.asarray(each) for each in several if not isinstance(each, int) or each not in (3, 6)]


@pytest.mark.parametrize(("program", "arguments"), CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_programs(program: Callable[..., Any], arguments: Sequence[Any]) -> None:
    function = weft.function(program)
    given = [np.array(each) if each.ndim else each for each in arguments]
    concrete = function.get_concrete_function(*given)
    text, artifact = concrete.to_stablehlo(form="text", checks=False), concrete.to_stablehlo(checks=False)
    eager = [np.array(each) if each.ndim else each for each in arguments]
    wanted = arrays_of(program(*eager))
    if program is written:
        wanted.append(eager[0])
    require_equal(evaluated(text, arguments), wanted, 1e-5)
    again = weft.from_stablehlo(artifact)
    require_equal(arrays_of(again(*arguments)), wanted, 1e-5)


def test_results_that_are_arguments_and_views() -> None:
    @weft.function
    def viewed(x: Any, y: Any) -> Any:
        x += 1
        return {"same": x, "part": x[1:], "turned": (y * 2).T, "other": y}

    x, y = normal(3, 2), normal(2, 2)
    text = viewed.get_concrete_function(x.copy(), y).to_stablehlo(form="text")
    wanted = [x + 1, x[1:] + 1, (y * 2).T, y, x + 1]
    require_equal(evaluated(text, [x, y]), wanted, 1e-6)


def test_results_that_a_branch_chooses() -> None:
    @weft.function
    def chosen(x: Any, y: Any) -> Any:
        z = x if x.sum() > 0 else y[1:] if y[0] > 0 else y[:3] * 2
        return z, z + 1

    concrete = chosen.get_concrete_function(weft.TensorSpec([3], "float32"), weft.TensorSpec([4], "float32"))
    text = concrete.to_stablehlo(form="text")
    y = np.array([1, 2, 3, 4], F32)
    for x, other in ((normal(3) + 9, y), (normal(3) - 9, y), (normal(3) - 9, -y)):
        require_equal(evaluated(text, [x, other]), list(chosen(x, other)))


def test_results_that_may_be_none_are_refused() -> None:
    optional = weft.function(lambda x: x * 2 if x[0] > 0 else None)
    concrete = optional.get_concrete_function(normal(3))
    with pytest.raises(weft.NotPortable, match="it returns what may be None, or one of several constants"):
        concrete.to_stablehlo()


def test_arrays_from_outside_are_constants() -> None:
    weights = normal(300, 2)
    doubled = weft.function(lambda x: x @ weights * 2)
    text = doubled.get_concrete_function(weft.TensorSpec((4, 300), "float32")).to_stablehlo(form="text")
    x = normal(4, 300)
    require_equal(evaluated(text, [x]), [x @ weights * 2], 1e-4)


def test_unknown_sizes() -> None:
    @weft.function
    def normalized(x: Any, w: Any) -> Any:
        y = (x - x.mean(axis=0)) @ w
        return y / np.abs(y).sum(axis=1, keepdims=True), np.arange(x.shape[0]), y.reshape(-1)

    concrete = normalized.get_concrete_function(
        weft.TensorSpec((None, 3), "float32"), weft.TensorSpec((3, 2), "float32")
    )
    again = weft.from_stablehlo(concrete.to_stablehlo())
    assert str(again.recorded_as[0]) == "(f32[?,3], f32[3,2])"
    for count in (1, 4):
        x, w = normal(count, 3), normal(3, 2)
        require_equal(arrays_of(again(x, w)), arrays_of(concrete(x, w)), 1e-6)


def test_versions() -> None:
    concrete = weft.function(lambda x: x + 1).get_concrete_function(normal(3))
    assert b"StableHLO_v1.0.0" in concrete.to_stablehlo(version="1.0.0")[:64]
    wrong: tuple[Any, ...] = ("99.0.0", "0.1.0", "new", "", 1.0)
    for version in wrong:
        with pytest.raises(
            ValueError, match=rf"this weft writes StableHLO 0\.9\.0 to 1\.\d+\.\d+, not {version!r}"
        ):
            concrete.to_stablehlo(version=version)
    with pytest.raises(ValueError, match="has no form 'onnx'; there are: artifact, text"):
        concrete.to_stablehlo(form="onnx")  # type: ignore[call-overload]


def test_all_that_cannot_be_said_is_told() -> None:
    @weft.function
    def refused(x: Any, i: Any) -> Any:
        y = np.linalg.inv(x)
        z = np.random.default_rng(1).random(3)
        return y, z, x[i]

    concrete = refused.get_concrete_function(weft.TensorSpec((3, 3), "float64"), weft.TensorSpec((), "int64"))
    with pytest.raises(weft.NotPortable, match=r"^refused has no form in StableHLO:\n") as caught:
        concrete.to_stablehlo()
    told = str(caught.value)
    assert "y = np.linalg.inv(x)" in told or "weft.inv is none of StableHLO" in told
    assert "weft.inv is none of StableHLO" in told
    assert "test_to_stablehlo.py" in told
    assert "raises IndexError" in told
    assert "with checks=False, it is left out" in told
    with pytest.raises(weft.NotPortable) as caught:
        concrete.to_stablehlo(checks=False)
    assert "IndexError" not in str(caught.value)


def test_calls_of_python_are_told() -> None:
    def shown(x: Any) -> Any:
        weft.py_call(print, x)
        return x

    concrete = weft.function(shown).get_concrete_function(normal(3))
    with pytest.raises(weft.NotPortable, match="it calls Python for `print`"):
        concrete.to_stablehlo()


def test_state_is_told() -> None:
    count = weft.Variable(np.zeros(3, F32))

    @weft.function
    def counted(x: Any) -> Any:
        count.assign(count + x)
        return x

    concrete = counted.get_concrete_function(normal(3))
    with pytest.raises(weft.NotPortable, match=r"it (writes|changes) .*count.*: take it as an argument"):
        concrete.to_stablehlo()


def test_checks_that_are_left_out() -> None:
    picked = weft.function(lambda x, i: x[i])
    concrete = picked.get_concrete_function(weft.TensorSpec((3,), "float32"), weft.TensorSpec((), "int64"))
    x = normal(3)
    text = concrete.to_stablehlo(form="text", checks=False)
    for place, wanted in ((1, 1), (-1, 2), (7, 2), (-9, 0)):
        require_equal(evaluated(text, [x, np.array(place)]), [x[wanted]])
