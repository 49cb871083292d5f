"""Expressions of arrays: views, indices, masks, ufuncs, reductions along axes, functions of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import is_array, is_integer
from .numbers import Numbers
from .scope import Unfit

DTYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip
COMMON = ("float64", "float32", "int64", "int32")
UNARY = ("np.abs", "np.negative", "np.sign", "np.square", "np.floor", "np.sqrt", "np.isnan", "np.conj", "np.rint",
         "np.sin", "np.exp", "np.isfinite", "np.invert", "np.ceil", "np.real", "np.imag",
            "np.logical_not")  # fmt: skip
BINARY = ("np.add", "np.subtract", "np.multiply", "np.maximum", "np.minimum", "np.divide", "np.floor_divide",
          "np.remainder", "np.logical_and", "np.logical_xor", "np.greater", "np.copysign", "np.hypot", "np.fmax",
          "np.left_shift", "np.bitwise_and", "np.arctan2", "np.power")  # fmt: skip
AXIS = ("sum", "max", "min", "mean", "prod", "any", "all", "argmax", "argmin", "cumsum", "std")


class Arrays(Numbers):
    """Arrays of any dtype, rank and layout."""

    def dtype(self) -> str:
        """A dtype, as a text."""
        return f"np.{'bool_' if (d := self.one(*COMMON, *DTYPES)) == 'bool' else d}"

    def array(self) -> str:
        """An array of at least one dimension."""
        producers = [
            (4, lambda: self.name(is_array)),
            (4, self.view),
            (1, self.creation),
            (2, self.unary),
            (4, self.binary),
            (2, self.selection),
            (1.5, self.along_axis),
            (1.5, self.function_of_array),
            (1, self.combination),
            (1, self.method),
            (0.7, self.of_items),
            (0.7, self.cut),
        ]
        names = self.names(is_array)
        return self.choose(is_array, producers, self.one(*names[-6:]) if names else "np.zeros(3)")

    def any_array(self) -> str:
        """A variable."""
        return self.name(is_array)

    def view(self) -> str:
        """A view of an array, or what NumPy copies where there can be none."""
        kind = self.random.random()
        name = self.name(is_array)
        if kind < 0.55:
            return f"{name}[{self.slices(self.scope.values[name].ndim)}]"
        rank = self.scope.values[name].ndim
        axes = list(range(rank))
        self.random.shuffle(axes)
        return self.template(
            "{name}.T", "{name}.ravel()", "{name}.reshape(-1)", "{name}.reshape(-1, 1)", "{name}.flatten()",
            "{name}.real", "{name}.copy()", "{name}.transpose({axes})",
            "np.expand_dims({name}, {axis})", "{name}.squeeze()", "np.flip({name})",
            "np.broadcast_to({name}, (2, *{name}.shape))", "np.asarray({name})", "{name}.view()",
            "np.ascontiguousarray({name})", "np.swapaxes({name}, 0, -1)", "np.atleast_2d({name})",
            "{name}.astype({name}.dtype, copy=False)", "np.diagonal({name})", "{name}[...]", "{name}.imag",
            name=name, axes=', '.join(map(str, axes)),
        )  # fmt: skip

    def slices(self, rank: int) -> str:
        """Indices of which at least one is a slice."""
        parts = [self.one(self.slice(), self.slice(), self.small_index(), ":") for _ in range(rank)]
        if rank > 1 and self.often(0.3):
            parts = parts[: self.random.randint(1, rank)]
            if self.often(0.4):
                parts.insert(self.one(0, len(parts)), "...")
        if self.often(0.1):
            parts.insert(self.random.randint(0, len(parts)), "None")
        return ", ".join(parts)

    def slice(self) -> str:
        """A slice, with bounds and steps that may be known at run time only."""

        def bound() -> str:
            return str(self.one("", "", "1", "2", "-1", self.integer()))

        step = self.one("", "", "", ":2", ":-1", ":-2", ":3")
        return f"{bound()}:{bound()}{step}"

    def creation(self) -> str:
        """A new array."""
        shape = self.template("3", "(2, 3)", "(0,)", "4", "(1, 3)", "{integer}", "{any_array}.shape")
        name = self.name(is_array)
        return self.template(
            "np.zeros({shape}, {dtype})", "np.ones({shape}, {dtype})", "np.arange({integer})",
            "np.full({shape}, {number})", "np.zeros_like({name})", "np.ones_like({name})",
            "np.arange({literal}, {few})", "np.linspace(0, 1, {few})",
            "np.eye({few})", "np.full_like({name}, {literal})",
            "np.random.default_rng({few}).random({shape})", "np.random.default_rng({few}).permutation({name})",
            "np.random.default_rng({few}).integers(5, size={shape})",
            name=name, shape=shape,
        )  # fmt: skip

    def unary(self) -> str:
        """A function of each element."""
        if self.often(0.3):
            return f"{self.one('-', '+', '~', 'abs')}({self.array()})"
        return f"{self.one(*UNARY)}({self.array()})"

    def operand(self) -> str:
        """An array or a number."""
        return self.array() if self.often(0.6) else self.number()

    def binary(self) -> str:
        """An operator, or a function of two."""
        one, other = self.array(), self.operand()
        if self.often(0.5):
            one, other = other, one
        if self.often(0.7):
            operator = self.one(
                "+", "-", "*", "+", "*", "/", "//", "%", "<", ">=", "==", "!=", "&", "|", "^", "@", ">>"
            )
            return f"({one} {operator} {other})"
        return f"{self.one(*BINARY)}({one}, {other})"

    def mask(self, name: str) -> str:
        """A mask for an array."""
        return self.template(
            "{name} > {literal}", "{name} != {number}", "~({name} < {literal})",
            "{name} % 2 == 0", "np.isfinite({name})", "({name} > 0) & ({name} < {number})",
            name=name,
        )  # fmt: skip

    def indices(self) -> str:
        """An array of indices, or a list of them."""
        return self.template(
            "np.array([0, 1])", "[0, -1]", "np.array([[0, 1], [1, 0]])", "[True, False, True]", "np.arange(2)",
            "np.array([], np.int64)", "np.array([0, 1]) + {integer}",
            "{index_array}",
        )  # fmt: skip

    def index_array(self) -> str:
        """A variable of indices."""
        return self.name(lambda v: is_array(v) and v.dtype.kind == "i")

    def axis(self) -> str:
        """An axis that most arrays have."""
        return str(self.one(0, -1))

    def elements(self, rank: int) -> str:
        """Indices of one element."""
        return ", ".join(self.small_index() for _ in range(rank))

    def selection(self) -> str:
        """What fancy indices and masks pick."""
        name = self.name(is_array)
        rank = self.scope.values[name].ndim
        rest = f", {self.slice()}" if rank > 1 and self.often(0.4) else ""
        return self.template(
            "{name}[{mask}]", "{name}[{indices}{rest}]", "np.take({name}, {indices})",
            "np.where({mask}, {name}, {operand})", "np.flatnonzero({name})",
            "{name}[{slice}, {indices}]", "{name}[np.argsort({name}.ravel(), kind='stable')]",
            "np.compress({indices}, {name})", "{name}[{indices}, {indices}]",
            name=name, rest=rest, mask=lambda: self.mask(name),
        )  # fmt: skip

    def along_axis(self) -> str:
        """A reduction or a scan along an axis."""
        keeps = self.one("", "", ", keepdims=True")
        method = self.one(*AXIS)
        if method in ("argmax", "argmin", "cumsum"):
            keeps = ""
        return f"{self.array()}.{method}(axis={self.one(0, -1, 1)}{keeps})"

    def function_of_array(self) -> str:
        """A function of one array."""
        return self.template(
            "np.sort({array})", "np.argsort({array}, kind='stable')", "np.cumsum({array})", "np.roll({array}, {n})",
            "np.repeat({array}, {few})", "np.tile({array}, 2)", "np.unique({array})", "np.diff({array})",
            "np.clip({array}, {n}, {number})", "np.pad({array}, 1)", "np.triu({array})", "np.rot90({array})",
            "np.outer({array}, {array})", "np.nonzero({array})[0]", "np.delete({array}, 0)",
            "np.nan_to_num({array})", "np.round({array}, 1)",
            "np.cumprod({array})",             "np.array_split({array}, 2)[0]",
            "np.moveaxis({array}, 0, -1)", "np.insert({array}, 0, {n})",
            "np.bincount({array} % 3)", "np.searchsorted(np.sort({array}), {n})", "np.append({array}, {n})",
            array=self.array(), n=self.literal(),
        )  # fmt: skip

    def combination(self) -> str:
        """A function of several arrays."""
        return self.template(
            "np.concatenate([{one}, {other}])", "np.stack([{one}, {other}])", "np.dot({one}, {other})",
            "np.where({condition}, {one}, {other})", "np.matmul({one}, {other})", "np.hstack([{one}, {other}])",
            "np.vstack(({one}, {other}))", "np.select([{one} > 0], [{other}], 1)", "np.append({one}, {other})",
            "np.array([{number}, {number}])", "np.array([{literal}, {literal}], {dtype})",
            "np.add.reduce({one})", "np.inner({one}, {one})", "np.array({one})",
            "np.einsum('i,i->i', {one}, {other})",
            one=self.array(), other=self.operand(),
        )  # fmt: skip

    def method(self) -> str:
        """A method of an array, by keywords as well."""
        return self.template(
            "{array}.astype({dtype})", "{array}.astype({dtype})", "{array}.clip(0, 3)",
            "{array}.cumsum()", "{array}.repeat(2)", "{array}.round()", "{array}.conj()", "{array}.dot({array})",
            "np.array({array}.tolist())", "{array}.take([0, -1])", "{array}.nonzero()[0]",
            "{array}.argsort(kind='stable')",
            array=self.array(),
        )  # fmt: skip

    def of_items(self) -> str:
        """An array of what a comprehension makes."""
        items = self.one(
            f"range({self.integer()})", f"{self.array()}", self.name(lambda v: isinstance(v, list) and v)
        )
        condition = f" if {self.one('i', 'i > 0', 'True')}" if self.often(0.2) else ""
        item = self.one("i", "i * 2", "i + 1.5")
        return f"np.{self.one('array', 'array', 'stack')}([{item} for i in {items}{condition}])"

    def cut(self) -> str:
        """An array cut and joined again at places that may be known at run time only."""
        return self.template(
            "np.roll({name}, {k})", "np.roll({name}, {k}, axis=0)", "np.concatenate([{name}[{k}:], {name}[:{k}]])",
            "np.concatenate([{name}[:{k}], {name}[:1], {name}[{k}:]])", "np.r_[{name}[-{k}:], {name}[:-{k}]]",
            "np.concatenate([{name}[:{k}], {other}[{k}:]])", "np.insert({name}, {k}, {number})",
            "np.delete({name}, {k})", "np.hstack([{name}[{k}:], {name}[:{k}]])", "np.append({name}[:{k}], {number})",
            name=self.name(is_array), other=self.name(is_array), k=self.name(is_integer),
        )  # fmt: skip

    def place(self, name: str) -> str:
        """Indices under which an array is written."""
        value: Any = self.scope.values[name]
        if not isinstance(value, np.ndarray):
            raise Unfit(name)
        if value.ndim == 0:
            return str(self.one("...", "()"))
        return self.template(
            "{basic}", "{basic}", "{basic}", "{mask}", "{indices}", "{element}", "{element}", ":", "...",
            basic=lambda: self.slices(value.ndim), mask=lambda: self.mask(name),
            element=lambda: self.elements(value.ndim),
        )  # fmt: skip


__all__ = ["DTYPES", "Arrays"]
