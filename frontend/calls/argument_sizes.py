"""Sizes of the arrays among the arguments: known at first, unknown from their second change on.

Code that is compiled for an unknown extent serves all sizes but 1, which broadcasts. Where tracing needs a size, for a
loop that Python runs or a type, the function is compiled for each as before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from ...dialect.types import TensorType
from ..compiling.program import CallSignature
from ..tracing.learned_sizes import learned_sizes
from .known_specialisations import KnownSpecialisations

if TYPE_CHECKING:
    from .specialisations import Fitting

_CHANGES = 2
"""So often an extent changes before it counts as unknown."""


class _History:
    """What is known of the sizes in calls that differ in nothing else."""

    def __init__(self) -> None:
        self.last: tuple[TensorType, ...] = ()
        """The types of the last call that had to compile."""
        self.changes: Counter[tuple[int, int]] = Counter()
        """How often an extent, by array and axis, was another one then."""
        self.unknown: frozenset[tuple[int, int]] = frozenset()
        self.needed = ""
        """Why the sizes have to be known, once that has turned out."""


class ArgumentSizes:
    """What is known of the sizes of the arrays among the arguments of one function."""

    def __init__(self) -> None:
        self._histories: dict[Any, _History] = {}

    def relaxed(self, signature: CallSignature) -> CallSignature | None:
        """The signature without the extents that change; None where it is none other, or these have to be known."""
        history = self._histories.get(_key(signature)) if self._histories else None
        if history is None or not history.unknown or history.needed:
            return None
        return signature.with_types(
            [
                type.with_shape(
                    [None if (i, axis) in history.unknown else e for axis, e in enumerate(type.shape)]
                )
                for i, type in enumerate(signature.types)
            ]
        )

    def made(
        self, known: KnownSpecialisations, signature: CallSignature, make: Callable[[CallSignature], Fitting]
    ) -> Fitting:
        """What `make` compiles of a signature, or of that without the sizes which change from call to call."""
        told, relaxed = self.learn(signature), self.relaxed(signature)
        if relaxed is None:
            made = make(signature)
        else:
            traces = known.traces
            try:
                with learned_sizes():
                    made = make(relaxed)
            except Exception as error:
                known.traces = traces
                told = self.keep(signature, error)
                made = make(signature)
        known.tell(told)
        return made

    def learn(self, signature: CallSignature) -> str:
        """Note the sizes of a call that has to compile; returns in words which are unknown from now on."""
        if signature.device is not None or signature.on_device:
            return ""  # kernels of GPUs are made for sizes
        history = self._histories.setdefault(_key(signature), _History())
        before, history.last = history.last, signature.types
        for index, (old, new) in enumerate(zip(before, signature.types, strict=False)):
            history.changes.update(
                (index, axis) for axis, extent in enumerate(new.shape) if extent != old.shape[axis]
            )
        often = frozenset(place for place, count in history.changes.items() if count >= _CHANGES)
        new_ones, history.unknown = often - history.unknown, often
        return f"{_listed(signature, new_ones)} unknown from now on, for all sizes" if new_ones else ""

    def keep(self, signature: CallSignature, error: Exception) -> str:
        """Let all sizes be known, as tracing failed without them; returns in words why."""
        history = self._histories[_key(signature)]
        history.needed = str(error).partition("\n")[0]
        return f"sizes stay constants, as tracing needs them ({type(error).__name__}: {history.needed})"

    def clear(self) -> None:
        """Forget all sizes."""
        self._histories = {}


def _key(signature: CallSignature) -> Any:
    """What a signature is without its sizes; those of 1 decide what broadcasts, and stay."""
    return signature.with_types(
        [type.with_shape([1 if extent == 1 else None for extent in type.shape]) for type in signature.types]
    ).key


def _listed(signature: CallSignature, places: Collection[tuple[int, int]]) -> str:
    names = [f"{signature.names[index]}.shape[{axis}]" for index, axis in sorted(places)]
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'}"
