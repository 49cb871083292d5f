"""What to write instead of what other array libraries have, as a line behind messages of Python's own."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ..tracing.array import TracedArray

METHODS = {
    "add_": "write x += y",
    "at": "arrays are written in place: x[i] = value, x[i] += value, or np.add.at(x, i, value)",
    "backward": "derivatives are functions: weft.grad(f)(x)",
    "block_until_ready": "a call has ended when it returns; leave it out",
    "cpu": "arrays lie in the memory of the processor already; leave it out",
    "cuda": "weft.function(device='cuda') runs a function on a GPU",
    "detach": "write weft.stop_gradient(x)",
    "dim": "write x.ndim",
    "double": "write x.astype(np.float64)",
    "exp": "write np.exp(x)",
    "float": "write x.astype(np.float32)",
    "int": "write x.astype(np.int32)",
    "iloc": "an array is indexed as it is: x[i]",
    "index_select": "write np.take(x, places, axis)",
    "is_cuda": "x.device tells where an array lies",
    "loc": "an array is indexed as it is: x[i]",
    "log": "write np.log(x)",
    "long": "write x.astype(np.int64)",
    "masked_fill": "write np.where(mask, value, x)",
    "numel": "write x.size",
    "numpy": "it is a NumPy array already; leave it out",
    "permute": "write x.transpose(axes)",
    "pow": "write x ** y",
    "requires_grad": "weft.grad(f)(x) differentiates by any argument",
    "scatter_": "write np.put_along_axis(x, places, values, axis)",
    "sqrt": "write np.sqrt(x)",
    "to": "write x.astype(dtype); weft.device_put(x, device) moves an array to a GPU",
    "to_numpy": "it is a NumPy array already; leave it out",
    "type": "write x.astype(dtype)",
    "unsqueeze": "write np.expand_dims(x, axis)",
    "values": "it is a NumPy array already; leave it out",
    "zero_": "write x[:] = 0",
}
"""By method or attribute of arrays of other libraries."""

KEYWORDS = {"dim": "axis", "keepdim": "keepdims"}
"""By keyword of PyTorch's that of NumPy's."""

_NOT_CALLED = re.compile(r"'(method|builtin_function_or_method|function|numpy\.ufunc)'")
_UNEXPECTED = re.compile(r"unexpected keyword argument '(\w+)'")


def hint(error: BaseException) -> str | None:
    """What to write instead of what an error is about; None where nothing better is known than the error says."""
    text = str(error)
    if isinstance(error, AttributeError):
        return _of_attribute(getattr(error, "obj", None), getattr(error, "name", None))
    if isinstance(error, ValueError) and text.startswith("The truth value of an array with more than one"):
        return "  np.where(condition, a, b) chooses element by element; &, | and ~ stand for and, or and not"
    unexpected = _UNEXPECTED.search(text) if isinstance(error, TypeError) else None
    if unexpected is not None and unexpected[1] in KEYWORDS:
        return f"  NumPy calls it {KEYWORDS[unexpected[1]]}"
    if isinstance(error, TypeError) and _NOT_CALLED.search(text):
        return "  a function is not called here: write () behind its name"
    return None


def _of_attribute(owner: Any, name: str | None) -> str | None:
    """What to write in the place of an attribute that an object does not have."""
    if name is None:
        return None
    if isinstance(owner, TracedArray) and name in METHODS:
        return f"  {METHODS[name]}"
    if isinstance(owner, (list, tuple)) and hasattr(np.ndarray, name):
        kind = type(owner).__name__
        return f"  a {kind} is no array: pass np.asarray(...) to the function, or write np.asarray(...).{name} there"
    return None
