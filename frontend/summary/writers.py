"""Files of events, and which of them summaries go to: said by `with`, while tracing or when the program runs."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import socket
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeAlias

from ...dialect.errors import WeftTypeError, WeftValueError
from ...dialect.records import dataclass
from ..runtime_values.outside_traces import outside_traces
from ..runtime_values.values import Frozen
from ..tracing.current import current_trace, required_trace
from ..tracing.staging import host_call
from .packages import messages, tensorboard

_numbers = itertools.count()

Condition: TypeAlias = "bool | Callable[[], bool]"
"""Whether summaries are written: also an array, and a function that is asked each time."""


class SummaryWriter:
    """A file of events that TensorBoard reads. Made by `weft.summary.create_file_writer`.

    Several threads may write to it. What is written is in the file after `flush` and `close`, when so many events wait
    or so much time has passed as it was made with, and at the end of the program.
    """

    def __init__(self, logdir: str, max_queue: int, flush_millis: int, suffix: str) -> None:
        os.makedirs(logdir, exist_ok=True)
        name = f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}.{next(_numbers)}.v2"
        self.path = os.path.join(logdir, name + suffix)
        """The file."""
        records = tensorboard("summary.writer.record_writer").RecordWriter
        self._file = open(self.path, "wb")  # noqa: SIM115  (until it is closed, or gone)
        self._records = records(self._file)
        self._lock = threading.Lock()
        self._max_queue, self._flush_seconds = max_queue, flush_millis / 1000
        self._waiting, self._flushed = 0, time.monotonic()
        self._closing = weakref.finalize(self, self._file.close)
        self.write_event(file_version="brain.Event:2")
        self.flush()

    def write_event(self, **fields: Any) -> None:
        """Write one event, made of its fields, with the present time."""
        event = messages("event").Event(wall_time=time.time(), **fields).SerializeToString()
        with self._lock:
            if self._file.closed:
                raise WeftValueError(f"{self!r} is closed: nothing can be written to it")
            self._records.write(event)
            self._waiting += 1
            if self._waiting > self._max_queue or time.monotonic() - self._flushed > self._flush_seconds:
                self._flush()

    def _flush(self) -> None:
        self._file.flush()
        self._waiting, self._flushed = 0, time.monotonic()

    def flush(self) -> None:
        """Have all that was written in the file; in a compiled function when it runs."""
        if current_trace() is not None:
            when_run(self.flush, "flush")
            return
        with self._lock:
            if not self._file.closed:
                self._flush()

    def close(self) -> None:
        """End the file; in a compiled function when it runs. A second time does nothing."""
        if current_trace() is not None:
            when_run(self.close, "close")
            return
        with self._lock:
            self._closing()

    def init(self) -> None:
        """Do nothing: the file was begun when the writer was made."""

    @contextlib.contextmanager
    def as_default(self, step: Any = None) -> Iterator[SummaryWriter]:
        """Have summaries inside of the `with` block written to this, by this thread, for a step if one is given.

        In a compiled function it is for the summaries that are traced inside, and the step may be computed there.
        """
        with _set(Setting(writer=self, step=step)):
            yield self

    def set_as_default(self, step: Any = None) -> None:
        """Have summaries of this thread written to this from now on, where no `with` block says something else."""
        refuse_in_trace("set_as_default", "call it outside, or write `with writer.as_default():`")
        _defaults.base = Setting(writer=self, step=step)

    def __repr__(self) -> str:
        return f"<weft.summary.SummaryWriter {self.path!r}>"


@dataclass(frozen=True)
class Setting:
    """What is said of summaries at one place; None where nothing is said."""

    writer: SummaryWriter | None = None
    step: Any = None
    condition: Any = None

    def inside(self, outer: Setting) -> Setting:
        """This, and where it says nothing what is said further out."""
        return Setting(
            outer.writer if self.writer is None else self.writer,
            outer.step if self.step is None else self.step,
            outer.condition if self.condition is None else self.condition,
        )


class _Defaults(threading.local):
    base = Setting()

    def __init__(self) -> None:
        self.entered: list[tuple[Setting, bool]] = []
        """What is said by `with`, the innermost last, and whether that is in a function that is traced."""


_defaults = _Defaults()


@contextlib.contextmanager
def _set(setting: Setting) -> Iterator[None]:
    depth = len(_defaults.entered)
    _defaults.entered.append((setting, current_trace() is not None))
    try:
        yield
    finally:
        del _defaults.entered[depth:]


def setting_of_trace() -> Setting:
    """What is said in the functions that are traced."""
    entered = (setting for setting, is_traced in _defaults.entered if is_traced)
    return functools.reduce(lambda outer, inner: inner.inside(outer), entered, Setting())


def setting_now() -> Setting:
    """What is said at the present time of the program that runs."""
    entered = (setting for setting, _ in _defaults.entered)
    return functools.reduce(lambda outer, inner: inner.inside(outer), entered, _defaults.base)


def when_run(function: Callable[..., Any], name: str, *values: Any) -> None:
    """Call a function of values when the program runs that is traced."""
    trace = required_trace()
    frozen = Frozen(trace, values)
    thaw = frozen.thaw
    host_call(trace, outside_traces(lambda *arrays: function(*thaw(arrays)), name), frozen.operands)


def refuse_in_trace(name: str, advice: str) -> None:
    """Raise where a function is traced: what is done would happen while tracing only."""
    if current_trace() is not None:
        raise WeftTypeError(
            f"weft.summary: {name} in a compiled function would happen while tracing only; {advice}"
        )


def create_file_writer(
    logdir: str | os.PathLike[str],
    max_queue: int = 10,
    flush_millis: int = 120_000,
    filename_suffix: str = "",
) -> SummaryWriter:
    """A new file of events in a directory, which is made if it is not there; `tensorboard --logdir` shows it.

    Events get to the file when more than `max_queue` wait, or `flush_millis` after the last time. Raises
    `weft.MissingPackageError` without the package tensorboard, and `OSError` where the file cannot be written.

    >>> import tempfile
    >>> import weft
    >>> def log(logdir, losses):
    ...     writer = weft.summary.create_file_writer(logdir)
    ...     with writer.as_default():
    ...         for step, loss in enumerate(losses):
    ...             weft.summary.scalar("loss", loss, step)
    ...     writer.close()
    """
    refuse_in_trace("create_file_writer", "make the writer outside, and use it inside")
    if not isinstance(logdir, (str, os.PathLike)):
        raise WeftTypeError(f"create_file_writer makes a file in a directory, not in {logdir!r}")
    return SummaryWriter(os.fspath(logdir), max_queue, flush_millis, filename_suffix)


def flush(writer: SummaryWriter | None = None) -> None:
    """Have all that was written in the file, that of the present writer if none is given.

    >>> import weft
    >>> weft.summary.flush()
    """
    found = writer or setting_of_trace().writer
    if found is not None:
        found.flush()
    elif current_trace() is not None:
        when_run(flush, "flush")
    elif (now := setting_now().writer) is not None:
        now.flush()


@contextlib.contextmanager
def record_if(condition: Condition) -> Iterator[None]:
    """Write summaries inside of the `with` block only if a condition holds, or a function says so each time.

    In a compiled function the condition may be an array, and is for the summaries that are traced inside.

    >>> import weft
    >>> with weft.summary.record_if(False):
    ...     print(weft.summary.should_record_summaries())
    False
    """
    with _set(Setting(condition=condition)):
        yield


def should_record_summaries() -> bool:
    """Whether summaries are written now: there is a writer, and no condition against it.

    >>> import weft
    >>> weft.summary.should_record_summaries()
    False
    """
    refuse_in_trace("should_record_summaries", "summaries ask for themselves when the program runs")
    return records(setting_now())


def records(setting: Setting) -> bool:
    """Whether summaries are written under a setting."""
    if setting.writer is None:
        return False
    condition = setting.condition() if callable(setting.condition) else setting.condition
    return True if condition is None else bool(condition)


def set_step(step: Any) -> None:
    """The step of summaries of this thread that are given none, from now on: a number or a `weft.Variable`.

    >>> import weft
    >>> weft.summary.set_step(3)
    >>> weft.summary.get_step()
    3
    >>> weft.summary.set_step(None)
    """
    refuse_in_trace("set_step", "give summaries a step, or write `with writer.as_default(step):`")
    _defaults.base = replace(_defaults.base, step=step)


def get_step() -> Any:
    """The step of summaries that are given none, or None.

    >>> import weft
    >>> weft.summary.get_step() is None
    True
    """
    return setting_now().step
