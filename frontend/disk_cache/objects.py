"""Objects of the user's classes, such as the `self` of a method: what stands for one in another process.

A trace sees what converted code reads of an object; guards compare it. So an object itself is told by its class and by
the names of its attributes. That is right only while nothing reads it unseen, as special methods would that Python
calls: objects of classes that have some are refused.
"""

from __future__ import annotations

from ..guards.generated import is_generated
from ..source.modules import is_library, is_like_programs

_SEEN = frozenset(
    {"__init__", "__new__", "__call__", "__post_init__", "__init_subclass__", "__class_getitem__", "__del__",
     "__getstate__", "__setstate__", "__reduce__", "__reduce_ex__", "__copy__", "__deepcopy__", "__repr__", "__str__",
     "__format__", "__sizeof__", "__getnewargs__", "__getnewargs_ex__", "__replace__", "__match_args__"}
)  # fmt: skip
"""Special methods that do not run while something is traced, or are traced, or whose texts are refused elsewhere."""

_DATA = frozenset(
    {"__module__", "__qualname__", "__doc__", "__dict__", "__weakref__", "__slots__", "__annotations__",
     "__static_attributes__", "__firstlineno__", "__orig_bases__", "__parameters__", "__annotate_func__",
     "__annotations_cache__", "__hash__", "__classcell__", "__type_params__", "__dataclass_params__",
     "__dataclass_fields__"}
)  # fmt: skip
"""Special members that are no methods: `__hash__` is None where `__eq__` is defined, which is refused."""


def why_not_seen(kind: type) -> str | None:
    """Why something of an object may be read that no trace sees; None where nothing is."""
    for base in kind.__mro__[:-1]:
        if type(base) is not type or is_library(base.__module__):
            return f"a {kind.__qualname__} object, whose class is more than a class of the program"
        for name, member in () if is_like_programs(base.__module__) else vars(base).items():
            is_special = name.startswith("__") and name.endswith("__") and name not in _SEEN | _DATA
            if is_special and not is_generated(member):
                return f"a {kind.__qualname__} object, as its class has {name}"
            if name == "__hash__" and member is not None:
                return f"a {kind.__qualname__} object, as its class has {name}"
    return None


def is_compared(kind: type) -> bool:
    """Whether objects of a class are compared by all that is in them, as those of dataclasses are."""
    members = [member for base in kind.__mro__[:-1] for member in vars(base).items()]
    return any(name not in _SEEN and is_generated(member) for name, member in members)
