"""Branches, loops and recurrent layers of ONNX, where what decides is data, and where it is known."""

from __future__ import annotations

import numpy as np
import pytest

import weft

onnx = pytest.importorskip("onnx", reason="the package onnx is not installed")
reference = pytest.importorskip("onnx.reference")

HEAD = '<ir_version: 10, opset_import: ["" : 21]>\n'


def both(text, *arguments, head=HEAD):
    """What a model gives compiled, and what ONNX's reference gives."""
    model = onnx.parser.parse_model(head + text)
    function = weft.onnx.load(model)
    expected = reference.ReferenceEvaluator(model).run(
        None, dict(zip(function.input_names, arguments, strict=True))
    )
    found = function(*arguments)
    found = found if isinstance(found, tuple) else (found,)
    for one, other in zip(found, expected, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)
    return function


BRANCH = """
branch (bool c, float[3] x) => (float[3] y) {
  y = If(c) <then_branch = one () => (float[3] a) { a = Add(x, x) },
            else_branch = two () => (float[3] b) { z = Neg(x) b = Mul(z, x) }>
}"""


def test_branches():
    x = np.array([1, 2, 3], "float32")
    for decision in (True, False):
        function = both(BRANCH, np.array(decision), x)
    gradient = weft.grad(lambda x: function(np.array(False), x).sum())(x)
    np.testing.assert_allclose(gradient, -2 * x)
    fixed = weft.onnx.load(onnx.parser.parse_model(HEAD + BRANCH), constants={"c": np.array(True)})
    assert fixed(x).tolist() == [2, 4, 6]
    assert "scf.if" not in fixed.get_concrete_function().as_text("weft")


COUNTED = """
counted (int64 n, float[2] x) => (float[2] last, float[K,2] all) {
  go = Constant<value_int=1>()
  last, all = Loop(n, , x) <body = turn (int64 i, bool c, float[2] v) => (bool d, float[2] w, float[2] row) {
    d = Identity(c)  f = Cast<to=1>(i)  w = Add(v, f)  row = Mul(w, x)
  }>
}"""


@pytest.mark.parametrize("turns", [0, 1, 3, 40])
def test_counted_loops(turns):
    """The number of turns is data, and then a constant: few turns are unrolled."""
    x = np.array([1, -2], "float32")
    model = onnx.parser.parse_model(HEAD + COUNTED)
    function = weft.onnx.load(model)
    fixed = weft.onnx.load(model, constants={"n": np.int64(turns)})
    steps = np.cumsum(np.arange(turns, dtype="float32"))
    for last, rows in (function(np.int64(turns), x), fixed(x)):
        assert rows.shape == (turns, 2)
        np.testing.assert_allclose(last, x + (steps[-1] if turns else 0))
        np.testing.assert_allclose(rows, (x + steps[:, None]) * x)


UNTIL = """
until (float x, float limit) => (float y, int64 n, float[K] path) {
  most = Constant<value_int=1000>()  yes = Constant<value = bool {1}>()  zero = Constant<value_int=0>()
  y, n, path = Loop(most, yes, x, zero)
  <body = turn (int64 i, bool c, float v, int64 k) => (bool d, float w, int64 m, float row) {
    w = Add(v, v)  d = Less(w, limit)  one = Constant<value_int=1>()  m = Add(k, one)  row = Identity(w)
  }>
}"""


def test_loops_that_data_ends():
    function = weft.onnx.load(onnx.parser.parse_model(HEAD + UNTIL))
    for x, limit, turns in ((1, 100, 7), (3, 4, 1)):
        y, count, path = function(np.float32(x), np.float32(limit))
        assert (y, count) == (x * 2**turns, turns)
        assert path.tolist() == [x * 2.0**k for k in range(1, turns + 1)]
    concrete = function.get_concrete_function()
    assert "scf.while" in concrete.as_text("weft")


def test_loops_without_turns():
    go = UNTIL.replace("(float x, float limit)", "(bool yes, float x, float limit)").replace(
        "yes = Constant<value = bool {1}>()", ""
    )
    function = weft.onnx.load(onnx.parser.parse_model(HEAD + go))
    y, count, path = function(np.array(False), np.float32(1), np.float32(10))
    assert (y, count, path.dtype, path.shape) == (1, 0, np.float32, (0,))
    assert function(np.array(True), np.float32(1), np.float32(10))[2].tolist() == [2, 4, 8, 16]
    scan = weft.onnx.load(onnx.parser.parse_model(HEAD + SCAN))
    s, none = np.ones(2, "float32"), np.ones((0, 2), "float32")
    for called in (scan, scan.get_concrete_function()):
        t, y = called(s, none)
        assert (t.tolist(), y.shape) == ([1, 1], (0, 2))
    rows = weft.onnx.load(
        onnx.parser.parse_model(
            HEAD
            + """rows (int64 n, float[N,M] x) => (float[K,M] all) {
              go = Constant<value = bool {1}>()
              all = Loop(n, go) <body = turn (int64 i, bool c) => (bool d, float[M] row) {
                d = Identity(c)  row = Gather(x, i)
              }>
            }"""
        )
    ).get_concrete_function()
    x = np.ones((3, 2), "float32")
    np.testing.assert_array_equal(rows(np.int64(3), x), x)
    assert len(rows(np.int64(0), x[:0])) == 0  # no row is read where there is no turn
    with pytest.raises(IndexError):
        rows(np.int64(3), np.ones((2, 2), "float32"))


NO_COUNT = UNTIL.replace("Loop(most, yes", "Loop(, yes")


def test_loops_without_a_number_of_turns():
    function = weft.onnx.load(onnx.parser.parse_model(HEAD + NO_COUNT))
    y, count, path = function(np.float32(1), np.float32(1000))
    assert (y, count, len(path)) == (1024, 10, 10)


def test_gradients_through_loops():
    function = weft.onnx.load(onnx.parser.parse_model(HEAD + COUNTED))
    x = np.array([1, -2], "float32")

    def total(x, turns):
        last, rows = function(turns, x)
        return last.sum() + rows.sum()

    for turns in (3, 40):
        steps = np.cumsum(np.arange(turns))
        expected = 1 + (2 * x + steps[:, None]).sum(axis=0)
        np.testing.assert_allclose(weft.grad(total)(x, np.int64(turns)), expected, rtol=1e-5)


SCAN = """
scan (float[2] s, float[N,2] x) => (float[2] t, float[N,2] y) {
  t, y = Scan<num_scan_inputs=1, scan_input_directions=[1], scan_output_directions=[1],
    body = step (float[2] a, float[2] b) => (float[2] c, float[2] d) { c = Add(a, b)  d = Mul(c, b) }>(s, x)
}"""


@pytest.mark.parametrize("steps", [3, 30])
def test_scans(steps):
    random = np.random.default_rng(0)
    s, x = random.normal(size=2).astype("float32"), random.normal(size=(steps, 2)).astype("float32")
    function = weft.onnx.load(onnx.parser.parse_model(HEAD + SCAN))
    t, y = function(s, x)
    sums = s + np.cumsum(x[::-1], axis=0)
    np.testing.assert_allclose(t, sums[-1], rtol=1e-5)
    np.testing.assert_allclose(y, (sums * x[::-1])[::-1], rtol=1e-4, atol=1e-5)
    concrete = function.get_concrete_function()
    np.testing.assert_allclose(concrete(s, x)[0], sums[-1], rtol=1e-5)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(x, w, r, b):
    """One direction, step by step."""
    hidden = r.shape[1]
    h = c = np.zeros((x.shape[1], hidden), "float32")
    rows = []
    for step in x:
        i, o, f, n = np.split(step @ w.T + h @ r.T + b[: 4 * hidden] + b[4 * hidden :], 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(n)
        h = sigmoid(o) * np.tanh(c)
        rows.append(h)
    return np.array(rows), h, c


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
def test_recurrent_layers(direction):
    """Of more steps than are unrolled, and with a gradient through them."""
    random = np.random.default_rng(0)
    count = 2 if direction == "bidirectional" else 1
    w, r, b = (
        random.normal(size=(count, *shape)).astype("float32") / 3 for shape in ((12, 2), (12, 3), (24,))
    )
    node = onnx.helper.make_node("LSTM", list("xwrb"), list("yhc"), direction=direction, hidden_size=3)
    values = {name: onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in "xyhc"}
    values["x"] = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["T", "N", 2])
    weights = [onnx.numpy_helper.from_array(a, n) for n, a in zip("wrb", (w, r, b), strict=True)]
    graph = onnx.helper.make_graph([node], "lstm", [values["x"]], [values[n] for n in "yhc"], weights)
    function = weft.onnx.load(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 21)]))
    x = random.normal(size=(20, 2, 2)).astype("float32")
    turns = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}[direction]
    for called in (function, function.get_concrete_function()):
        y, h, c = called(x)
        for place, is_reversed in enumerate(turns):
            rows, last, memory = lstm(x[::-1] if is_reversed else x, w[place], r[place], b[place])
            np.testing.assert_allclose(y[:, place], rows[::-1] if is_reversed else rows, rtol=1e-4, atol=1e-6)
            np.testing.assert_allclose(h[place], last, rtol=1e-4, atol=1e-6)
            np.testing.assert_allclose(c[place], memory, rtol=1e-4, atol=1e-6)
    if direction == "forward":
        gradient = weft.grad(lambda w: function.apply({"w": w}, x)[0].sum())(w)
        step = np.zeros_like(w)
        step[0, 5, 1] = 1e-2
        after, before = (lstm(x, w[0] + sign * step[0], r[0], b[0])[0].sum() for sign in (1, -1))
        assert gradient[0, 5, 1] == pytest.approx((after - before) / 2e-2, rel=0.01)


OWN = """
own_function (float[N] x) => (float[N] y) { y = local.scaled<factor=3.0>(x) }
<domain: "local", opset_import: ["" : 21]>
twice (a) => (b) { b = Add(a, a) }
<domain: "local", opset_import: ["" : 21, "local" : 1]>
scaled <factor> (a) => (b) { f = Constant<value_float=@factor>()  c = local.twice(a)  b = Mul(c, f) }"""


def test_functions_of_the_model():
    head = '<ir_version: 10, opset_import: ["" : 21, "local" : 1]>\n'
    both(OWN, np.array([1, 2], "float32"), head=head)


@pytest.mark.parametrize(
    ("version", "text"),
    [
        (11, "f (float[2,3] x) => (float[2] y) { y = ReduceSum<axes=[1], keepdims=0>(x) }"),
        (13, "f (float[2,3] x) => (float[2] y) <int64[1] a = {1}> { y = ReduceSum<keepdims=0>(x, a) }"),
        (12, "f (float[2,3] x) => (float[3,2,1] y) { t = Transpose(x) y = Unsqueeze<axes=[2]>(t) }"),
        (9, "f (float[2,3] x) => (float[2,2] y) { y = Slice<axes=[1], starts=[1], ends=[9]>(x) }"),
        (6, "f (float[2,3] x) => (float[2,3] y) { y = Clip<min=-0.5, max=0.5>(x) }"),
        (9, "f (float[2,3] x) => (float[2,3] y) { y = Dropout<ratio=0.9>(x) }"),
        (8, "f (float[2,3] x) => (float[4,6] y) { y = Pad<pads=[1,1,1,2], value=2.0>(x) }"),
    ],
)
def test_attributes_that_became_inputs(version, text):
    head = f'<ir_version: 7, opset_import: ["" : {version}]>\n'
    x = np.random.default_rng(0).normal(size=(2, 3)).astype("float32")
    both(text, x, head=head)


def test_softmax_of_matrices():
    """Before version 13, all axes from one on are one."""
    head = '<ir_version: 7, opset_import: ["" : 11]>\n'
    x = np.random.default_rng(0).normal(size=(2, 3, 4)).astype("float32")
    function = weft.onnx.load(
        onnx.parser.parse_model(head + "f (float[2,3,4] x) => (float[2,3,4] y) { y = Softmax<axis=1>(x) }")
    )
    power = np.exp(x)
    np.testing.assert_allclose(function(x), power / power.sum(axis=(1, 2), keepdims=True), rtol=1e-5)
