"""The operators, methods and properties that traced arrays have, by their names."""

from __future__ import annotations

import numpy as np

BINARY: dict[str, tuple[np.ufunc, str]] = {
    "add": (np.add, "+"),
    "sub": (np.subtract, "-"),
    "mul": (np.multiply, "*"),
    "truediv": (np.true_divide, "/"),
    "floordiv": (np.floor_divide, "//"),
    "mod": (np.remainder, "%"),
    "pow": (np.power, "**"),
    "matmul": (np.matmul, "@"),
    "and": (np.bitwise_and, "&"),
    "or": (np.bitwise_or, "|"),
    "xor": (np.bitwise_xor, "^"),
    "lshift": (np.left_shift, "<<"),
    "rshift": (np.right_shift, ">>"),
}
OPERATORS = {**BINARY, "divmod": (np.divmod, "divmod()")}
ORDERINGS: dict[str, tuple[np.ufunc, str]] = {
    "lt": (np.less, "<"),
    "le": (np.less_equal, "<="),
    "gt": (np.greater, ">"),
    "ge": (np.greater_equal, ">="),
}
COMPARISONS = {"eq": (np.equal, "=="), "ne": (np.not_equal, "!="), **ORDERINGS}
UNARY: dict[str, np.ufunc] = {
    "neg": np.negative,
    "pos": np.positive,
    "abs": np.absolute,
    "invert": np.invert,
}
METHODS = (
    "all", "any", "argmax", "argmin", "argpartition", "argsort", "astype", "byteswap", "choose", "clip", "compress",
    "conj", "conjugate", "cumprod", "cumsum", "diagonal", "dot", "flatten", "item", "max", "mean", "min", "nonzero",
    "prod", "ravel", "repeat", "reshape", "round", "searchsorted", "squeeze", "std", "sum", "swapaxes", "take", "trace",
    "tolist", "transpose", "var", "view",
)  # fmt: skip
IN_PLACE_METHODS = ["fill", "partition", "put", "resize", "setflags", "sort"]
PROPERTIES = ["T", "mT", "real", "imag", "flat", "base", "flags", "strides"]
