"""Exceptions that are mistakes of weft's own, told from those that it raises, or meets, on the user's behalf."""

from __future__ import annotations

import dis
from collections import Counter
from collections.abc import Iterator
from types import FrameType, TracebackType

from ...dialect.errors import InternalError, WeftError
from .locations import OWN_ROOMS, is_own_frame

RAISERS = frozenset({"raise_", "fail"})
"""The functions that raise what the user's code says."""

_ON_BEHALF = (
    "frontend.autograph.operators.",
    "frontend.indexing.python_sequences",
    "frontend.runtime_values.python_calls",
)
"""The modules whose subscripts, unpackings and calls are those of the user's code."""

_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR", "DELETE_ATTR", "LOAD_SUPER_ATTR")
_PARTS = ("BINARY_SUBSCR", "STORE_SUBSCR", "DELETE_SUBSCR", "BINARY_OP", "BINARY_SLICE", "UNPACK_SEQUENCE")
_OF_SEQUENCES = tuple(f"{kind} index out of range" for kind in ("list", "tuple", "string", "range object"))
"""What Python says of its own sequences, and NumPy of no array."""

_RAISING = ("RAISE_VARARGS", "RERAISE")
_NEVER_MEANT = (AssertionError, NameError, NotImplementedError, StopIteration)


_NESTED_CALLS = 20
"""How many calls of one function within each other are no recursion without end."""


def is_own_failure(error: BaseException) -> bool:
    """Whether an exception is a mistake in weft, and says nothing about the user's program.

    What weft raises in place of Python or NumPy it raises by `raise`, or gets from what it calls; other instructions of
    its code fail where it is wrong: an attribute that an object does not have, a key that a table lacks.
    """
    if isinstance(error, WeftError):
        return isinstance(error, InternalError)
    innermost = next(reversed(list(_entries(error.__traceback__))), None)
    if innermost is None:
        return False
    frame, instruction = innermost.tb_frame, innermost.tb_lasti
    if not is_weft_frame(frame) or frame.f_code.co_name in RAISERS:
        return False
    failing = _operation(frame, instruction)
    if isinstance(error, NameError) and failing in _RAISING:
        return False
    if isinstance(error, NotImplementedError) and (failing not in _RAISING or str(error)):
        return False  # of a library that is called, or in NumPy's words: methods of a base class have none
    if isinstance(error, RecursionError):
        return not is_endless_recursion(error)
    if isinstance(error, _NEVER_MEANT) or _is_of_the_bindings(error):
        return not _acts_for_user(frame) or isinstance(error, (AssertionError, NameError))
    if isinstance(error, AttributeError):
        return failing in _ATTRIBUTES
    if isinstance(error, IndexError) and not str(error).endswith(_OF_SEQUENCES):
        return False  # NumPy's own, which is asked for what it says of an index
    if isinstance(error, (LookupError, ValueError)):
        wanted = ("UNPACK_SEQUENCE",) if isinstance(error, ValueError) else _PARTS
        return failing in wanted and not _acts_for_user(frame)
    return False


def is_endless_recursion(error: RecursionError) -> bool:
    """Whether code of the user's, or of a library, calls itself again and again, and not only weft's own."""
    calls = Counter(
        entry.tb_frame.f_code for entry in _entries(error.__traceback__) if not is_weft_frame(entry.tb_frame)
    )
    return max(calls.values(), default=0) > _NESTED_CALLS


def as_internal(error: BaseException) -> InternalError:
    """The error that says so to the user, to be raised from the exception."""
    return InternalError(
        f"weft failed here by a mistake of its own ({type(error).__name__}: {error}), please report it with this "
        "message; until it is mended, write this line in another way, or compute it outside of the compiled function"
    )


def in_users_words(error: BaseException) -> None:
    """Let the message of an error of Python's say what the user has in the place of a traced array: an array."""
    if not isinstance(error, WeftError) and error.args and isinstance(error.args[0], str):
        error.args = (error.args[0].replace("TracedArray", "array"), *error.args[1:])


def is_weft_frame(frame: FrameType) -> bool:
    """Whether a frame runs code of weft's own files, not what conversion made of the user's, nor NumPy's."""
    return is_own_frame(frame) and frame.f_code.co_filename.startswith(OWN_ROOMS)


def _acts_for_user(frame: FrameType) -> bool:
    name: str = frame.f_globals.get("__name__", "").partition(".")[2]
    return name.startswith(_ON_BEHALF)


_WORDS_OF_THE_BINDINGS = ("incompatible function arguments", "operation has been invalidated")


def _is_of_the_bindings(error: BaseException) -> bool:
    """Whether MLIR's bindings raised it: its own errors, wrong arguments of calls, and ops that are gone."""
    said = [word for word in error.args if isinstance(word, str)]  # what else it holds is asked nothing
    return type(error).__name__ == "MLIRError" or any(
        words in one for words in _WORDS_OF_THE_BINDINGS for one in said
    )


def _entries(entry: TracebackType | None) -> Iterator[TracebackType]:
    while entry is not None:
        yield entry
        entry = entry.tb_next


def _operation(frame: FrameType, instruction: int) -> str:
    """The name of the instruction that failed."""
    code = frame.f_code.co_code
    return dis.opname[code[instruction]] if 0 <= instruction < len(code) else ""
