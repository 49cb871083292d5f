"""`concrete.to_onnx()`: programs written as models of ONNX, checked and run by ONNX's reference."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

import weft
from support.graph_programs import F32, convolved, mlp, normal, trained
from weft.frontend.onnx.writing import saving


def run(model: Any, *arguments: Any) -> list[Any]:
    """The outputs of a model that is right, for arguments in the order of its inputs."""
    onnx.checker.check_model(model, full_check=True)
    names = [given.name for given in model.graph.input]
    with np.errstate(all="ignore"):
        return ReferenceEvaluator(model).run(None, dict(zip(names, map(np.asarray, arguments), strict=True)))


def require_same(found: Sequence[Any], wanted: Any, tolerance: float = 1e-5) -> None:
    """Require equal dtypes and shapes, and values that are near."""
    several = wanted if isinstance(wanted, (tuple, list)) else [wanted]
    assert len(found) == len(several)
    for got, expected in zip(found, map(np.asarray, several), strict=True):
        assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


def written(program: Callable[..., Any], *specs: Any, **options: Any) -> Any:
    """The model of a program."""
    return weft.function(program).get_concrete_function(*specs).to_onnx(**options)


def looped(x: Any, n: Any) -> Any:
    total = np.zeros(3, F32)
    count = 0
    for i in range(1, n, 2):
        total = total + x * i
        if total[0] > 4:
            count = count + 1
    while np.abs(total).sum() > 1:
        total = total / 2
    return total, count


def nested(x: Any, n: Any) -> Any:
    best = x
    for i in range(n):
        step = x * 0
        for j in range(i):
            if j % 2 == 0:
                step = step + best * j
            else:
                step = step - x
        best = best + step * F32(0.1) if step.sum() < 100 else x
    return best


def indexed(x: Any, places: Any) -> Any:
    y = x.copy()
    y[:, 1] = 7
    y[::2, ::-2] = 1
    y[places, 2] = places.astype(F32)
    return (
        y, x.T, np.sort(x, axis=1), np.argsort(x, axis=0), np.where(x > 0, x, 0).cumsum(axis=1),
        np.argmax(x, axis=1), x.std(axis=0), np.roll(x, 1, axis=1), np.tril(x), x.astype(np.int32) % 3, x.mean(),
        np.maximum.accumulate(x, axis=0), np.pad(x, 2, mode="reflect"),
    )  # fmt: skip


def attention(q: Any, k: Any, v: Any) -> Any:
    scores = np.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(F32(q.shape[-1]))
    scores = np.where(np.tri(scores.shape[-1], dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return np.einsum("bhqk,bhkd->bqhd", weights, v).reshape(q.shape[0], q.shape[2], -1)


CASES: list[tuple[Callable[..., Any], list[Any]]] = [
    (mlp, [normal(4, 8), normal(8), normal(8, 3), normal(5, 4)]),
    (trained, [normal(4, 8), normal(8), normal(8, 3), normal(5, 4)]),
    (looped, [normal(3), np.int64(6)]),
    (nested, [normal(3), np.int64(5)]),
    (indexed, [normal(4, 5), np.array([3, 0, -1])]),
    (convolved, [normal(2, 6, 6, 3), normal(3, 3, 3, 4)]),
    (attention, [normal(2, 3, 4, 5), normal(2, 3, 4, 5), normal(2, 3, 4, 5)]),
]


@pytest.mark.parametrize(("program", "arguments"), CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_programs(program: Callable[..., Any], arguments: Sequence[Any]) -> None:
    model = written(program, *arguments, checks=False)
    wanted = program(*arguments)
    require_same(run(model, *arguments), wanted, 1e-4 if program is nested else 1e-5)


@pytest.mark.parametrize(
    ("program", "arguments"), CASES[:1] + CASES[2:], ids=lambda case: getattr(case, "__name__", "")
)
def test_what_is_written_is_read_again(program: Callable[..., Any], arguments: Sequence[Any]) -> None:
    again = weft.onnx.load(written(program, *arguments, checks=False))
    found = again(*arguments)
    require_same(found if isinstance(found, tuple) else [found], program(*arguments), 1e-4)


# Names, types and state


def infos(values: Any) -> dict[str, list[Any]]:
    """The names of values, and their extents: numbers or names."""
    return {
        value.name: [dim.dim_param or dim.dim_value for dim in value.type.tensor_type.shape.dim]
        for value in values
    }


def test_arguments_results_and_unknown_extents_have_names() -> None:
    def scored(params: Any, x: Any, /, *, scale: Any) -> Any:
        hidden = x @ params["w"]
        return {"scores": hidden * scale, "parts": (hidden.sum(axis=0), x[1:], hidden.T)}

    concrete = weft.function(scored).get_concrete_function(
        {"w": weft.TensorSpec((3, 2), "float32")},
        weft.TensorSpec((None, 3), "float32"),
        scale=weft.TensorSpec((), "float32"),
    )
    model = concrete.to_onnx()
    assert model.graph.name == "scored"
    assert (model.producer_name, model.opset_import[0].version) == ("weft", 20)
    assert infos(model.graph.input) == {"params['w']": [3, 2], "x": ["x_0", 3], "scale": []}
    assert infos(model.graph.output) == {
        "scores": ["x_0", 2], "parts_0": [2], "parts_1": ["parts_1_0", 3], "parts_2": [2, "x_0"],
    }  # fmt: skip
    w, x = normal(3, 2), normal(4, 3)
    hidden = x @ w
    require_same(run(model, w, x, F32(2)), [hidden * 2, hidden.sum(axis=0), x[1:], hidden.T])


def test_unknown_sizes() -> None:
    def normalized(x: Any, w: Any) -> Any:
        y = (x - x.mean(axis=0)) @ w
        z = y / (np.abs(y).sum(axis=1, keepdims=True) + 1)
        return (
            z,
            np.arange(x.shape[0]),
            y.reshape(-1),
            np.concatenate([y, z]),
            y[::-1],
            x.shape[0] * 2,
            np.tile(y, 2),
        )

    model = written(normalized, weft.TensorSpec((None, 3), "float32"), weft.TensorSpec((3, 2), "float32"))
    assert list(infos(model.graph.output).values())[:3] == [["x_0", 2], ["x_0"], ["result_2_0"]]
    for count in (1, 4):
        x, w = normal(count, 3), normal(3, 2)
        require_same(run(model, x, w), normalized(x, w))


def test_results_that_are_arguments_views_and_chosen() -> None:
    def viewed(x: Any, y: Any) -> Any:
        z = x if x.sum() > 0 else y[1:] if y[0, 0] > 0 else y * 2
        return {"same": x, "again": x, "part": x[1:], "turned": (y * 2).T, "z": z, "next": z + 1}

    model = written(viewed, weft.TensorSpec((2, 2), "float32"), weft.TensorSpec((3, 2), "float32"))
    for x in (normal(2, 2) + 9, normal(2, 2) - 9):
        for y in (abs(normal(3, 2)), -abs(normal(3, 2))):
            require_same(run(model, x, y), list(viewed(x, y).values()))


def test_arrays_from_outside_are_initialisers() -> None:
    class Layer:
        def __init__(self) -> None:
            self.weights = normal(300, 2)
            self.bias = normal(2)

        def __call__(self, x: Any) -> Any:
            return x @ self.weights + self.bias

    layer = Layer()
    model = written(layer, weft.TensorSpec((4, 300), "float32"))
    shapes = {given.name: list(given.dims) for given in model.graph.initializer}
    assert sorted(shapes.values()) == [[2], [300, 2]]
    assert [name for name in shapes if "weights" in name]
    assert [given.name for given in model.graph.input] == ["x"]
    x = normal(4, 300)
    require_same(run(model, x), layer(x), 1e-4)


def test_variables_that_are_read_are_initialisers() -> None:
    factor = weft.Variable(np.full(3, 2, F32))
    model = written(lambda x: x * factor, weft.TensorSpec((3,), "float32"))
    factor.assign(np.zeros(3, F32))
    require_same(run(model, normal(3)), normal(3) * 2)


def test_halves_are_added_up_as_in_numpy() -> None:
    def summed(x: Any) -> Any:
        return x.sum(axis=1), x @ x.T, x.mean()

    x = (normal(4, 600) * 10).astype(np.float16)
    function = weft.function(summed)
    require_same(run(function.get_concrete_function(x).to_onnx(), x), function(x), 2e-3)


def test_masks_and_places_of_elements() -> None:
    def picked(x: Any) -> Any:
        (places,) = np.nonzero(x > 0)
        return x[x > 0], places, x[places] * 2

    model = written(picked, weft.TensorSpec((None,), "float32"), checks=False)
    for count in (6, 1, 0):
        x = np.random.default_rng(1).standard_normal(count).astype(F32)
        require_same(run(model, x), picked(x))


# What is refused


def told(function: Any, *specs: Any, **options: Any) -> str:
    """What is said against a function."""
    with pytest.raises(weft.NotPortable, match=r"^\w+ has no form in ONNX:\n") as caught:
        written(function, *specs, **options)
    return str(caught.value)


def test_all_that_cannot_be_said_is_told() -> None:
    draw = np.random.default_rng(1)

    def refused(x: Any, i: Any) -> Any:
        y = np.linalg.inv(x)
        z = draw.random(3)
        y = y + np.fft.fft(x).real
        return y, z, x[i]

    specs = weft.TensorSpec((3, 3), "float64"), weft.TensorSpec((), "int64")
    first = refused.__code__.co_firstlineno
    lines = told(refused, *specs).splitlines()
    for what, line in (
        ("weft.inv is none of ONNX", 1),
        ("weft.random_floats is none of ONNX", 2),
        ("weft.fft has no form for complex128", 3),
        ("weft.raise_if raises IndexError, 'index {0} is out of bounds", 4),
    ):
        (found,) = [each for each in lines if what in each]
        assert f"test_to_onnx.py:{first + line}:" in found
    assert "with checks=False, it is left out" in "\n".join(lines)
    assert "IndexError" not in told(refused, *specs, checks=False)


def test_written_arguments_and_state_are_told() -> None:
    total = np.zeros(3, F32)
    count = weft.Variable(np.zeros(3, F32))

    def counted(x: Any, y: Any) -> Any:
        x[0] = 1
        if y.sum() > 0:
            y += x
        total[1] = 2
        count.assign(count + x)
        return x + y

    words = told(counted, normal(3), normal(3))
    assert (
        "x[0] = 1" in words
        or "writes x, and models of ONNX write none of their inputs: return what it becomes" in words
    )
    for name in ("x", "y", "total", "count"):
        assert re.search(rf"(writes|changes) .*{name}", words), words


def test_calls_of_python_and_complex_numbers_are_told() -> None:
    def shown(x: Any) -> Any:
        weft.py_call(print, x)
        return np.abs(np.exp(1j * x))

    words = told(shown, normal(3))
    assert "it calls Python for `print`" in words
    assert "has no form for complex" in words


def test_functions_that_call_themselves_are_told() -> None:
    def doubled(x: Any, n: Any) -> Any:
        return x if n <= 0 else doubled(x * 2, n - 1)

    concrete = weft.function(doubled).get_concrete_function(normal(3), weft.TensorSpec((), "int64"))
    for write in (concrete.to_onnx, concrete.to_stablehlo):
        with pytest.raises(weft.NotPortable, match=r"calls doubled\.1, which calls itself: write a loop"):
            write()


def test_dtypes_that_an_op_does_not_take_are_told() -> None:
    words = told(
        lambda x, k: weft.conv(x, k), np.ones((1, 4, 4, 1), np.int64), np.ones((2, 2, 1, 1), np.int64)
    )
    assert "weft.conv has no form for int64: Conv does not take it" in words
    words = told(lambda x: x.view(np.int32), normal(3))
    assert "reads bits of floats, which ONNX can from opset 26 on" in words
    assert (
        run(written(lambda x: x.view(np.int32), normal(3), opset=26), normal(3))[0].tolist()
        == normal(3).view(np.int32).tolist()
    )


def test_results_that_may_be_none_are_told() -> None:
    assert "it returns what may be None" in told(lambda x: x * 2 if x[0] > 0 else None, normal(3))


def test_versions() -> None:
    concrete = weft.function(lambda x: x.sum() + 1).get_concrete_function(normal(3))
    for opset in (18, 21, onnx.defs.onnx_opset_version()):
        model = concrete.to_onnx(opset=opset)
        assert model.opset_import[0].version == opset
        require_same(run(model, normal(3)), normal(3).sum() + 1)
    wrong: tuple[Any, ...] = (17, 1000, "new", 20.0, True)
    for opset in wrong:
        with pytest.raises(ValueError, match=rf"this weft writes opsets 18 to \d+ of ONNX, not {opset!r}"):
            concrete.to_onnx(opset=opset)


# Files


def test_save(tmp_path: Path) -> None:
    @weft.function(input_signature=[weft.TensorSpec((None, 3), "float32")])
    def doubled(x: Any) -> Any:
        return x * 2

    path = tmp_path / "doubled.onnx"
    weft.onnx.save(path, doubled)
    weft.onnx.save(str(path), doubled.get_concrete_function(), opset=21)
    model = onnx.load(path)
    assert model.opset_import[0].version == 21
    require_same(run(model, normal(2, 3)), normal(2, 3) * 2)
    assert [each.name for each in tmp_path.iterdir()] == ["doubled.onnx"]


def test_what_cannot_be_saved_leaves_no_file(tmp_path: Path) -> None:
    inverse = weft.function(np.linalg.inv)
    path = tmp_path / "inverse.onnx"
    with pytest.raises(
        ValueError, match=r"nothing was compiled of inv yet: call it, or pass inv\.get_concrete"
    ):
        weft.onnx.save(path, inverse)
    inverse(np.eye(2))
    with pytest.raises(weft.NotPortable):
        weft.onnx.save(path, inverse)
    inverse(np.eye(3))
    with pytest.raises(ValueError, match="inv was compiled for 2 signatures, and a model of ONNX has one"):
        weft.onnx.save(path, inverse)
    with pytest.raises(TypeError, match=r"weft\.onnx\.save writes what weft\.function makes, not <"):
        weft.onnx.save(path, np.sin)
    assert not list(tmp_path.iterdir())


def test_large_weights_lie_in_a_file_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = normal(400, 4)
    product = weft.function(lambda x: x @ weights).get_concrete_function(normal(2, 400))
    monkeypatch.setattr(saving, "_LARGEST", 1000)
    for _ in range(2):  # the second one replaces both files
        weft.onnx.save(tmp_path / "product.onnx", product)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["product.onnx", "product.onnx.data"]
    assert (tmp_path / "product.onnx.data").stat().st_size == weights.nbytes
    require_same(run(onnx.load(tmp_path / "product.onnx"), normal(2, 400)), normal(2, 400) @ weights, 1e-4)


class Scaled:
    """An object whose method is compiled, for each object anew."""

    def __init__(self, factor: float) -> None:
        self.factor = np.full(3, factor, F32)

    @weft.function
    def __call__(self, x: Any) -> Any:
        return x * self.factor

    @weft.function
    def halved(self, x: Any) -> Any:
        return x * self.factor / 2


def test_methods(tmp_path: Path) -> None:
    x = normal(2, 3)
    twice, thrice = Scaled(2), Scaled(3)
    for scaled in (twice, thrice):
        scaled.halved(x)
        weft.onnx.save(tmp_path / "scaled.onnx", scaled.halved)
        require_same(run(onnx.load(tmp_path / "scaled.onnx"), x), x * scaled.factor / 2)
    text = thrice.halved.get_concrete_function(x).to_stablehlo(form="text")
    assert "dense<3.000000e+00>" in text


# What ONNX has one op for


def ops_of(model: Any) -> list[str]:
    """The kinds of the nodes."""
    return [node.op_type for node in model.graph.node]


def softmax(x: Any, axis: int = -1) -> Any:
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def test_networks_are_written_as_such() -> None:
    weights = normal(4, 8), normal(8), normal(8, 3), normal(5, 4)
    assert ops_of(written(mlp, *weights)) == ["MatMul", "Add", "Relu", "Tanh", "MatMul", "LogSoftmax"]

    filters, scale, bias = normal(3, 3, 3, 3), normal(3), normal(3)

    def network(x: Any) -> Any:
        y = np.maximum(0, weft.conv(x, filters, padding="same") * scale + bias)
        y = weft.conv(weft.avg_pool(y, 2), filters, strides=2, padding=1) - 1
        return softmax(y.mean(axis=(1, 2)))

    x = normal(2, 8, 8, 3)
    model = written(network, weft.TensorSpec((None, 8, 8, 3), "float32"))
    assert ops_of(model) == [
        "Transpose", "Conv", "Mul", "Add", "Relu", "AveragePool", "Conv", "Sub", "Transpose", "ReduceMean", "Softmax",
    ]  # fmt: skip
    require_same(run(model, x), network(x))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_softmax_of_special_numbers(axis: int) -> None:
    x = normal(4, 5)
    x[0, 0], x[1, 1], x[2, 2], x[3] = np.nan, np.inf, -np.inf, -np.inf
    model = written(lambda x: softmax(x, axis), x)
    assert ops_of(model) == ["Softmax"]
    with np.errstate(invalid="ignore"):
        require_same(run(model, x), softmax(x, axis))


def test_what_looks_like_softmax_and_is_not() -> None:
    def others(x: Any) -> Any:
        largest = x.max(axis=1, keepdims=True)
        powers = np.exp(x - largest)
        far = np.exp(x - x.max(axis=0, keepdims=True))
        return (
            powers / powers.sum(axis=0, keepdims=True),
            far / powers.sum(axis=1, keepdims=True),
            powers / powers.sum(axis=(0, 1), keepdims=True),
            far / far.sum(axis=1, keepdims=True),
            np.exp(x - x.min(axis=1, keepdims=True)) / powers.sum(axis=1, keepdims=True),
            (x - largest) - np.log(far.sum(axis=1, keepdims=True)),
            np.maximum(x, 1) + np.minimum(x, 0) + np.maximum(x, x * 0),
        )

    x = normal(3, 4)
    model = written(others, x)
    assert not {"Softmax", "LogSoftmax", "Relu"} & set(ops_of(model))
    require_same(run(model, x), others(x))


def test_what_lies_between_images_is_turned_with_them() -> None:
    filters, bias, plane = normal(1, 1, 3, 2), normal(2), normal(4, 5, 1)

    def between(x: Any, y: Any) -> Any:
        z = weft.conv(x, filters)
        return z + plane - bias, 1 / z, z + y, np.maximum(z * 2, bias) > 0

    x, y = normal(2, 4, 5, 3), normal(2, 4, 5, 2)
    require_same(run(written(between, x, y), x, y), between(x, y), 1e-4)
