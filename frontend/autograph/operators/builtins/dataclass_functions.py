"""`dataclasses.replace` in compiled code: the class is called as the program calls it, which makes a new object."""

from __future__ import annotations

import dataclasses
from typing import Any

from ....tracing.staging import raise_if
from ..interface import operators
from ..values.optional import Optional


def replace_(instance: Any, /, **changes: Any) -> Any:
    """`dataclasses.replace`.

    >>> Point = dataclasses.make_dataclass("Point", ["x", "y"])
    >>> replace_(Point(1, 2), y=3)
    Point(x=1, y=3)
    """
    if isinstance(instance, Optional):
        raise_if(instance.is_none, "TypeError", "replace() should be called on dataclass instances")
        instance = instance.value
    kind: Any = operators().call(type, instance)
    if kind is type or not dataclasses.is_dataclass(kind):
        return dataclasses.replace(instance, **changes)  # raises what Python raises
    fields = dataclasses.fields(kind)
    if len(fields) < len(kind.__dataclass_fields__):
        return dataclasses.replace(instance, **changes)  # some may be for __init__ alone, and must be there
    for field in fields:
        if field.init and field.name not in changes:
            changes[field.name] = operators().attr(instance, field.name)
        elif not field.init and field.name in changes:
            raise ValueError(
                f"field {field.name} is declared with init=False, it cannot be specified with replace()"
            )
    return operators().call(kind, **changes)
