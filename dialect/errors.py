"""The errors weft raises; each also inherits the builtin that a Python programmer would catch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


class WeftError(Exception):
    """Base class of all errors that weft raises on its own account."""

    at: str = ""
    """The text of the MLIR location of the op that it is about, where a pass has raised it."""


class WeftTypeError(WeftError, TypeError):
    """A value has a dtype or Python type that cannot be used here."""


class WeftValueError(WeftError, ValueError):
    """A value has the right type but a wrong content: an axis, a shape, a mode."""


class OverlapError(WeftValueError):
    """Two arguments share memory, and the function writes to one of them; nothing was done yet."""


class WeftIndexError(WeftError, IndexError):
    """An index is out of bounds or of a wrong kind."""


class UnsupportedError(WeftError, NotImplementedError):
    """What was asked is valid NumPy, but compiled code cannot do it; the message says what to write."""


class UnsupportedAttributeError(UnsupportedError, AttributeError):
    """An attribute that arrays of NumPy have, and those of compiled code do not."""


class UnsupportedDtypeError(UnsupportedError, WeftTypeError):
    """Elements of a kind that compiled code does not have: Python's objects."""


class TraceSizeError(UnsupportedError):
    """A trace has more operations than `weft.settings.max_trace_ops` allows."""


class LayoutError(UnsupportedError):
    """What NumPy gives depends on how an array lies in memory, which is not known."""


class ConversionError(UnsupportedError, SyntaxError):
    """Control flow in a function cannot be converted; the error shows the place as Python shows syntax errors."""

    def __init__(self, message: str, details: tuple[object, ...] | None = None) -> None:
        SyntaxError.__init__(self, message, *([] if details is None else [details]))


class ConcreteValueError(WeftTypeError):
    """Python asked a traced array for its value, which is known only when the compiled function runs."""

    sources: Any = None
    """The SSA values that the one may be computed of that it is about, where Python's state may be among them."""
    what: str = ""
    """What needs it."""
    instead: str = ""
    """What to write."""


class PythonNumberError(WeftError, OverflowError, ValueError):
    """A number of Python's that compiled code does not have: an int of more than 64 bits, an int's negative power."""


class ControlFlowError(WeftTypeError):
    """Paths through the program leave values that compiled code cannot hold in one variable."""


class LeakedArrayError(WeftValueError):
    """A traced array is used outside the trace that made it."""


class TraceRecursionError(WeftError, RecursionError):
    """The function recursed without end while it was traced."""


class ArtifactError(WeftValueError):
    """A file of compiled functions is damaged, of a newer version, or does what such files must not do."""


class NotPortable(UnsupportedError):
    """A compiled function does what it cannot do in another process; the message lists all of it, with lines."""


class LinkError(WeftError, OSError):
    """There is no linker, or it cannot make the library that was asked for; the message has what it says."""


class MissingPackageError(WeftError, ImportError):
    """A package is not installed that only some of weft's functions need; the message tells how to get it."""


class CommunicationError(WeftError, RuntimeError):
    """Ranks of a mesh could not do together what a program asks for; the message names ranks and lines."""


class RemoteError(CommunicationError):
    """Another rank has raised an exception, so that it does not take part any more."""

    def __init__(self, message: str, rank: int = -1) -> None:
        super().__init__(message)
        self.rank = rank
        """The number of the rank that raised."""


class DeadlockError(CommunicationError):
    """Ranks wait for each other, or for one that has returned."""


class InternalError(WeftError, RuntimeError):
    """weft broke one of its own invariants; please report it together with the message.

    `at` is the text of the MLIR location of the op that it is about.
    """

    def __init__(self, message: str, at: str = "") -> None:
        super().__init__(message)
        self.at = at


class PassError(WeftError, RuntimeError):
    """A pass or a pipeline of passes failed; the message names the pass and holds MLIR's diagnostics."""


class RefusedOperation(UnsupportedError):
    """Base of what a pass says about the user's program; `at` is the text of the MLIR location of the op."""

    def __init__(self, message: str, at: str = "") -> None:
        super().__init__(message)
        self.at = at


class DifferentiationError(RefusedOperation):
    """A derivative that weft does not know."""


class DivergenceError(RefusedOperation):
    """Ranks might not do together what they have to: whether they do depends on what is not the same on all of them."""


class BatchingError(RefusedOperation):
    """What a function does that cannot be done for all rows at once, nor for one after the other."""


class PartitionError(RefusedOperation):
    """What a function does that cannot be done on arrays which are split over ranks, or in blocks of Dask."""


class ProfileError(WeftError, RuntimeError):
    """A profile is begun where there is one already."""


if TYPE_CHECKING:

    class AxisError(WeftError, np.exceptions.AxisError):
        """See `__getattr__`."""

else:

    def __getattr__(name):
        """AxisError, made when it is asked for: of NumPy, which it derives from, command lines are not to wait for."""
        if name != "AxisError":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import numpy as np

        about = (
            "An axis is out of bounds; NumPy's own class, so that it is both an IndexError and a ValueError."
        )
        body = {"__module__": __name__, "__doc__": about}
        return globals().setdefault(name, type(name, (WeftError, np.exceptions.AxisError), body))


class DeviceError(WeftError, RuntimeError):
    """The driver of a GPU, or the GPU, reports an error; the message has the driver's own name and text of it."""

    def __init__(self, message: str, code: int = 0) -> None:
        super().__init__(message)
        self.code = code
        """The driver's number of the error; 0 when there is none."""


class DeviceMemoryError(DeviceError, MemoryError):
    """A GPU has not enough memory left."""


class WeftWarning(UserWarning):
    """Base class of the warnings that weft gives."""


class GatherWarning(WeftWarning):
    """Blocks of an array come together, on every rank of a mesh or in a task of Dask, which each had one."""


class TransferWarning(WeftWarning):
    """A large array is copied between the host and a GPU at each call."""


class ConversionWarning(WeftWarning):
    """A function cannot be converted, and is traced as it is."""


class CacheWarning(WeftWarning):
    """Compiled functions cannot be stored on disk, or not be read there."""


class ArtifactWarning(WeftWarning):
    """The machine code of a file is not taken, although it is trusted: functions are compiled."""


class RetracingWarning(WeftWarning):
    """A function is compiled again at each of many calls."""


class FallbackWarning(WeftWarning):
    """A function is not compiled, but called in Python whenever the program runs."""


class UnrollingWarning(WeftWarning):
    """A loop that is unrolled, or a function that calls itself, makes a very large program."""


def no_attribute(message: str, name: str, known: Iterable[str]) -> AttributeError:
    """An error for a name that is not there, with those that look nearly like it; Python adds none of its own.

    >>> str(no_attribute("there is no 'tanhh'", "tanhh", ["tan", "cos", "tanh", "atanh"]))
    "there is no 'tanhh'; did you mean tanh?"
    """
    import difflib  # for messages only

    close = difflib.get_close_matches(name, list(known), 3, cutoff=0.75)
    likeness = [difflib.SequenceMatcher(None, name, other).ratio() for other in close]
    best = [other for other, ratio in zip(close, likeness, strict=True) if ratio > likeness[0] - 0.05]
    hint = f"; did you mean {' or '.join(best)}?" if best else ""
    return AttributeError(message + hint, name="", obj=None)


def with_article(name: str) -> str:
    """A name with its article, as messages call something of a class.

    >>> with_article("ExitStack"), with_article("list")
    ('an ExitStack', 'a list')
    """
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


class _Shown(int):
    """A number in a message; `{0:float64}` shows the float of that dtype whose bits it has."""

    def __format__(self, spec: str) -> str:
        if not spec.startswith("float"):
            return super().__format__(spec)
        import numpy as np  # which command lines need not wait for

        dtype = np.dtype(spec)
        return str(np.array(self, np.int64).astype(f"i{dtype.itemsize}").view(dtype).item())


def format_message(message: str, values: Iterable[Any]) -> str:
    """The message of an exception with the values that are shown in it: integers, or the bits of floats.

    >>> import numpy as np
    >>> format_message("{0} is more than {1:float64}", [3, np.float64(2.5).view(np.int64)])
    '3 is more than 2.5'
    """
    return message.format(*(_Shown(value) for value in values))
