"""What kind of a structure an element of a data set is; of classes alone, which do not change."""

from __future__ import annotations

from types import FunctionType
from typing import Any


class Pipeline:
    """What gives elements; in a structure it is a part."""


def key_of_code(value: Any) -> Any:
    """What a function in a pipeline is compared by: its code and its globals, where it has nothing else; else None."""
    if not isinstance(value, FunctionType):
        return None
    if value.__closure__ or value.__defaults__ or value.__kwdefaults__ or value.__dict__:
        return None
    code = value.__code__
    return FunctionType, code, code.co_filename, id(value.__globals__)


def is_record(value: Any) -> bool:
    """Whether a value is a dataclass with parts, and no part itself."""
    return hasattr(type(value), "__dataclass_fields__") and not isinstance(value, Pipeline)


def names_in(value: tuple[Any, ...]) -> tuple[str, ...] | None:
    """The names of the parts of a namedtuple; None for other tuples."""
    return getattr(type(value), "_fields", None)


def steps_into(value: tuple[Any, ...]) -> list[str]:
    """What messages call the parts of a tuple."""
    names = names_in(value)
    return [f".{name}" for name in names] if names else [f"[{place}]" for place in range(len(value))]
