"""What names of other libraries are called here: for messages, and for the pages for those who come from there."""

from __future__ import annotations

ARRAYS = {
    "boolean_mask": "x[x > 0]",
    "cast": "x.astype(np.float32)",
    "clip_by_norm": "x * np.minimum(1, 0.5 / np.linalg.norm(x))",
    "clip_by_value": "np.clip(x, 0, 1)",
    "complex": "x + 1j * x",
    "fill": "np.full((2, 3), 5.0)",
    "gather": "np.take(x, [0, 1], axis=0)",
    "gather_nd": "x[[0, 1], [1, 0]]",
    "norm": "np.linalg.norm(x)",
    "one_hot": "np.eye(4)[[0, 3]]",
    "rank": "x.ndim",
    "reduce_all": "np.all(x > 0)",
    "reduce_any": "np.any(x > 0)",
    "reduce_logsumexp": "np.logaddexp.reduce(x, axis=-1)",
    "reduce_max": "np.max(x, axis=-1)",
    "reduce_mean": "np.mean(x)",
    "reduce_min": "np.min(x)",
    "reduce_prod": "np.prod(x, axis=0)",
    "reduce_std": "np.std(x)",
    "reduce_sum": "np.sum(x, axis=0)",
    "reduce_variance": "np.var(x)",
    "reverse": "np.flip(x, axis=0)",
    "rsqrt": "1 / np.sqrt(x)",
    "scatter_nd": "np.add.at(np.zeros(4), [0, 1], 2.0)",
    "sequence_mask": "np.arange(4) < np.array([1, 3])[:, None]",
    "sigmoid": "1 / (1 + np.exp(-x))",
    "slice": "x[0:1, 1:3]",
    "softmax": "np.exp(x) / np.sum(np.exp(x), axis=-1, keepdims=True)",
    "softplus": "np.logaddexp(0, x)",
    "top_k": "np.sort(x, axis=-1)[..., ::-1][..., :2]",
}
"""By TensorFlow's name what is written, as for an array x of two rows; names that NumPy has, too, mean NumPy's."""

PROGRAMS = {
    "Assert": "assert n > 0, 'n is not positive'",
    "Module": "class Module: pass  # any class: weft.state finds its variables",
    "Tensor": "np.ndarray",
    "as_string": "str(n)",
    "case": "if n > 2: y = x\nelif n > 1: y = 2 * x\nelse: y = 3 * x",
    "control_dependencies": "v.assign(x); y = v + 0  # in the order of the program",
    "convert_to_tensor": "np.asarray([1.0, 2.0])",
    "debugging": "assert np.all(np.isfinite(x)), 'not finite'",
    "executing_eagerly": "not weft.is_tracing()",
    "foldl": "for row in x: n = n + row.sum()",
    "gradients": "weft.grad(lambda x: np.sum(x**2))(x)",
    "group": "v.assign(x); v.assign_add(x)",
    "map_fn": "weft.map(lambda row: row * 2, x)",
    "nest": "weft.state({'w': x})",
    "numpy_function": "weft.py_call(f, x, result=weft.TensorSpec(x.shape, x.dtype))",
    "py_function": "weft.py_call(f, x, result=weft.TensorSpec(x.shape, x.dtype))",
    "random": "np.random.default_rng(1).normal(size=3)",
    "recompute_grad": "weft.checkpoint(f)(x)",
    "saved_model": "weft.save(path, f=concrete); weft.load(path).f(x)",
    "train": "weft.save_state({'w': x}, path + '.npz'); weft.load_state({'w': x}, path + '.npz')",
    "vectorized_map": "weft.function(lambda x: np.stack([row * 2 for row in x]))(x)",
}
"""By TensorFlow's name what is written for anything else, with a number n, a variable v and a function f."""


JAX = {
    "Array": "np.ndarray",
    "ShapeDtypeStruct": "weft.TensorSpec([2, 3], 'float32')",
    "block_until_ready": "f(x)  # a call has ended when it returns",
    "debug": "print(x)",
    "device_get": "np.asarray(x)",
    "disable_jit": "weft.eager()",
    "jacfwd": "weft.jacobian(f)(x)",
    "jacrev": "weft.jacobian(f)(x)",
    "jit": "weft.function(f)(x)",
    "lax": "weft.cond(n > 1, lambda: x, lambda: 2 * x)",
    "linearize": "weft.jvp(f, (x,), (x,))",
    "make_jaxpr": "compiled.get_concrete_function(x).as_text('weft')",
    "numpy": "np.sum(x, axis=0)",
    "pure_callback": "weft.py_call(f, x, result=weft.TensorSpec(x.shape, x.dtype))",
    "tree_util": "weft.state({'w': x})",
}
"""By JAX's name what is written, with an array x, a number n, a function f and compiled = weft.function(f)."""

NUMBA = {
    "cfunc": "weft.export(path, f=concrete)",
    "guvectorize": "weft.vmap(f)(x)",
    "jit": "weft.function(f)(x)",
    "njit": "weft.function(f)(x)",
    "objmode": "weft.py_call(f, x, result=weft.TensorSpec(x.shape, x.dtype))",
    "prange": "range(n)",
    "stencil": "x[:, 2:] + x[:, :-2]",
    "typed": "[1.0, 2.0]",
}
"""By Numba's name what is written."""

TORCH = {
    "Generator": "np.random.default_rng(1)",
    "Tensor": "np.ndarray",
    "as_tensor": "np.asarray([1.0, 2.0])",
    "cat": "np.concatenate([x, x])",
    "compile": "weft.function(f)(x)",
    "from_numpy": "x",
    "inference_mode": "f(x)",
    "manual_seed": "np.random.default_rng(1)",
    "nn": "x @ x.T",
    "no_grad": "weft.stop_gradient(x)",
    "optim": "x - 0.1 * weft.grad(loss)(x)",
    "rand": "np.random.default_rng(1).random((2, 3))",
    "randint": "np.random.default_rng(1).integers(0, 9, (2, 3))",
    "randn": "np.random.default_rng(1).normal(size=(2, 3))",
    "relu": "np.maximum(x, 0)",
    "tensor": "np.array([1.0, 2.0])",
}
"""By PyTorch's name what is written."""

LIBRARIES = {"TensorFlow": {**ARRAYS, **PROGRAMS}, "JAX": JAX, "Numba": NUMBA, "PyTorch": TORCH}
"""By library what is written for its names that weft and NumPy do not have."""
