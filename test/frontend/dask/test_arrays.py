"""`f(x)` of dask arrays is dask arrays with the values, dtypes and shapes of NumPy's."""

from __future__ import annotations

import types

import numpy as np
import pytest

import weft

da = pytest.importorskip("dask.array")

RNG = np.random.default_rng(0)
N = RNG.normal(size=(101, 6))
LABELS = (N[:, 0] > 0).astype(float)
ROWS = (20, 30, 1, 50)
"""Chunks of odd sizes."""


def chain_mean(x):
    return np.mean(np.tanh(x) * 2 + np.sqrt(np.abs(x)))


def kmeans_step(x, c):
    d = np.sum(x * x, axis=1)[:, None] - 2 * (x @ c.T) + np.sum(c * c, axis=1)
    onehot = (np.argmin(d, axis=1)[:, None] == np.arange(len(c))).astype(x.dtype)
    return (onehot.T @ x) / np.maximum(np.sum(onehot, axis=0), 1)[:, None]


def softmax(x):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


def logistic_step(w, x, y):
    p = 1 / (1 + np.exp(-(x @ w)))
    return w - 0.1 * (x.T @ (p - y)) / len(y)


def standardise(x):
    return (x - np.mean(x, axis=0)) / np.std(x, axis=0)


def gram(x):
    return x.T @ x


def arranged(x):
    u = x.copy()
    u[1:-1] = x[:-2] + x[2:]
    rows = np.arange(len(x))[:, None] * 0.5
    return u + rows, x[::-2, 1:], np.concatenate([x, -x]), x.reshape(-1), np.pad(x, 2)


def reduced(x):
    return (
        np.argmax(x, axis=0),
        np.min(x),
        np.var(x, axis=0, ddof=1),
        (x > 2).any(axis=0),
        np.cumsum(x, axis=0),
        np.sort(x, axis=1),
    )


def compared(function, given, plain):
    """Call a function compiled on dask arrays and plainly on NumPy's; returns what is lazy."""
    lazy = weft.function(function)(*given)
    wanted = function(*plain)
    several = lazy if isinstance(lazy, tuple) else (lazy,)
    for made, value in zip(several, wanted if isinstance(wanted, tuple) else (wanted,), strict=True):
        assert isinstance(made, da.Array)
        found = made.compute(scheduler="sync")
        assert (found.dtype, found.shape) == (value.dtype, value.shape) == (made.dtype, made.shape)
        np.testing.assert_allclose(found, value, rtol=1e-11, atol=1e-12)
    return lazy


def decomposed(x):
    square = x.T @ x
    values, vectors = np.linalg.eigh(square)
    stack = x[:, :4].reshape(-1, 2, 2) + 3 * np.eye(2)
    return (
        values,
        np.abs(vectors),
        np.linalg.solve(square, x[0]),
        np.linalg.inv(stack),
        np.linalg.svd(x, full_matrices=False)[1],
        np.linalg.lstsq(x, x[:, 0], rcond=None)[0],
    )


def searched(x):
    edges = np.array([-1.0, 0, 1])
    return np.tril(x, 1), np.triu(x), np.searchsorted(edges, x), np.interp(x, edges, edges**2)


def chosen(x):
    mask = x[:, 0] > 0.1
    rows = x[mask]
    return (
        rows.sum(axis=0) / np.maximum(len(rows), 1),
        np.mean(rows * x[1] - 1),
        (x[mask, 1] * x[mask, 2]).sum(),
        rows.min(axis=0, keepdims=True),
        rows.std(axis=0),
        (rows.sum(axis=1) ** 2).max(),
        np.any(x[x < -1] > 3),
        x[~np.isnan(x)].prod(),
    )


def of(array, *chunks):
    return da.from_array(array, chunks=chunks)


@pytest.mark.parametrize("columns", [6, pytest.param(4, marks=pytest.mark.soak)])
@pytest.mark.parametrize("function", [chain_mean, softmax, standardise, gram], ids=lambda f: f.__name__)
def test_functions_of_one_array(function, columns):
    compared(function, [of(N, ROWS, columns)], [N])


@pytest.mark.parametrize("columns", [6, pytest.param(4, marks=pytest.mark.soak)])
def test_functions_of_several_arrays(columns):
    compared(kmeans_step, [of(N, ROWS, columns), N[:5]], [N, N[:5]])
    weights = np.arange(6.0)
    compared(logistic_step, [weights, of(N, ROWS, columns), of(LABELS, ROWS)], [weights, N, LABELS])


@pytest.mark.parametrize("chunks", [(ROWS, 6), pytest.param((25, (4, 2)), marks=pytest.mark.soak)])
def test_arrangements_take_parts_of_neighbours(chunks):
    compared(arranged, [of(N, *chunks)], [N])


@pytest.mark.filterwarnings("ignore::weft.dialect.errors.GatherWarning")
def test_decompositions_have_results_of_several_shapes():
    compared(decomposed, [of(N, ROWS, 6)], [N])


@pytest.mark.filterwarnings("error::weft.dialect.errors.GatherWarning")
def test_what_a_condition_chooses_is_reduced_in_blocks():
    compared(chosen, [of(N, ROWS, 6)], [N])
    lazy = weft.function(lambda x: x[x > 9].max())(of(N, ROWS, 6))
    with pytest.raises(ValueError, match="zero-size array to reduction operation maximum"):
        lazy.compute(scheduler="sync")


@pytest.mark.filterwarnings("error::weft.dialect.errors.GatherWarning")
def test_triangles_and_searches_need_nothing_of_other_blocks():
    compared(searched, [of(N, ROWS, (4, 2))], [N])


def test_reductions_of_all_kinds():
    with pytest.warns(weft.GatherWarning, match=r"cumulative_sum needs all of an array along axis 0") as told:
        compared(reduced, [of(N, ROWS, 6)], [N])
    assert "np.cumsum(x, axis=0)" in str(told[0].message)
    assert f"{N.nbytes:,} bytes" in str(told[0].message)


@pytest.mark.parametrize("dtype", ["float32", "int16", "bool", "complex64", "float16"])
def test_dtypes_are_those_of_numpy(dtype):
    array = (N[:, :2] * 3).astype(dtype)
    made = weft.function(lambda x: (x.sum(axis=0), x.mean(), x.max(axis=0)))(of(array, ROWS, 2))
    wanted = array.sum(axis=0), array.mean(), array.max(axis=0)
    for lazy, value in zip(made, wanted, strict=True):
        found = lazy.compute(scheduler="sync")
        assert found.dtype == value.dtype
        np.testing.assert_allclose(found, value, rtol=2e-3 if dtype == "float16" else 1e-5)


def test_nan_infinities_and_ties_are_combined_as_numpy_does():
    array = np.array([1.0, 5.0, 5.0, np.nan, 2.0, np.nan, np.inf, -np.inf])
    function = weft.function(
        lambda x: (np.argmax(x), np.argmin(x[4:5]), np.nanmax(x), np.max(x[:3]), x.argmin())
    )
    made = function(of(array, 2))
    assert [int(lazy.compute(scheduler="sync")) for lazy in made[:2]] == [3, 0]
    assert made[2].compute(scheduler="sync") == np.inf
    assert made[3].compute(scheduler="sync") == 5.0
    assert made[4].compute(scheduler="sync") == 3


def test_empty_arrays_and_blocks():
    array = da.concatenate([da.ones((3, 2), chunks=2), da.zeros((0, 2)), da.ones((2, 2))])
    function = weft.function(lambda x: (x * 2, x.sum(axis=0)))
    doubled, total = function(array)
    np.testing.assert_array_equal(doubled.compute(scheduler="sync"), np.full((5, 2), 2.0))
    np.testing.assert_array_equal(total.compute(scheduler="sync"), [5.0, 5.0])
    nothing = function(da.zeros((0, 2)))
    assert nothing[0].compute(scheduler="sync").shape == (0, 2)
    np.testing.assert_array_equal(nothing[1].compute(scheduler="sync"), [0.0, 0.0])


def test_an_outer_product_takes_two_blocks():
    v = np.arange(7.0)
    lazy = compared(lambda x: x[:, None] - x[None, :] * 2, [of(v, (3, 4))], [v])
    assert lazy.chunks == ((3, 4), (3, 4))


def test_results_keep_their_structure():
    x = of(N, ROWS, 6)
    made = weft.function(lambda x, n: {"scaled": x * n, "more": [x.sum(), 3, "text"], "same": x})(x, 2)
    assert made["more"][1:] == [3, "text"]
    assert made["same"] is x
    np.testing.assert_allclose(made["scaled"].compute(scheduler="sync"), N * 2)
    assert made["more"][0].shape == ()


def test_gradients_and_methods_and_nested_arguments():
    x = of(N, ROWS, 6)
    gradient = weft.grad(lambda w, x: np.sum(np.tanh(x @ w)))(np.ones(6), x)
    wanted = weft.grad(lambda w, x: np.sum(np.tanh(x @ w)))(np.ones(6), N)
    np.testing.assert_allclose(gradient.compute(scheduler="sync"), wanted, rtol=1e-11)

    class Model:
        def __init__(self):
            self.w = weft.Variable(np.arange(6.0))

        @weft.function
        def predict(self, batch):
            return batch["x"] @ self.w.value

    model = Model()
    first = model.predict({"x": x})
    model.w.assign(np.ones(6))
    np.testing.assert_allclose(first.compute(scheduler="sync"), N @ np.arange(6.0))
    np.testing.assert_allclose(model.predict({"x": x}).compute(scheduler="sync"), N @ np.ones(6))


def test_calls_of_one_kind_are_planned_once():
    @weft.function
    def f(x, factor):
        return x.sum(axis=0) * factor

    from weft.frontend.dask import arrays

    one = f(of(N, ROWS, 6), np.float64(2.0))
    other = f(of(N + 1, ROWS, 6), np.float64(3.0))
    assert len(arrays._plans[f]) == 1
    np.testing.assert_allclose(one.compute(scheduler="sync"), N.sum(axis=0) * 2)
    np.testing.assert_allclose(other.compute(scheduler="sync"), (N + 1).sum(axis=0) * 3)
    again = f(of(N, ROWS, 6), np.float64(2.0))
    assert again.name == one.name != other.name  # equal calls are one for Dask


def test_only_blocks_that_are_used_are_computed():
    computed = []

    def block(b, block_info=None):
        computed.append(block_info[0]["chunk-location"][0] if block_info else None)
        return b

    x = of(N, 25, 6).map_blocks(block, dtype=float, meta=np.empty((0, 0)))
    part = weft.function(lambda x: (x[30:40] * 2, x.sum()))(x)[0]
    part.compute(scheduler="sync")
    assert computed == [1]


def test_arrays_that_were_given_may_change_afterwards():
    weights = np.ones(6)
    made = weft.function(lambda x, w: x @ w)(of(N, ROWS, 6), weights)
    weights[:] = 0
    np.testing.assert_allclose(made.compute(scheduler="sync"), N.sum(axis=1))


def test_arrays_from_outside_count_as_they_are_at_each_call():
    held = types.SimpleNamespace(weights=np.ones(6))
    f = weft.function(lambda x: x @ held.weights)
    x = of(N, ROWS, 6)
    made = [f(x)]
    held.weights[:] = 2
    made.append(f(x))
    held.weights = np.full(6, 3.0)
    made.append(f(x))
    for number, lazy in enumerate(made, 1):
        np.testing.assert_allclose(lazy.compute(scheduler="sync"), N.sum(axis=1) * number)


def test_programs_of_equal_pieces_have_tasks_of_their_own():
    def part(begin):
        return weft.function(lambda x: x[begin : begin + 2] + 1)

    x = of(N, 25, 6)
    made = [part(0)(x), part(2)(x)]
    for lazy, begin in zip(da.compute(*made, scheduler="sync"), (0, 2), strict=True):
        np.testing.assert_array_equal(lazy, N[begin : begin + 2] + 1)


def test_indices_are_checked():
    table, places = np.arange(5.0), da.from_array(np.array([1, 2, 4, 0]), chunks=2)
    take = weft.function(lambda table, i: table[i])
    np.testing.assert_array_equal(take(table, places).compute(scheduler="sync"), [1, 2, 4, 0])
    with pytest.raises(IndexError, match="index 6 is out of bounds for axis 0 with size 5"):
        take(table, places + 5).compute(scheduler="sync")


def raising_and_returning_it(x):
    if x.sum() > 3:
        raise ValueError(f"too large: {x.sum()}")
    return x


def raising_and_reducing(x):
    if x[0, 0] < 3:
        raise ValueError("too small")
    return x.sum()


def reducing_rows(x):
    for total in x.sum(axis=1):
        if total > 3:
            raise ValueError("too large a row")
    return x.max(), x


def looking_up(x):
    return np.arange(5.0)[x.astype(int)].sum()


@pytest.mark.parametrize(
    ("function", "error"),
    [
        (raising_and_returning_it, "too large: 66"),
        (raising_and_reducing, "too small"),
        (reducing_rows, "too large a row"),
        (looking_up, "index 5 is out of bounds for axis 0 with size 5"),
    ],
)
def test_what_is_raised_is_raised_whatever_is_returned(function, error):
    """Results that are reductions, or arguments, are made by no piece of their own."""
    x, compiled = np.arange(12.0).reshape(4, 3), weft.function(function)
    results = compiled(of(x, 2, 3))
    for lazy in results if isinstance(results, tuple) else (results,):
        with pytest.raises((ValueError, IndexError), match=error):
            lazy.compute(scheduler="sync")
    fine = np.full((4, 3), 4.0 if function is raising_and_reducing else 0.1)
    compared(function, [of(fine, 2, 3)], [fine])


def powers(x):
    v = np.ones(x.shape[1])
    for _ in range(12):
        w = x.T @ (x @ v)
        v = w / np.linalg.norm(w)
    return v


def test_loops_of_known_length_are_cut_in_pieces(monkeypatch):
    from weft.frontend.dask import tracing

    monkeypatch.setattr(tracing, "SMALL", 0)
    x = of(N, ROWS, 6)
    compared(powers, [x], [N])  # warnings are errors

    def until_small(x, steps):
        for _ in range(steps):
            x = x - x.mean(axis=0) / 2
        return x

    with pytest.warns(
        weft.GatherWarning, match=r"this loop needs all .* bytes come together in one task; a loop of kn"
    ):
        weft.function(until_small)(x, np.array(3))


def test_pieces_of_equal_blocks_are_one_program():
    from weft.frontend.dask import arrays

    @weft.function
    def f(x):
        return x * np.arange(len(x)) - x.sum()

    f(of(np.ones(100), 10))
    ((_, plan),) = arrays._plans[f].values()
    texts = [piece.text for piece in plan.pieces]
    assert len(texts) == 2  # one adds, the other takes the sum and the place of its block
    assert "tensor<10xf64>" in texts[0]
    assert "weft.sum" in texts[0]
    assert "weft.sum" not in texts[1]
    assert "tensor<i64>" in texts[1]


def test_functions_of_one_name_are_told_apart_in_one_graph():
    import dask

    def part_from(first):
        return weft.function(lambda x: x[first : first + 2] * 2, name="part")

    def with_added(array):
        return weft.function(lambda x: x + array, name="added")

    x = np.arange(12.0)
    split = da.from_array(x, chunks=4)
    lazy = [f(split) for f in (part_from(1), part_from(5), with_added(np.zeros(12)), with_added(np.ones(12)))]
    found = dask.compute(*lazy)
    for got, wanted in zip(found, (x[1:3] * 2, x[5:7] * 2, x, x + 1), strict=True):
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sort(x, axis=1)[:, -2:],
        lambda x: np.argsort(x, axis=1)[:, 1:3],
        lambda x: np.cumsum(x, axis=1)[:, 2:] + 1,
        lambda x: np.partition(x, 2, axis=1)[:, :2],
        lambda x: np.median(x, axis=1),
        lambda x: np.abs(np.fft.rfft(x, axis=1))[:, 1:3],
        lambda x: x[:, 1:] + np.roll(x, 1, axis=1)[:, 1:],
        lambda x: np.linalg.det(x[:, :4].reshape(-1, 2, 2)),
    ],
)
def test_parts_of_what_is_made_along_an_axis_are_of_all_of_it(function, recwarn):
    x = da.from_array(N, chunks=(ROWS, 6))
    np.testing.assert_allclose(weft.function(function)(x).compute(), function(N), rtol=1e-12)
    assert not [w for w in recwarn if w.category is weft.GatherWarning]  # rows are of one block each


def test_what_is_rolled_along_blocks_is_all_of_it():
    def life(g):
        for _ in range(2):
            around = sum(np.roll(np.roll(g, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1)) - g
            g = ((around == 3) | ((g == 1) & (around == 2))).astype(g.dtype)
        return g

    cells = (N > 0.5).astype(np.int64)
    with pytest.warns(weft.GatherWarning, match="roll needs all"):
        found = weft.function(life)(da.from_array(cells, chunks=(ROWS, 6)))
    np.testing.assert_array_equal(found.compute(), life(cells))


def test_reductions_of_several_shapes_go_together():
    def moments(x):
        return x[:, :2].T @ x[:, :2], x.T @ x, x[:, :3].T @ x[:, :3]

    found = weft.function(moments)(da.from_array(N, chunks=(ROWS, 6)))
    for mine, theirs in zip(found, moments(N), strict=True):
        np.testing.assert_allclose(mine.compute(), theirs, rtol=1e-12)
