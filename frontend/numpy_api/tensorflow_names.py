"""What TensorFlow's names are called here: for messages, and for the page for those who come from there."""

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


def here(name: str) -> str | None:
    """What is written for a name of TensorFlow's; None for one that is not known."""
    return ARRAYS.get(name) or PROGRAMS.get(name)


__all__ = ["ARRAYS", "PROGRAMS", "here"]
