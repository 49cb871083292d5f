"""All that was compiled for one function, by signature: found again, counted, and given up for what is used more."""

from __future__ import annotations

import time
import weakref
from collections import deque
from collections.abc import Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from ...dialect.held_interrupts import interrupts_held
from ...dialect.records import NamedTuple, dataclass
from ...passes.listening import listening
from ..compiling.program import CallSignature
from ..logs import log
from ..signature.signature import Signature, difference, is_alive, type_of_leaf, without_objects
from .compile_lock import COMPILE_LOCK

if TYPE_CHECKING:
    from ...backend.cpu.dispatch.entries import Dispatch
    from .concrete import ConcreteFunction
    from .parameters import Arguments
    from .specialisations import Compile, Fitting, Specialisations


class CacheInfo(NamedTuple):
    """How often calls found what was compiled before, and how often they had to compile; as in `functools`."""

    hits: int
    misses: int
    maxsize: int | None
    currsize: int


MOST_REMEMBERED = 16
"""Compilations that `explain` tells."""


@dataclass
class Compiled:
    """A call that had to compile, or to load what another process has compiled."""

    reason: str
    when: float
    """Seconds since 1970."""
    seconds: float
    traces: int
    """How often the function was traced for it: not at all where the disk cache had it."""
    concrete: weakref.ref[ConcreteFunction]
    told: dict[str, Any] = field(default_factory=dict)
    """What a profile tells of it."""


class KnownSpecialisations:
    """The compiled functions of one function."""

    def __init__(self, most: int | None) -> None:
        self.most = most
        """So many are kept; None: all."""
        self._reason = "it was not called yet"
        self.compiled: deque[Compiled] = deque(maxlen=MOST_REMEMBERED)
        """What was compiled last, and why, the oldest first."""
        self._newest: Compiled | None = None
        """Of these the one that `reason` is about; None while it is being compiled."""
        self.last: Signature | None = None
        """The signature of that call."""
        self.traces = 0
        """How often the Python function was traced."""
        self.native: Dispatch | None = None
        """What native code knows of them."""
        self._found: dict[Any, Specialisations] = {}
        self._uses: dict[int, tuple[int, int]] = {}
        """By the address of each: when it was seen to be used last, and what native code had counted then."""
        self._now = self._hits = self._misses = 0

    @property
    def reason(self) -> str:
        """Why there was something to compile last."""
        return self._reason

    @reason.setter
    def reason(self, reason: str) -> None:
        self._reason = reason
        if self._newest is not None:
            self._newest.reason = self._newest.told["reason"] = reason

    @property
    def concretes(self) -> list[ConcreteFunction]:
        """The compiled functions, those of one signature side by side."""
        return [concrete for found in list(self._found.values()) for concrete in found.concretes]

    def info(self) -> CacheInfo:
        """The counts since the last `clear`."""
        native = 0 if self.native is None else self.native.calls
        return CacheInfo(self._hits + native, self._misses, self.most, len(self.concretes))

    def clear(self) -> None:
        """Forget all of them; what runs is kept alive by its call."""
        self._found = {}  # other threads may be reading the old one
        self._uses = {}
        self._hits = self._misses = 0
        if self.native is not None:
            self._hits = -self.native.calls  # which it goes on counting
            self.native.clear()

    def fitting(self, signature: CallSignature, leaves: Sequence[Any]) -> Fitting | None:
        """What was compiled for such arguments and fits now, and the arrays to run it on."""
        found = self._found.get(signature.key)
        fitting = None if found is None else found.fitting(leaves)
        if fitting is not None:
            self._hits += 1
            if self.most is not None:
                self._note_use(fitting[0])
        return fitting

    def made(self, signature: CallSignature, arguments: Arguments, compile: Compile) -> Fitting:
        """As `fitting`, compiled if there is nothing."""
        leaves = arguments.leaves
        with COMPILE_LOCK, interrupts_held():
            found = self._found.get(signature.key)
            if found is None:
                from .specialisations import Specialisations

                self._found = {k: c for k, c in self._found.items() if is_alive(k[0])}
                found = self._found[signature.key] = Specialisations()
            fitting = self.fitting(signature, leaves)
            if fitting is None:
                now = arguments.structure, tuple(map(type_of_leaf, leaves)), arguments.names
                self._newest = None
                self.reason = found.learn(leaves) or difference(self.last, now)
                before, self.last = self.last, (without_objects(now[0]), *now[1:])
                when, start, traces = time.time(), time.perf_counter(), self.traces
                try:
                    fitting = found.compile(compile, leaves)
                except BaseException:
                    self.last = before  # nothing was compiled for these
                    raise
                taken, traced = time.perf_counter() - start, self.traces - traces
                self._newest = Compiled(self.reason, when, taken, traced, weakref.ref(fitting[0]))
                self.compiled.append(self._newest)
                how = "compiled" if traced else "loaded from the disk cache"
                log("trace", f"{signature.name}: {how} in {1e3 * taken:,.0f} ms: {self.reason}")
                self._misses += 1
                if listening.listener is not None:
                    begin, end = int(1e9 * start), int(1e9 * (start + taken))
                    what = f"{'compile' if traced else 'load'} {signature.name}"
                    self._newest.told = listening.listener.span(
                        what, "compilation", begin, end, reason=self.reason, traces=traced
                    )
                self._keep_within(fitting[0])
        return fitting

    def tell(self, more: str) -> None:
        """Say more of why there was something to compile."""
        if more:
            self.reason += f"; {more}"

    def _keep_within(self, newest: ConcreteFunction) -> None:
        """Give up what was not used for longest, where there are too many."""
        known = self.concretes
        if self.most is not None:
            self._note_native_uses()
            self._note_use(newest)
            oldest = sorted(known, key=lambda concrete: self._uses.get(id(concrete), (0, 0))[0])
            given_up = set(map(id, oldest[: max(len(known) - self.most, 0)]))
            for found in self._found.values():
                found.concretes = [c for c in found.concretes if id(c) not in given_up]
            self._found = {k: found for k, found in self._found.items() if found.concretes}
            known = self.concretes
            kept = set(map(id, known))
            self._uses = {place: use for place, use in self._uses.items() if place in kept}
        if self.native is not None:
            self.native.keep(known)

    def _note_use(self, concrete: ConcreteFunction) -> None:
        self._now += 1
        counted = self._uses.get(id(concrete), (0, 0))[1]
        self._uses[id(concrete)] = (self._now, counted)

    def _note_native_uses(self) -> None:
        """Take note of what native code ran since this was looked at last; what it tried last is in front."""
        if self.native is None:
            return
        for owner, calls in reversed(self.native.uses()):
            if calls != self._uses.get(id(owner), (0, 0))[1]:
                self._now += 1
                self._uses[id(owner)] = (self._now, calls)
