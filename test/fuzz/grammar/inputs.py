"""Arguments: arrays of any dtype and layout, aliases, numbers, containers and objects, as texts that make them."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from .arrays import COMMON, DTYPES

LAYOUTS = ("plain",) * 6 + ("fortran", "strided", "reversed", "unaligned", "big", "offset", "readonly")


@dataclass(frozen=True)
class ArrayInput:
    """An array argument."""

    dtype: str
    shape: tuple[int, ...]

    def text(self, chance: random.Random, layout: str) -> str:
        """What makes such an array, with values of its own."""
        values = _nested(chance, self.dtype, self.shape)
        dtype = f"np.{'bool_' if self.dtype == 'bool' else self.dtype}"
        plain = f"np.array({values}, {dtype})" if 0 not in self.shape else f"np.zeros({self.shape}, {dtype})"
        if not self.shape:
            return plain
        if layout == "fortran":
            return f"np.asfortranarray({plain})"
        if layout == "strided":
            return f"np.repeat({plain}, 2, axis=-1)[..., ::2]"
        if layout == "reversed":
            return f"{plain}[::-1]"
        if layout == "offset":
            return f"np.concatenate([{plain}, {plain}])[{self.shape[0]}:]"
        if layout == "readonly" and chance.random() < 0.3:
            return f"np.broadcast_to({plain}[:1], {self.shape})" if self.shape[0] else plain
        if layout == "unaligned" and 0 not in self.shape:
            return (
                f"np.frombuffer(bytearray(b'0' + {plain}.tobytes()), {dtype}, offset=1).reshape({self.shape})"
            )
        if layout == "big" and np.dtype(self.dtype).itemsize > 1:
            return f"{plain}.astype(np.dtype({dtype}).newbyteorder('>'))"
        return plain


@dataclass(frozen=True)
class OtherInput:
    """An argument that is no array: a number of Python or NumPy, a string, None, a container, an object."""

    kind: str

    def text(self, chance: random.Random, layout: str) -> str:
        """What makes such an argument."""
        integer, real = chance.randint(-2, 6), chance.choice((0.5, 1.5, -2.0, 3.0, 0.0))
        made = {
            "int": str(integer),
            "float": str(real),
            "bool": str(chance.random() < 0.5),
            "np.int64": f"np.int64({integer})",
            "np.float32": f"np.float32({real})",
            "np.float64": f"np.float64({real})",
            "np.uint8": f"np.uint8({abs(integer)})",
            "str": repr(chance.choice(("a", "b", "key"))),
            "None": "None",
            "list": f"[{integer}, {chance.randint(0, 3)}]",
            "arrays": f"[np.array([{real}, 1.0]), np.array([{integer}.0, 2.0])]",
            "tuple": f"({integer}, np.array([{integer}, 2]))",
            "dict": f"{{'a': {real}, 'b': np.array([{integer}, 1, 2])}}",
            "box": f"Box(np.array([{real}, 2.0, -1.0]), {integer})",
        }
        return made[self.kind]


OTHERS = (
    "int", "int", "float", "bool", "np.int64", "np.int64", "np.float32", "np.float64", "np.uint8", "str", "None",
    "list", "arrays", "tuple", "dict", "box",
)  # fmt: skip
Input = ArrayInput | OtherInput


def _value(chance: random.Random, dtype: str) -> str:
    kind = np.dtype(dtype).kind
    if kind == "b":
        return str(chance.random() < 0.5)
    if kind in "iu":
        if chance.random() < 0.04:
            return str(chance.choice((np.iinfo(dtype).max, np.iinfo(dtype).min)))
        return str(chance.randint(0 if kind == "u" else -4, 9))
    if kind == "f":
        if chance.random() < 0.04:
            return str(chance.choice(("np.nan", "np.inf", "-np.inf", "-0.0")))
        return str(chance.randint(-8, 10) / 2)
    return f"({chance.randint(-4, 6) / 2}+{chance.randint(0, 4) / 2}j)"


def _nested(chance: random.Random, dtype: str, shape: tuple[int, ...]) -> str:
    if not shape:
        return _value(chance, dtype)
    return f"[{', '.join(_nested(chance, dtype, shape[1:]) for _ in range(shape[0]))}]"


def random_inputs(chance: random.Random) -> list[Input]:
    """The parameters of a function; the first is an array."""
    made: list[Input] = []
    for number in range(chance.randint(1, 4)):
        if number == 0 or chance.random() < 0.45:
            rank = chance.choice((1, 1, 1, 1, 2, 2, 2, 3, 0))
            shape = tuple(chance.choice((1, 2, 3, 3, 4, 5)) for _ in range(rank))
            if chance.random() < 0.03 and shape:
                shape = (0, *shape[1:])
            arrays = [other for other in made if isinstance(other, ArrayInput)]
            if arrays and chance.random() < 0.5:
                shape = arrays[0].shape
            made.append(ArrayInput(chance.choice((*COMMON, *COMMON, *DTYPES)), shape))
        else:
            made.append(OtherInput(chance.choice(OTHERS)))
    return made


def fixed_numbers(chance: random.Random, inputs: list[Input]) -> dict[int, str]:
    """Python numbers that are the same at all calls, by parameter: at another value, a function is traced again."""
    if chance.random() < 0.2:
        return {}
    return {
        i: entry.text(chance, "plain")
        for i, entry in enumerate(inputs)
        if isinstance(entry, OtherInput) and entry.kind in ("int", "float", "bool")
    }


def arguments(chance: random.Random, inputs: list[Input], is_first: bool, fixed: Mapping[int, str]) -> str:
    """The arguments of one call: a tuple, or a call of a lambda where some are one array or views of one."""
    parts = [
        fixed.get(i)
        or entry.text(chance, "plain" if is_first and chance.random() < 0.6 else chance.choice(LAYOUTS))
        for i, entry in enumerate(inputs)
    ]
    arrays = [i for i, entry in enumerate(inputs) if isinstance(entry, ArrayInput)]
    pairs = [(i, j) for i in arrays for j in arrays if i < j and inputs[i] == inputs[j]]
    if pairs and chance.random() < 0.15:
        one, other = chance.choice(pairs)
        base, parts[one] = parts[one], "a"
        is_flat = len(inputs[one].shape) == 1 and inputs[one].shape[0] > 0  # type: ignore[union-attr]
        parts[other] = chance.choice(("a", "a[::-1]")) if is_flat and chance.random() < 0.4 else "a"
        return f"(lambda a: ({', '.join(parts)},))({base})"
    return f"({', '.join(parts)},)"


def with_other_extents(chance: random.Random, inputs: list[Input]) -> list[Input]:
    """The inputs with other sizes, equal where they were equal."""
    extents: dict[int, int] = {}
    changed: list[Input] = []
    for entry in inputs:
        if isinstance(entry, ArrayInput):
            for extent in entry.shape:
                extents.setdefault(extent, chance.choice((extent, 2, 3, 4, 6)))
            entry = replace(entry, shape=tuple(extents[extent] for extent in entry.shape))
        changed.append(entry)
    return changed


def input_signature(inputs: list[Input]) -> str | None:
    """Specs with unknown extents; None where an argument has none."""
    specs = []
    for entry in inputs:
        if not isinstance(entry, ArrayInput):
            break
        specs.append(f"weft.TensorSpec({(None,) * len(entry.shape)}, {entry.dtype!r})")
    return f"[{', '.join(specs)}]" if specs else None


__all__ = [
    "ArrayInput",
    "Input",
    "OtherInput",
    "arguments",
    "fixed_numbers",
    "input_signature",
    "random_inputs",
    "with_other_extents",
]
