"""`with weft.profile("run.json") as p:` notes what happens, for timelines and for a summary."""

from __future__ import annotations

import functools
import json
import os
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...backend.cpu.dispatch.switches import switches
from ...dialect.errors import ProfileError, WeftError, WeftTypeError
from ...passes.listening import listening
from ..calls.compile_lock import COMPILE_LOCK
from .planes import new_run, space_of
from .report import Called, made_folder, write_report
from .summary import Summary, counted
from .trace_events import Event, Span, thread_names, trace_of

if TYPE_CHECKING:
    from ...backend.cpu.stamps.ring import Stamp
    from ..calls.concrete import ConcreteFunction

MOST = 1_000_000
"""So many spans and events are kept; the others are counted."""

_lock = threading.Lock()

Key = tuple[int, tuple[tuple[int, ...], ...]]
"""A compiled function by its number, and the shapes of a call's arrays."""


class profile:
    """Note what happens inside a `with` block, in all threads: compilations, calls, and the kernels that they run.

    A path is where the timeline is written, which https://ui.perfetto.dev and chrome://tracing show; without one there
    is the summary alone. It shows compilations with their passes, why functions were compiled again, what the disk
    cache had, calls, and kernels by the lines that they come from, with the bytes that they move, in the threads that
    they ran in. With `logdir` the same is written into that folder for TensorBoard's profile plugin, a run for each
    profile. With `pages` that folder gets an `index.html`: what was compiled when and why, where the time went, and the
    page of each function. Printed, it tells the lines that took most of the time.

    Functions that are called inside are compiled once more, with time stamps around their kernels; that is a span of
    its own, and does not belong to the call. Outside of the block nothing is slower than before.

    Raises `ProfileError`, a `RuntimeError`, inside of another profile, and `OSError` where a file cannot be written.

    >>> import weft
    >>> doubled = weft.function(lambda x: x * 2, name="doubled")
    >>> with weft.profile() as p:
    ...     y = doubled(np.ones(1000))
    >>> [span.name for span in p.spans if span.category == "call"]
    ['doubled']
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        logdir: str | os.PathLike[str] | None = None,
        pages: str | os.PathLike[str] | None = None,
    ) -> None:
        if path is not None and not isinstance(path, (str, os.PathLike)):
            raise WeftTypeError(
                f"weft.profile takes the path of a file to write, not {path!r}: write with weft.profile('run.json'):"
            )
        for name, folder, example in (("logdir", logdir, "logs"), ("pages", pages, "report")):
            if folder is not None and not isinstance(folder, (str, os.PathLike)):
                raise WeftTypeError(
                    f"{name} of weft.profile is a folder, not {folder!r}: write with weft.profile({name}={example!r}):"
                )
        self.path = path
        self.logdir = logdir
        self.pages = pages
        self.spans: list[Span] = []
        self.events: list[Event] = []
        self.dropped = 0
        """How many spans and events were not kept."""
        self.lost = 0
        """How many calls of kernels were not noted, as there were too many in one call."""
        self.not_timed: dict[str, str] = {}
        """The functions whose kernels are not timed, with the reasons."""
        self.start = self.end = 0
        self._run: Path | None = None
        """The file in the folder for TensorBoard."""
        self._folder: Path | None = None
        self._called: dict[ConcreteFunction, Called] = {}
        self._thread = 0
        self._threads: dict[int, str] = {}
        """The names of Python's threads that something was noted of: they may have ended."""
        self._examples: dict[Key, tuple[ConcreteFunction, Any]] = {}
        self._numbers: dict[ConcreteFunction, int] = {}
        self._bytes: dict[Key, Mapping[str, float]] = {}
        self._calls: list[tuple[Span, Key]] = []
        self._stamps: list[Stamp] = []

    # Beginning and end

    def __enter__(self) -> profile:
        """Listen to what happens."""
        with _lock:
            if listening.listener is not None:
                raise ProfileError(
                    "there is a profile already, and one at a time can listen: leave the inner "
                    "`with weft.profile(...)` out, as the outer one notes what happens in it, too; or end the outer "
                    "one first"
                )
            if self.start:
                raise ProfileError(
                    "this profile has ended, and is not begun again: make another weft.profile(...)"
                )
            if self.path is not None:
                Path(self.path).write_text("")  # to find out now that it cannot be written, not after hours
            if self.logdir is not None:
                self._run = new_run(self.logdir)
            if self.pages is not None:
                self._folder = made_folder(self.pages)
            self._thread = self._here()
            listening.listener = self
        switches.add_reason(1)  # native code runs calls without telling anybody
        self.start = time.perf_counter_ns()
        return self

    def __exit__(self, *raised: object) -> None:
        """Write what was noted, also where the block raised."""
        self.end = time.perf_counter_ns()
        switches.add_reason(-1)
        self._take_stamps()
        listening.listener = None
        self._count_bytes()
        self._place_kernels()
        if self.path is not None:
            Path(self.path).write_text(json.dumps(self.trace()))
        if self._run is not None:
            self._run.write_bytes(self._planes())
        if self._folder is not None:
            write_report(self._folder, self.summary(), self.start, self._called)
        self._called.clear()

    # What is told

    def span(self, name: str, category: str, begin: int, end: int, **told: Any) -> dict[str, Any]:
        """Something took from one time to another, in this thread; returns what is told of it, to say more."""
        self._keep(Span(name, category, begin, end, self._here(), told))
        return told

    def event(self, name: str, category: str, **told: Any) -> None:
        """Something happened now."""
        if len(self.events) >= MOST:
            self.dropped += 1
            return
        self.events.append(Event(name, category, time.perf_counter_ns(), self._here(), told))

    def executable_of(self, concrete: ConcreteFunction) -> Callable[..., Any]:
        """What is called in place of a compiled function: it notes the call, and its kernels note theirs."""
        return functools.partial(self._call, concrete, self._stamped(concrete))

    def _stamped(self, concrete: ConcreteFunction) -> Any:
        from .stamped import is_stamped, stamped  # which loads the compiler

        if is_stamped(concrete):
            return stamped(concrete)
        if concrete.name in self.not_timed:
            return concrete._executable
        # Whoever compiles may wait for the turn that this call has, so it must not wait for them.
        if not COMPILE_LOCK.acquire(blocking=not concrete.takes_turns):
            self.event(f"not timed: {concrete.name}", "profiler", reason="another thread compiles meanwhile")
            return concrete._executable
        begin = time.perf_counter_ns()
        try:
            return stamped(concrete)
        except WeftError as error:
            self.not_timed[concrete.name] = str(error)
            return concrete._executable
        finally:
            COMPILE_LOCK.release()
            self.span(f"prepare {concrete.name}", "profiler", begin, time.perf_counter_ns())

    def _call(self, concrete: ConcreteFunction, executable: Any, *arrays: Any, **options: Any) -> Any:
        begin = time.perf_counter_ns()
        try:
            return executable(*arrays, **options)
        finally:
            end = time.perf_counter_ns()
            self._take_stamps()
            self._note_call(concrete, begin, end, arrays)

    def _note_call(self, concrete: ConcreteFunction, begin: int, end: int, arrays: Any) -> None:
        shapes = tuple(tuple(np.shape(array)) for array in arrays)
        with _lock:
            sum_of = self._called.setdefault(concrete, Called())
            sum_of.calls += 1
            sum_of.nanoseconds += end - begin
            number = self._numbers.setdefault(concrete, len(self._numbers))
            key = number, shapes
            if key not in self._examples and len(self._examples) < _MOST_EXAMPLES:
                from ..compiling.analysis import examples_of

                plan = concrete._executable.plan
                self._examples[key] = concrete, examples_of(plan, concrete.names_of_arrays(), arrays)
        told = {"signature": repr(concrete)[len("<ConcreteFunction ") : -1]}
        if concrete._device is not None:
            told["device"] = concrete._device
        call = Span(concrete.name, "call", begin, end, self._here(), told)
        if self._keep(call):
            self._calls.append((call, key))

    def _here(self) -> int:
        """This thread."""
        thread = threading.get_ident()
        if thread not in self._threads:
            self._threads[thread] = threading.current_thread().name
        return thread

    def _keep(self, span: Span) -> bool:
        if len(self.spans) + len(self._stamps) >= MOST:
            self.dropped += 1
            return False
        self.spans.append(span)
        return True

    def _take_stamps(self) -> None:
        from ...backend.cpu.stamps.ring import ring  # which is linked for that

        with _lock:
            before, found = ring().lost, ring().take()
            room = MOST - len(self.spans) - len(self._stamps)
            self._stamps += [stamp for stamp in found[:room] if stamp.begin >= self.start]
            self.dropped += max(len(found) - room, 0)
            self.lost += ring().lost - before

    # What is made of it

    def _count_bytes(self) -> None:
        """How many bytes the kernels of each call move, where sizes tell it."""
        from ...backend.analysis.requests import cost_request
        from ..compiling.analysis import read_cost

        called = {key for _, key in self._calls}
        if not self._stamps:
            return
        for key, (concrete, examples) in self._examples.items():
            if key in called:
                cost = read_cost(concrete.as_text(cost_request(concrete._executable.plan.name, examples)))
                self._bytes[key] = {
                    kernel.name: moved / max(kernel.calls, 1)
                    for kernel in cost.kernels
                    if kernel.is_known
                    and isinstance(moved := kernel.bytes_read + kernel.bytes_written, int)
                    and isinstance(kernel.calls, int)
                }
        self._examples.clear()

    def _place_kernels(self) -> None:
        """Make spans of the time stamps, with what is known from the calls around them."""
        to_come: dict[int, list[tuple[Span, Key]]] = {}
        running: dict[int, list[tuple[Span, Key]]] = {}
        for call, key in sorted(self._calls, key=lambda pair: pair[0].begin, reverse=True):
            to_come.setdefault(call.thread, []).append((call, key))
        for stamp in sorted(self._stamps, key=lambda stamp: stamp.begin):
            later, inside = to_come.get(stamp.thread, []), running.setdefault(stamp.thread, [])
            while later and later[-1][0].begin <= stamp.begin:
                inside.append(later.pop())
            while inside and inside[-1][0].end < stamp.begin:
                inside.pop()
            self.spans.append(self._kernel(stamp, *(inside[-1] if inside else (None, None))))
        self._stamps.clear()
        self._calls.clear()
        self._numbers.clear()

    def _kernel(self, stamp: Stamp, call: Span | None, key: Key | None) -> Span:
        """A kernel as a span, with the innermost call that it belongs to."""
        name, _, line = stamp.name.partition(" ")
        told: dict[str, Any] = {"line": line} if line else {}
        category = "piece" if "." in name else "kernel"
        if call is not None:
            told["function"] = call.name
            if "device" in call.told and category == "kernel":
                category = "launch"
        moved = None if key is None else self._bytes.get(key, {}).get(name)
        if moved is not None and category == "kernel":
            told["bytes"] = round(moved)
            told["GB/s"] = round(moved / max(stamp.end - stamp.begin, 1), 3)
        shown = f"{os.path.basename(line)} {name}" if line else name
        return Span(shown, category, stamp.begin, stamp.end, stamp.thread, told)

    def trace(self) -> dict[str, Any]:
        """The timeline in the Chrome trace format, as it is written."""
        trace = trace_of(self.spans, self.events, self.start, self._thread_names())
        trace["otherData"] = {"dropped": self.dropped, "lost": self.lost, "not timed": self.not_timed}
        return trace

    def _planes(self) -> bytes:
        """The timeline as TensorBoard's profile plugin reads it."""
        return space_of(self.spans, self.events, self.start, self.end, self._thread_names())

    def _thread_names(self) -> dict[int, str]:
        threads = {span.thread for span in self.spans} | {event.thread for event in self.events}
        return thread_names(threads, self._thread, self._threads)

    def summary(self) -> Summary:
        """The lines that took most of the time, and what else there is to tell."""
        notes = [f"kernels of {name} are not timed: {reason}" for name, reason in self.not_timed.items()]
        if self.lost:
            notes.append(f"{counted(self.lost, 'kernel call')} came too quickly to be noted")
        if self.dropped:
            notes.append(f"{counted(self.dropped, 'span')} more than a profile keeps")
        return Summary.of(self.spans, self.end - self.start, notes)

    def __str__(self) -> str:
        return str(self.summary())

    def __repr__(self) -> str:
        return f"<weft.profile of {(self.end - self.start) / 1e9:.3g} s, {len(self.spans):,} spans>"


_MOST_EXAMPLES = 32
"""For so many different calls it is counted how many bytes their kernels move."""
