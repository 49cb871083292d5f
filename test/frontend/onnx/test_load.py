"""`weft.onnx.load`: models as functions, with their weights, their files, and what is no model."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest

import weft

onnx = pytest.importorskip("onnx", reason="the package onnx is not installed")

TensorProto, helper, numpy_helper = onnx.TensorProto, onnx.helper, onnx.numpy_helper

HEAD = '<ir_version: 10, opset_import: ["" : 21, "own" : 1]>\n'
MLP = (
    HEAD
    + """mlp (float[N,4] x) => (float[N,2] y)
<float[4,3] w = {1,-2,3,-4,5,-6,7,-8,9,-10,11,-12}, float[3,2] v = {1,2,3,4,5,6}>
{ h = MatMul(x, w) r = Relu(h) y = MatMul(r, v) }"""
)


def parsed(text, head=HEAD):
    return onnx.parser.parse_model(text if text.startswith("<") else head + text)


def load(text, **options):
    return weft.onnx.load(parsed(text), **options)


@pytest.fixture
def mlp():
    return load(MLP)


@pytest.fixture
def x():
    return np.random.default_rng(0).normal(size=(5, 4)).astype("float32")


def reference(w, v, x):
    return np.maximum(x @ w, 0) @ v


# Functions


def test_a_model_is_a_function(mlp, x):
    assert isinstance(mlp, weft.Function)
    assert (mlp.name, mlp.input_names, mlp.output_names) == ("mlp", ("x",), ("y",))
    expected = reference(mlp.weights["w"], mlp.weights["v"], x)
    np.testing.assert_allclose(mlp(x), expected, rtol=1e-5)
    np.testing.assert_allclose(mlp(x=x), expected, rtol=1e-5)
    np.testing.assert_allclose(mlp(x.tolist()), expected, rtol=1e-5)
    with weft.eager():
        np.testing.assert_allclose(mlp(x), expected, rtol=1e-5)
    assert repr(mlp) == "<weft.function mlp(x: float32[N,4]) of a model of ONNX>"
    with pytest.raises(TypeError, match="load the model in the other process"):
        pickle.dumps(mlp)


def test_in_other_functions(mlp, x):
    @weft.function
    def total(x):
        return mlp(2 * x).sum()

    assert total(x) == pytest.approx(reference(mlp.weights["w"], mlp.weights["v"], 2 * x).sum(), rel=1e-5)


def test_declared_types(mlp, x):
    concrete = mlp.get_concrete_function()
    assert [str(each) for each in concrete.argument_types] == ["f32[?,4]"]
    for rows in (1, 5):
        np.testing.assert_allclose(concrete(x[:rows]), mlp(x[:rows]), rtol=1e-6)
    scalar = load("f (float x) => (float y) { y = Relu(x) }")
    assert scalar.get_concrete_function()(np.float32(-1)) == 0
    untyped = load("f (float[] x) => (float[] y) { y = Relu(x) }")
    assert untyped(np.float32(-1)) == 0
    with pytest.raises(
        ValueError, match=r"f does not say which type its input 'x' has: pass a weft.TensorSpec"
    ):
        untyped.get_concrete_function()


def test_names_that_python_has_not():
    node = helper.make_node("Sub", ["in.1", "class"], ["0"])
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in ("in.1", "class", "0")]
    model = helper.make_model(helper.make_graph([node], "torch-jit", values[:2], values[2:]), ir_version=10)
    function = weft.onnx.load(model)
    assert function.name == "torch_jit"
    a, b = np.array([[3, 4], [1, 1]], "float32")
    assert function(a, b).tolist() == [2, 3]
    assert function(in_1=a, class_=b).tolist() == [2, 3]
    assert weft.onnx.load(model, "sub").name == "sub"


def test_several_outputs():
    function = load("f (float[4] x) => (float[2] a, float[2] b) { a, b = Split<num_outputs=2>(x) }")
    a, b = function(np.arange(4, dtype="float32"))
    assert (a.tolist(), b.tolist()) == ([0, 1], [2, 3])


def test_what_is_computed_has_to_be_known(x):
    text = "f (float[N,4] x, int64[K] axes) => (float[M] y) { [total] y = ReduceSum<keepdims=0>(x, axes) }"
    function = load(text)
    with pytest.raises(NotImplementedError, match=r"^node 'total' \(ReduceSum\) needs axes to be known"):
        function(x, np.array([1]))
    np.testing.assert_allclose(function(x, [1]), x.sum(axis=1), rtol=1e-5)
    np.testing.assert_allclose(function(x, [0]), x.sum(axis=0), rtol=1e-5)
    fixed = load(text, constants={"axes": np.array([1])})
    np.testing.assert_allclose(fixed(x), x.sum(axis=1), rtol=1e-5)
    assert fixed.input_names == ("x",)
    with pytest.raises(ValueError, match="the model has no inputs of these names: 'axis'"):
        load(text, constants={"axis": [1]})
    with pytest.raises(TypeError, match=r"the input 'axes' is int64\[K\], not float64\[1\]"):
        load(text, constants={"axes": [1.5]})


def test_sizes_of_run_time():
    """A shape that is an argument: 0 and -1 in it are found when the program runs."""
    function = load("f (float[2,6] x, int64[2] shape) => (float[A,B] y) { y = Reshape(x, shape) }")
    x = np.arange(12, dtype="float32").reshape(2, 6)
    for shape in ([3, 4], [0, -1], [-1, 3], [-1, 0]):
        wanted = [2 if n == 0 and place == 0 else 6 if n == 0 else n for place, n in enumerate(shape)]
        np.testing.assert_array_equal(function(x, np.array(shape)), x.reshape(wanted))
    with pytest.raises(ValueError, match="cannot reshape array of size 12"):
        function(x, np.array([5, 2]))


def test_open_sizes_stay_apart():
    """What shapes are computed of is followed number by number, where sizes are open, too."""
    function = load(
        """f (float[A,B,6] x) => (float[C,D] y) <int64[2] tail = {-1, 3}, int64[1] first = {0}> {
          s = Shape(x) a = Gather(s, first) two = Constant<value_ints=[2]>() b = Mul(a, two)
          half = Constant<value_ints=[4]>() q = Div(b, half) t = Concat<axis=0>(q, tail) y = Reshape(x, t) }"""
    )
    concrete = function.get_concrete_function()
    for shape in ((4, 5, 6), (2, 1, 6)):
        x = np.arange(np.prod(shape), dtype="float32").reshape(shape)
        np.testing.assert_array_equal(concrete(x), x.reshape(shape[0] // 2, -1, 3))


# Weights


def test_gradients(mlp, x):
    w, v = mlp.weights["w"], mlp.weights["v"]
    mask = (x @ w > 0).astype("float32")
    ones = np.ones((5, 2), "float32")
    by_x = weft.grad(lambda x: mlp(x).sum())(x)
    np.testing.assert_allclose(by_x, ((ones @ v.T) * mask) @ w.T, rtol=1e-5)
    by_weights = weft.grad(lambda weights: mlp.apply(weights, x).sum())(mlp.weights)
    assert sorted(by_weights) == ["v", "w"]
    np.testing.assert_allclose(by_weights["w"], x.T @ ((ones @ v.T) * mask), rtol=1e-4)
    np.testing.assert_allclose(by_weights["v"], np.maximum(x @ w, 0).T @ ones, rtol=1e-4)


def test_weights_are_replaced(mlp, x):
    before = mlp(x)
    mlp.weights["w"] = 2 * mlp.weights["w"]
    np.testing.assert_allclose(mlp(x), 2 * before, rtol=1e-5)
    assert mlp.trace_count <= 2
    part = mlp.apply({"v": np.zeros((3, 2), "float32")}, x)
    assert not part.any()
    with pytest.raises(ValueError, match="mlp has no weights of these names: 'u'"):
        mlp.apply({"u": x}, x)
    with pytest.raises(ValueError, match=r"the weights 'w' have the shape \(4, 3\), not \(5, 4\)"):
        mlp.apply({"w": x}, x)
    mlp.weights["w"] = x
    with pytest.raises(TypeError, match=r"mlp: the weights 'w' are float32\[4,3\], not float32\[5,4\]"):
        mlp(x)
    mlp.weights["w"] = 3
    with pytest.raises(TypeError, match=r"the weights 'w' are float32\[4,3\], not 3"):
        mlp(x)


def test_saved_and_loaded(mlp, x, tmp_path):
    expected = mlp(x)
    weft.save(tmp_path / "mlp.weft", mlp)
    loaded = weft.load(tmp_path / "mlp.weft")
    np.testing.assert_allclose(loaded.mlp(x), expected, rtol=1e-6)
    assert sorted(loaded.state) == ["v", "w"]


# Files


def with_file(tmp_path):
    """The model with its weights in a file beside it."""
    model = parsed(MLP)
    for tensor in model.graph.initializer:
        tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor), tensor.name))
    path = tmp_path / "models" / "mlp.onnx"
    path.parent.mkdir()
    onnx.save(model, path, save_as_external_data=True, location="weights.bin", size_threshold=0)
    return path


def test_files(mlp, x, tmp_path):
    path = with_file(tmp_path)
    np.testing.assert_array_equal(weft.onnx.load(str(path))(x), mlp(x))
    with pytest.raises(ValueError, match=r"'weights.bin' beside the model: load the model by its path"):
        weft.onnx.load(path.read_bytes())


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("location", "../secret", "'../secret', which is not in the model's directory"),
        ("location", "link", "'link', which is not in the model's directory"),
        ("location", "/etc/passwd", "'/etc/passwd', which is not in the model's directory"),
        ("location", "", "'', which is not in the model's directory"),
        ("location", "nowhere", "cannot be read: .*nowhere"),
        ("offset", "1000", "has 48 bytes from 1000 on in the file 'weights.bin', which has"),
        ("offset", "-4", "has 48 bytes from -4 on"),
        ("offset", "some", "cannot be read: invalid literal"),
    ],
)
def test_files_elsewhere(tmp_path, key, value, message):
    path = with_file(tmp_path)
    (tmp_path / "secret").write_bytes(bytes(100))
    if value == "link":
        try:
            (path.parent / "link").symlink_to(tmp_path / "secret")
        except OSError:
            pytest.skip("links cannot be made here")
    model = onnx.load(path, load_external_data=False)
    for entry in model.graph.initializer[0].external_data:
        if entry.key == key:
            entry.value = value
    path.write_bytes(model.SerializeToString())
    with pytest.raises(weft.ArtifactError, match=message):
        weft.onnx.load(path)


# What is no model, or not read


@pytest.mark.parametrize("data", [b"", b"hello", parsed(MLP).SerializeToString()[:-30]])
def test_no_models(data):
    with pytest.raises(weft.ArtifactError, match="the model is no model of ONNX"):
        weft.onnx.load(data)


def test_other_things(tmp_path):
    with pytest.raises(TypeError, match=r"takes a path, bytes or an onnx\.ModelProto, not 5"):
        weft.onnx.load(5)
    with pytest.raises(FileNotFoundError):
        weft.onnx.load(tmp_path / "nothing.onnx")


def test_damaged_models():
    """Bytes that are changed: an error of weft, or a function."""
    data = parsed(MLP).SerializeToString()
    random = np.random.default_rng(0)
    refused = 0
    for _ in range(300):
        damaged = bytearray(data)
        for place in random.integers(0, len(data), 3):
            damaged[place] = random.integers(0, 256)
        try:
            with weft.eager(), warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                weft.onnx.load(bytes(damaged))(np.ones((1, 4), "float32"))
        except (weft.WeftError, TypeError):  # of another number of arguments
            refused += 1
    assert refused > 100


def test_newer_models():
    model = parsed(MLP)
    model.opset_import[0].version = 999
    with pytest.raises(
        weft.ArtifactError, match=r"of version 999 of ONNX's ops; the package onnx .* knows up to"
    ):
        weft.onnx.load(model)
    model = parsed(MLP)
    model.ir_version = 999
    with pytest.raises(
        weft.ArtifactError, match=r"of version 999 of the format; the package onnx .* reads up to"
    ):
        weft.onnx.load(model)


def test_all_unknown_ops_are_named():
    text = "f (float[N] x) => (float[N] y) { [one] a = own.Foo(x) b = StringSplit(a) [three] y = own.Bar(b) }"
    with pytest.raises(weft.UnsupportedError) as info:
        load(text)
    assert str(info.value).splitlines() == [
        "the model has ops that weft has not:",
        "  node 'one' (Foo): own.Foo, version 1 of the domain",
        "  the node of 'b' (StringSplit): StringSplit, version 21 of the domain",
        "  node 'three' (Bar): own.Bar, version 1 of the domain",
    ]


@pytest.mark.parametrize(
    ("body", "error", "message"),
    [
        (
            "y = Relu<alpha=1.0>(x)",
            weft.UnsupportedError,
            r"^the node of 'y' \(Relu\) has the attribute alpha",
        ),
        ("[a] y = MatMul(x, x)", weft.WeftValueError, r"^node 'a' \(MatMul\): matmul: .*mismatch"),
        (
            "[b] y = Relu(x, x)",
            weft.UnsupportedError,
            r"^node 'b' \(Relu\) has 2 inputs, of which 1 are read",
        ),
        ("[c] y = Concat<axis=7>(x, x)", weft.WeftError, r"^node 'c' \(Concat\): .*axis 7"),
    ],
)
def test_nodes_that_are_not_read(body, error, message):
    function = load(f"f (float[2,3] x) => (float[2,3] y) {{ {body} }}")
    with pytest.raises(error, match=message):
        function(np.ones((2, 3), "float32"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "f (float[2] x) => (float[2] y) { [a] y = Add(x, q) }",
            r"node 'a' \(Add\) reads 'q', which nothing before",
        ),
        ("f (float[2] x) => (float[2] z) { y = Relu(x) }", "the output 'z' is computed by no node"),
        (
            "f (float[2] x) => (float[2] y) { y = other.Op(x) }",
            "domain 'other', of which the model imports no version",
        ),
    ],
)
def test_broken_graphs(text, message):
    with pytest.raises(weft.ArtifactError, match=message):
        load(text)


def test_broken_tensors():
    model = parsed(MLP)
    model.graph.initializer[0].data_type = 77
    with pytest.raises(weft.ArtifactError, match="'w' has elements of a type that ONNX has not: 77"):
        weft.onnx.load(model)
    model = parsed(MLP)
    model.graph.initializer[0].ClearField("float_data")
    model.graph.initializer[0].raw_data = b"123"
    with pytest.raises(weft.ArtifactError, match="the tensor 'w' is damaged"):
        weft.onnx.load(model)
    texts = helper.make_tensor("w", TensorProto.STRING, [1], [b"a"])
    model.graph.initializer[0].CopyFrom(texts)
    with pytest.raises(weft.UnsupportedError, match="the tensor 'w' has elements that weft has not: string"):
        weft.onnx.load(model)


def test_arguments_that_do_not_fit(mlp, x):
    with pytest.raises(ValueError, match=r"mlp: the input 'x' is float32\[N,4\], not float32\[5,3\]"):
        mlp(x[:, :3])
    with pytest.raises(TypeError, match=r"mlp: the input 'x' is float32\[N,4\], not float64\[5,4\]"):
        mlp(x.astype(float))
    with pytest.raises(TypeError, match=r"mlp\(\) missing a required argument: 'x'"):
        mlp()
    with pytest.raises(TypeError, match=r"mlp\(\) too many positional arguments"):
        mlp(x, x)
    with pytest.raises(TypeError, match="argument"):
        mlp(z=x)


def test_functions_that_call_themselves():
    model = onnx.parser.parse_model(
        HEAD + "f (float[2] x) => (float[2] y) { y = own.again(x) }\n"
        '<domain: "own", opset_import: ["own" : 1]>\nagain (x) => (y) { y = own.again(x) }'
    )
    with pytest.raises(weft.ArtifactError, match="calls a function that calls itself"):
        weft.onnx.load(model)


def test_without_the_package(monkeypatch):
    import importlib

    from weft.frontend.onnx import packages

    def missing(name):
        raise ImportError(f"No module named {name!r}")

    wanted = weft.MissingPackageError
    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(wanted, match=r'pip install "weft\[onnx\]"') as info:
        packages.onnx()
    monkeypatch.undo()
    assert isinstance(info.value, ImportError)
