"""Arrays over ranks: how they are made, what they know, and what is said of specs and programs that do not fit."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft

ranks = weft.distributed
P = ranks.P
X = np.arange(14.0).reshape(7, 2)


@pytest.fixture
def mesh() -> Any:
    return ranks.Mesh.simulated(3)


def test_specs_are_as_those_of_jax() -> None:
    assert P is ranks.PartitionSpec
    assert repr(P("d", None)) == "PartitionSpec('d', None)"
    assert P(None, "d") == (None, "d")
    assert P(("a",)) == P("a")
    for wrong in (3, (), ("a", 3)):
        with pytest.raises(TypeError, match=r"a tuple of such names, or None, not"):
            P(wrong)  # type: ignore[arg-type]


def test_blocks_are_cut(mesh: Any) -> None:
    x = ranks.scatter(X, P("d"), mesh)
    assert (x.shape, x.dtype, x.ndim, x.size, x.nbytes, len(x)) == ((7, 2), X.dtype, 2, 14, 112, 7)
    assert x.spec == P("d")
    assert [len(block) for block in x.blocks] == [2, 2, 3]
    np.testing.assert_array_equal(x.gather(), X)
    with pytest.raises(ValueError, match="there are 3 blocks in this process"):
        x.local  # noqa: B018
    with pytest.warns(weft.GatherWarning, match="is gathered on every rank, 112 bytes"):
        np.testing.assert_array_equal(np.asarray(x), X)
    columns = ranks.scatter(X, P(None, "d"), mesh)
    assert [block.shape[1] for block in columns.blocks] == [0, 1, 1]
    assert ranks.scatter(X, P("d"), ranks.Mesh.simulated(1)).local.shape == (7, 2)


def test_blocks_are_given(mesh: Any) -> None:
    blocks = [np.ones((extent, 2)) * extent for extent in (4, 0, 2)]
    x = ranks.from_local(blocks, P("d"), mesh)
    assert x.shape == (6, 2)
    doubled = x + x
    assert [len(block) for block in doubled.blocks] == [4, 0, 2]
    np.testing.assert_array_equal(doubled.gather(), np.concatenate(blocks) * 2)
    with pytest.raises(
        ValueError, match=r"axis 0 is not split by PartitionSpec\(\), but blocks have 4, 0, 2"
    ):
        ranks.from_local(blocks, P(), mesh)
    with pytest.raises(TypeError, match="as many axes and the same dtype, not"):
        ranks.from_local([np.ones(2), np.ones(2, "int32"), np.ones(2)], P("d"), mesh)
    with pytest.raises(ValueError, match="there are 2 blocks for 3 ranks"):
        ranks.from_local(blocks[:2], P("d"), mesh)


def test_blocks_are_of_numbers(mesh: Any) -> None:
    with pytest.raises(TypeError, match="datetime64"):
        ranks.scatter(np.array(["2026-01-01"], "datetime64[D]"), P("d"), mesh)


def test_blocks_are_read(tmp_path: Path, mesh: Any) -> None:
    np.save(tmp_path / "x.npy", X)
    np.testing.assert_array_equal(ranks.load(tmp_path / "x.npy", P("d"), mesh).gather(), X)


def test_numpy_runs_on_blocks(mesh: Any) -> None:
    x = ranks.scatter(X, P("d"), mesh)
    y = np.tanh(x) * 2 + np.mean(x, axis=0)
    assert isinstance(y, ranks.ShardedArray)
    np.testing.assert_allclose(y.gather(), np.tanh(X) * 2 + X.mean(axis=0))
    assert np.sum(x) == X.sum()


def summed(x: Any, y: Any) -> Any:
    return x + y


@pytest.mark.parametrize(
    ("specs", "message"),
    [
        ((P("e"), P()), "argument 'x' is split over 'e', but the axes of the mesh are 'd'"),
        ((P(), P(None, None, "d")), "argument 'y' has 2 axes, too few for PartitionSpec(None, None, 'd')"),
        (
            (P("d", "d"), P()),
            "argument 'x': PartitionSpec('d', 'd') splits two axes of the array over one axis",
        ),
        ((P("d"),), "in_specs has 1 entries, but summed is called with 2 arguments: x, y"),
        (({"a": P()}, P()), "the spec of argument 'x' is a P, None, or nested as the argument is, not {'a'"),
    ],
)
def test_specs_fit(mesh: Any, specs: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=re.escape(message)) as raised:
        ranks.partition(summed, mesh, specs)(X, X)
    assert raised.traceback[-2].path == Path(__file__)


def test_arguments_are_nested(mesh: Any) -> None:
    def scaled(parameters: Any, rows: Any) -> Any:
        return {"y": [row * parameters["w"] for row in rows]}

    step = ranks.partition(scaled, mesh, (P(), [P("d"), P(None, "d")]))
    found = step({"w": np.array([2.0, 3.0])}, [X, X])
    assert [y.spec for y in found["y"]] == [P("d"), P(None, "d")]
    np.testing.assert_array_equal(found["y"][1].gather(), X * [2, 3])


def test_containers_of_the_caller_are_returned(mesh: Any) -> None:
    parameters = {"w": np.ones(2)}
    found, _ = ranks.partition(lambda p, x: (p, x * p["w"]), mesh, (None, P("d")))(parameters, X)
    assert found is parameters


def test_what_is_returned_several_times_is_one_object(mesh: Any) -> None:
    def several(x: Any) -> Any:
        part, pair = x[1:4], [x[::2], x * 2]
        known = {"pair": pair, "part": part}
        known["self"] = known
        return known, pair, part, x.T if np.sum(x) > 0 else None

    known, pair, part, turned = ranks.partition(several)(ranks.scatter(X, P("d"), mesh))
    assert known["self"] is known
    assert known["pair"] is pair
    assert known["part"] is part
    for found, wanted in zip((*pair, part, turned), (X[::2], X * 2, X[1:4], X.T), strict=True):
        assert isinstance(found, ranks.ShardedArray)
        np.testing.assert_array_equal(found.gather(), wanted)


def test_views_are_arrays_of_their_own(mesh: Any) -> None:
    x = ranks.scatter(X, P("d"), mesh)
    whole, inner, turned = ranks.partition(lambda x: (x, x[1:-1], x.T), mesh)(x)
    assert whole is x
    assert turned.spec == P(None, "d")
    np.testing.assert_array_equal(inner.gather(), X[1:-1])


# Programs that are refused

TOTAL = weft.Variable(np.zeros(2))


def prints(x: Any) -> Any:
    print(x)
    return x


def assigns(x: Any) -> Any:
    TOTAL.assign_add(np.sum(x, axis=0))
    return x


def reduces(x: Any) -> Any:
    return ranks.all_reduce(x)


@pytest.mark.parametrize(
    ("f", "message", "line"),
    [
        (
            prints,
            "calls Python, which every rank would do for itself: return what is to be shown",
            "print(x)",
        ),
        (assigns, "assigns changes what is outside of its arguments", "TOTAL.assign_add(np.sum(x, axis=0))"),
        (
            reduces,
            "calls all_reduce of weft.distributed, but is written as for one machine",
            "ranks.all_reduce(x)",
        ),
    ],
)
def test_what_ranks_would_do_for_themselves_is_refused(mesh: Any, f: Any, message: str, line: str) -> None:
    with pytest.raises(weft.PartitionError, match=message) as raised:
        ranks.partition(f, mesh, P("d"))(X)
    assert line in str(raised.value)


def test_variables_are_read(mesh: Any) -> None:
    offset = weft.Variable(np.ones(2))
    step = ranks.partition(lambda x: x + offset, mesh, P("d"))
    np.testing.assert_array_equal(step(X).gather(), X + 1)
    offset.assign(np.zeros(2))
    np.testing.assert_array_equal(step(X).gather(), X)


def test_whole_arrays_are_announced(mesh: Any) -> None:
    def decomposed(x: Any) -> Any:
        return np.linalg.svd(x)[1]

    with pytest.warns(
        weft.GatherWarning, match=r"svd works along the axis that is split: 144 bytes"
    ) as record:
        found = ranks.partition(decomposed, mesh, P("d"))(X)
    assert record[0].filename == __file__
    np.testing.assert_allclose(found, decomposed(X))


def test_compiled_functions_take_blocks(mesh: Any) -> None:
    x = ranks.scatter(X, P("d"), mesh)
    spread = weft.function(lambda x: {"rows": x - np.mean(x, axis=0)})
    assert "weft.all_reduce" in spread.get_concrete_function(x).as_text("partitioned")
    np.testing.assert_allclose(spread(x)["rows"].gather(), X - X.mean(axis=0))
    gradient = weft.grad(lambda x: np.sum(x**2))(x)
    assert gradient.spec == P("d")
    np.testing.assert_allclose(gradient.gather(), 2 * X)


def test_gradients_come_before_and_after(mesh: Any) -> None:
    def loss(w: Any, x: Any) -> Any:
        return np.sum(np.tanh(x @ w))

    w = np.array([0.1, -0.2])
    wanted = weft.grad(loss)(w, X)
    np.testing.assert_allclose(ranks.partition(weft.grad(loss), mesh, (P(), P("d")))(w, X), wanted)
    step = ranks.partition(loss, mesh, (P(), P("d")))
    np.testing.assert_allclose(weft.grad(step)(w, ranks.scatter(X, P("d"), mesh)), wanted)


# What is told of them


def test_programs_are_shown(mesh: Any) -> None:
    def scored(x: Any, w: Any) -> Any:
        return np.sum(x @ w) / len(x)

    step = ranks.partition(scored, mesh, (P("d"), P()))
    text = step.get_concrete_function(X, np.ones(2)).as_text("partitioned")
    assert 'sdy.mesh @mesh = <["d"=3]>' in text
    assert 'sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>' in text
    assert re.search(r'"weft.all_reduce".* // 8 bytes, test_sharded.py:\d+', text)
    with pytest.raises(ValueError, match="there is no stage 'llvm' of a program over split arrays"):
        step.get_concrete_function(X, np.ones(2)).as_text("llvm")
    analysis = step.communication_analysis()
    assert (analysis.ranks, analysis.bytes) == (3, 8)
    assert [sent.kind for sent in analysis.collectives] == ["all_reduce"]
    assert "all_reduce" in str(analysis)
    many = step.get_concrete_function(X, np.ones(2)).communication_analysis(1000)
    assert 29e-6 < many.seconds < 31e-6


SHIFT = np.array([1.0, 2.0])


def test_arguments_come_by_name(mesh: Any) -> None:
    def affine(x: Any, scale: Any = 2.0, *, shift: Any = SHIFT) -> Any:
        return x * scale + shift

    step = ranks.partition(affine, mesh, P("d"))
    np.testing.assert_array_equal(step(X).gather(), X * 2 + [1, 2])
    named = ranks.partition(affine, mesh, (P("d"), None, P()))
    np.testing.assert_array_equal(named(shift=np.array([3.0, 4.0]), x=X, scale=3.0).gather(), X * 3 + [3, 4])
    both = ranks.partition(summed, mesh)
    x, y = ranks.scatter(X, P("d"), mesh), ranks.scatter(X[::-1], P("d"), mesh)
    np.testing.assert_array_equal(both(y=x, x=y).gather(), X + X[::-1])


def added(x: Any, y: Any) -> Any:
    x += 1
    return x + y


def test_what_is_written_is_the_array_of_the_caller(mesh: Any) -> None:
    x = ranks.scatter(X, P("d"), mesh)
    np.testing.assert_array_equal(ranks.partition(added)(x, x).gather(), 2 * (X + 1))
    np.testing.assert_array_equal(x.gather(), X + 1)
    whole = X[0].copy()
    ranks.partition(added, mesh, (P(), P("d")))(whole, X)
    np.testing.assert_array_equal(whole, X[0] + 1)
    with pytest.raises(
        weft.PartitionError, match=r"added writes to x, which is cut into blocks for the call: pass"
    ):
        ranks.partition(added, mesh, (P("d"), P()))(X.copy(), X)


def test_generators_are_drawn_from(mesh: Any) -> None:
    def noisy(x: Any, generator: Any) -> Any:
        return x + generator.normal(size=x.shape)

    mine, numpys = np.random.default_rng(5), np.random.default_rng(5)
    step = ranks.partition(noisy, mesh, (P("d"), None))
    for _ in range(2):
        np.testing.assert_allclose(step(X, mine).gather(), noisy(X, numpys))


PARTS = {
    "rows, columns and elements": lambda x: (x[0], x[1:3], x[:, 1], x[-1, 0], x[::2, ::-1], x[[0, 2]]),
    "methods": lambda x: (
        x.sum(),
        x.max(1),
        x.T,
        x.reshape(4, 3, 1),
        x.transpose(1, 0),
        x.astype("f4"),
        x.copy(),
    ),
    "ufuncs": lambda x: (np.add.reduce(x), np.multiply.accumulate(x, axis=0), (x > 3).any(), list(x)[2]),
}


@pytest.mark.parametrize("name", PARTS)
def test_parts_and_methods_are_those_of_arrays(name: str) -> None:
    x = np.arange(12.0).reshape(4, 3)
    found = PARTS[name](ranks.scatter(x, P("d"), ranks.Mesh.simulated(2)))
    for made, wanted in zip(found, PARTS[name](x), strict=True):
        made = made.gather() if isinstance(made, ranks.ShardedArray) else made
        assert (made.dtype, np.shape(made)) == (wanted.dtype, np.shape(wanted))
        np.testing.assert_array_equal(made, wanted)


def test_arrays_are_written_in_their_blocks() -> None:
    x = np.arange(12.0).reshape(4, 3)
    split = ranks.scatter(x, P("d"), ranks.Mesh.simulated(2))
    for array in (split, x):
        array += 1
        array[0] = 7
        array[1:3, 1] *= 2
        np.multiply(array, 3, out=array)
    np.testing.assert_array_equal(split.gather(), x)
    with pytest.raises(
        weft.WeftTypeError, match=r"add of a ShardedArray writes to one ShardedArray, not to ndarray"
    ):
        np.add(split, 1, out=x)


def test_arrays_are_no_conditions_and_no_numbers() -> None:
    mesh = ranks.Mesh.simulated(np.int64(2))
    x = ranks.scatter(np.arange(4.0), P("d"), mesh)
    with pytest.raises(ValueError, match=r"The truth value of an array with 4 elements is ambiguous"):
        bool(x)
    with pytest.raises(TypeError, match="only an array of one element is a number"):
        float(x)
    with pytest.raises(AttributeError, match=r"a ShardedArray has no 'foo': .* gather\(\)"):
        _ = x.foo
    assert float(ranks.scatter(np.array([3.0]), P("d"), mesh)) == 3
    with pytest.raises(TypeError, match=r"arrays are split over a weft.distributed.Mesh, not over 2"):
        ranks.scatter(np.ones(4), P("d"), 2)
    with pytest.raises(ValueError, match="broadcast: there is no rank -1"):
        ranks.broadcast(1.0, root=-1)


def test_an_axis_is_split_over_two_axes_of_a_mesh() -> None:
    mesh = ranks.Mesh.simulated(a=2, b=2)
    x, y = np.random.default_rng(0).normal(size=(2, 7, 4))
    together = P(("a", "b"))
    split = ranks.scatter(x, together, mesh)
    assert split.spec == together
    assert [len(block) for block in split.blocks] == [1, 2, 2, 2]
    np.testing.assert_array_equal(split.gather(), x)
    from_blocks = ranks.from_local(split.blocks, together, mesh)
    assert from_blocks.layout == split.layout

    def program(x: Any, y: Any) -> Any:
        u = (x - x.mean(axis=0)) * y
        u[1:-1] = u[:-2] + u[2:]
        return u, np.sort(u, axis=0), x.T @ y

    alike = weft.function(program)(split, ranks.scatter(y, together, mesh))
    with pytest.warns(
        weft.GatherWarning, match="an operand is split over other axes of the mesh than the others"
    ):
        other = weft.function(program)(split, ranks.scatter(y, P("a"), mesh))
    for found in (alike, other):
        for made, wanted in zip(found, program(x, y), strict=True):
            made = made.gather() if isinstance(made, ranks.ShardedArray) else made
            np.testing.assert_allclose(made, wanted, rtol=1e-12)
    for spec, message in (
        (P(("b", "a")), "axes of the mesh come in its order, 'a', 'b'"),
        (P("a", ("a", "b")), "two axes"),
    ):
        with pytest.raises(ValueError, match=message):
            ranks.scatter(x, spec, mesh)


def test_arrays_that_are_computed_later_are_computed_whole_by_nobody(mesh: Any) -> None:
    da = pytest.importorskip("dask.array")
    cut: list[int] = []

    def block(part: Any) -> Any:
        cut.append(len(part))
        return part

    lazy = da.from_array(X, chunks=((2, 2, 3), 2)).map_blocks(block, dtype=X.dtype, meta=X[:0])
    x = ranks.scatter(X, P("d"), mesh)

    @weft.function
    def add(a: Any, b: Any) -> Any:
        return a + b

    message = r"got a dask.Array of shape \(7, 2\) beside arrays in blocks, and every rank would compute all"
    for call in (
        lambda: add(x, lazy),
        lambda: add(lazy, x),
        lambda: ranks.partition(add)(x, lazy),
        lambda: x + lazy,
        lambda: lazy + x,
        lambda: np.concatenate([x, lazy]),
        lambda: x.__setitem__(slice(None), lazy),
    ):
        with pytest.raises(TypeError, match=message):
            call()
    assert not cut

    split = ranks.scatter(lazy, P("d"), mesh)
    assert sorted(cut) == [2, 2, 3]  # each block once: rank by rank
    np.testing.assert_array_equal(add(x, split).gather(), X + X)
    np.testing.assert_array_equal(
        ranks.partition(add.python_function, mesh, (P("d"), P()))(lazy, X).gather(), X + X
    )


@pytest.mark.parametrize("axes", [{"d": 3}, {"a": 2, "b": 2}])
def test_blocks_go_from_rank_to_rank_into_others(axes: dict[str, int]) -> None:
    mesh = ranks.Mesh.simulated(**axes)
    first, last = mesh.axis_names[0], mesh.axis_names[-1]
    whole = np.arange(42.0).reshape(7, 6)
    specs = [P(first), P(None, last), P(), P(tuple(axes))]
    with warnings.catch_warnings():
        warnings.simplefilter("error", weft.GatherWarning)
        for before in specs:
            for after in specs:
                found = ranks.scatter(ranks.scatter(whole, before, mesh), after)
                wanted = ranks.scatter(whole, after, mesh)
                assert found.layout == wanted.layout
                for mine, theirs in zip(found.blocks, wanted.blocks, strict=True):
                    np.testing.assert_array_equal(mine, theirs)


def test_what_was_chosen_is_put_into_equal_blocks() -> None:
    mesh = ranks.Mesh.simulated(3)
    some = ranks.partition(lambda x: x[x > 4], mesh, P("d"))(np.arange(-7, 23))
    assert [len(block) for block in some.blocks] == [0, 8, 10]
    even = ranks.scatter(some, P("d"))
    assert [len(block) for block in even.blocks] == [6, 6, 6]
    np.testing.assert_array_equal(even.gather(), np.arange(5, 23))
    with pytest.raises(
        weft.WeftValueError, match=r"blocks go from one rank to another of .*gather\(\) the array"
    ):
        ranks.scatter(some, P("d"), ranks.Mesh.simulated(2))
