"""Run a program eagerly and compiled, call by call, and judge what differs."""

from __future__ import annotations

import contextlib
import copy
import io
import re
import signal
import textwrap
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

import weft
from support.reference import interpreting
from weft.dialect.errors import (
    ConcreteValueError,
    ControlFlowError,
    InternalError,
    LeakedArrayError,
    PassError,
    UnsupportedError,
    WeftError,
)

from .comparison import arrays_of, differences, sharing, signs_count, types_count
from .effort import LongRecordingError, recording_at_most
from .joined import noting_joins, plain_numbers
from .program import IMPORTS, Loaded, forget, load
from .refusals import is_documented

STAGES = ("weft", "optimized", "compiled")
_ORDERING = re.compile(r"sort|unique|max|min|clip|ptp")
"""What takes one of two zeros, and does not say which."""

_SORTING = re.compile(r"\bsorted\(|\.sort\(\)|\b(?:min|max)\(")
"""What Python does with items of which none is smaller than NaN."""

REFUSALS = (UnsupportedError, ConcreteValueError, ControlFlowError, LeakedArrayError)
"""What weft says of programs that it does not take."""


@dataclass(frozen=True)
class Verdict:
    """How a program went: right, refused, invalid (it cannot be run at all), long, or one of the failures.

    `kind` groups failures: it has no data of the program in it. `detail` is for people.
    """

    outcome: str
    kind: str = ""
    detail: str = ""
    call: int = 0

    def as_json(self) -> dict[str, Any]:
        """As what JSON has."""
        return asdict(self)


@dataclass
class _Side:
    """A program that runs, and what its last call did."""

    program: Loaded
    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    held: list[np.ndarray[Any, Any]] = field(default_factory=list)
    """The arrays that the arguments hold before the call."""
    result: Any = None
    error: BaseException | None = None
    output: str = ""

    def prepare(self, number: int) -> None:
        """Make the arguments of a call, and the changes of state that come with them."""
        self.arguments = tuple(self.program.calls[number]())

    def call(self) -> None:
        """Make the call."""
        self.held = [array for _, array in arrays_of(self.arguments, "arguments")]
        output = io.StringIO()
        self.result, self.error = None, None
        with contextlib.redirect_stdout(output), np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                self.result = self.function(*self.arguments)
            except Exception as error:
                self.error = error
        self.output = output.getvalue()


class _EndlessError(BaseException):
    """A call of the eager function does not end."""


@contextlib.contextmanager
def _ending(seconds: float) -> Iterator[None]:
    """Stop what takes longer."""

    def stop(*_: Any) -> None:
        raise _EndlessError

    previous = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def require_right(text: str, stage: str = "compiled") -> None:
    """Raise AssertionError unless a program does compiled what it does eagerly; the imports may be left out."""
    text = textwrap.dedent(text)
    verdict = judge(text if text.startswith(IMPORTS) else IMPORTS + text, stage)
    assert verdict.outcome == "right", f"{verdict.outcome}: {verdict.kind}\n{verdict.detail}"


def judge(text: str, stage: str, most_ops: int | None = None) -> Verdict:
    """Compare all calls of a program, compiled to a stage, with eager ones.

    It is "long" where tracing one call records more than `most_ops` operations, thrown away ones included.
    """
    try:
        eager, other = load(text), load(text)
        calls = len(eager.calls)
        compiled = weft.function(**other.options)(other.function)
    except Exception as error:
        return Verdict("invalid", type(error).__name__, str(error))
    signs_count.set(_ORDERING.search(text) is None)
    expected, got = _Side(eager, eager.function), _Side(other, compiled)
    try:
        with (
            noting_joins() as joins,
            recording_at_most(most_ops),
            contextlib.nullcontext() if stage == "compiled" else interpreting(stage),
        ):
            for number in range(calls):
                expected.prepare(number)
                with _ending(2.0):
                    expected.call()
                if isinstance(expected.error, (MemoryError, RecursionError)):
                    return Verdict("invalid", type(expected.error).__name__, str(expected.error))
                got.prepare(number)
                before = copy.deepcopy((got.arguments, other.state()))
                got.call()
                verdict = _judged(got, expected, before)
                if verdict.outcome == "failed" and joins.seen and _only_types_differ(got, expected, before):
                    verdict = Verdict(
                        "refused", "documented: numbers of two types are joined", verdict.detail
                    )
                if verdict.outcome == "failed" and "nan" in verdict.detail and _SORTING.search(text):
                    verdict = Verdict(
                        "refused", "documented: floats with NaN are sorted by Python", verdict.detail
                    )
                if verdict.outcome != "right":
                    return Verdict(verdict.outcome, verdict.kind, verdict.detail, number)
                if expected.error is not None and any(differences(other.state(), eager.state())):
                    break  # an error of run time left the state as it was before the call
    except _EndlessError:
        return Verdict("invalid", "endless")
    except LongRecordingError:
        return Verdict("long", f"recording takes more than {most_ops} operations")
    finally:
        forget(eager, other)
    return Verdict("right")


def _only_types_differ(got: _Side, expected: _Side, before: Any) -> bool:
    """Whether a call is right but for the types of numbers."""
    token = types_count.set(False)
    try:
        return _judged(got, expected, before).outcome == "right"
    finally:
        types_count.reset(token)


def _judged(got: _Side, expected: _Side, before: Any) -> Verdict:
    """What is to be said of one call."""
    if got.error is not None:
        refusal = _of_error(got.error, expected.error)
        if refusal is not None:
            changed = next(differences((got.arguments, got.program.state()), before, "state"), None)
            if refusal.outcome == "refused" and changed is not None and _is_of_tracing(got.error):
                return Verdict("failed", f"refused, and changed: {_words(changed)}", changed)
            return refusal
    elif expected.error is not None:
        kind = f"not raised: {type(expected.error).__name__}: {_words(str(expected.error))}"
        return Verdict("failed", kind, f"only the eager function raised {expected.error!r}")
    difference = next(_differences(got, expected), None)
    if difference is None:
        return Verdict("right")
    return Verdict("failed", _words(difference), difference)


def _differences(got: _Side, expected: _Side) -> Iterator[str]:
    yield from differences(got.result, expected.result)
    printed, wanted = got.output, expected.output
    if not types_count.get():
        printed, wanted = plain_numbers(printed), plain_numbers(wanted)
    if printed != wanted:
        yield f"output: printed {got.output!r}, not {expected.output!r}"
    if expected.error is None or _is_of_program(expected.error):
        yield from differences(got.arguments, expected.arguments, "arguments")
        yield from differences(got.program.state(), expected.program.state(), "state")
    else:  # such errors leave Python's state as it was before the call, but not the elements of arrays
        yield from differences(got.held, expected.held, "arrays of arguments")
    if expected.error is None:
        shared, needed = (sharing(s.result, s.arguments, s.program.state()) for s in (got, expected))
        for place in sorted(shared ^ needed):
            yield f"sharing: {' '.join(place)}: {place in shared}, not {place in needed}"


def _of_error(got: BaseException, expected: BaseException | None) -> Verdict | None:
    """What is to be said of an exception of the compiled function; None where it is the eager one's."""
    words = f"{type(got).__name__}: {_words(str(got))}"
    detail = "".join(traceback.format_exception(got))[-4000:]
    if isinstance(got, (InternalError, PassError)):
        return Verdict("failed", f"internal: {words}", detail)
    if isinstance(got, WeftError) and (isinstance(got, REFUSALS) or is_documented(str(got))):
        return Verdict(
            "refused", words, str(got)
        )  # also where the eager function raises: before anything else happens
    if expected is not None and any(
        kind.__qualname__ == _public_class(expected).__qualname__ for kind in type(got).__mro__
    ):  # each of the two programs has classes of its own
        same = str(got) == str(expected) or not _is_of_program(expected)
        if same:
            return None
        return Verdict("failed", f"message: {words}", f"raised {got!r}, not {expected!r}")
    if is_documented(str(got)):
        return Verdict("refused", words, str(got))
    if expected is None:
        return Verdict("failed", f"raised: {words}", detail)
    wanted = f"{type(expected).__name__}: {_words(str(expected))}"
    return Verdict("failed", f"raised: {words} for {wanted}", detail + f"\neager: {expected!r}")


def _public_class(error: BaseException) -> type[BaseException]:
    """The class of an exception, or the one that users know where it is a private one of NumPy's."""
    return next(kind for kind in type(error).__mro__ if not kind.__module__.startswith("numpy._core"))


def _is_of_program(error: BaseException) -> bool:
    """Whether a statement of the program raised the error itself, and not NumPy or Python for it."""
    entry, line = error.__traceback__, ""
    while entry is not None:
        if entry.tb_next is None:
            frame = entry.tb_frame
            if not frame.f_code.co_filename.startswith("<program"):
                return False
            import linecache

            line = linecache.getline(frame.f_code.co_filename, entry.tb_lineno).strip()
        entry = entry.tb_next
    return line.startswith(("raise", "assert"))


def _is_of_tracing(error: BaseException) -> bool:
    """Whether the error came before anything ran."""
    return isinstance(error, WeftError)


def _words(text: str) -> str:
    """The first line of a message without what belongs to one program: names, numbers, values."""
    line = next((line for line in text.splitlines() if line.strip()), "")
    line = re.sub(r"0x[0-9a-f]+|[-+]?\d[\d.e+-]*", "N", line)
    line = re.sub(r"(['\"`]).*?\1", "_", line)
    line = re.sub(r"\b[a-z]\w?\b(?=[\[(.:,]|$)|\b[a-z]\d+\b", "_", line)
    line = re.sub(r"\[[^\]]*\]|\([^)]*\)", "_", line)
    return line[:140]


__all__ = ["STAGES", "Verdict", "judge", "require_right"]
