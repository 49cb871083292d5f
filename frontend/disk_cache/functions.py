"""Compiled functions in the disk cache: looked up before a function is traced, stored after it was compiled."""

from __future__ import annotations

from collections.abc import Callable
from pickle import UnpicklingError
from typing import TYPE_CHECKING, Any

from ...backend.cache.files import digest
from ...backend.cache.machine import machine_key
from ...backend.cache.memory import note_use
from ...backend.cache.store import Store, store
from ...passes.notes import NOWHERE, Note
from ..compiling.program import CallSignature, Program, Recording
from ..signature.signature import Leaf, Node, Structure, constants
from .code_settings import code_settings, device_data, note
from .fingerprints import Fingerprints
from .portable import Data, NotPortable
from .programs import program_from
from .state import sharing

if TYPE_CHECKING:
    from ..guards.dependencies import Dependencies  # which hits do without

MOST_VARIANTS = 8
"""Programs of one signature differ in the state of Python that was found; so many of them are kept."""


class CachedFunction:
    """One signature of a function in the cache; `key` is None where there is no cache, or nothing can be stored."""

    def __init__(
        self,
        function: Callable[..., Any],
        signature: CallSignature,
        options: tuple[Any, ...],
        reads_changes: bool = False,
    ) -> None:
        """`reads_changes` tells that the program reads what has changed outside of the arguments at each call."""
        self._function = function
        self._name = signature.name
        self._constants = tuple(constants(signature.structure))
        self._reason = ""
        self._outcome = "is off: weft.settings.cache is False"
        """What became of it, as a sentence about the disk cache."""
        self._store = store()
        self.key = None if self._store is None else self._key(signature, (*options, reads_changes))

    def load(self, recording: Callable[[], Recording], fits: Callable[[Program], bool]) -> Program | None:
        """The program for the present state that fits, if there is one; `recording` makes what it was compiled from."""
        if self._store is None or self.key is None:
            return None
        for name in self._store.keys(self.key):
            data = self._store.read(name)
            try:
                program = (
                    None if data is None else program_from(self._function, self._constants, data, recording)
                )
            except NotPortable:
                continue
            except (
                TypeError,
                ValueError,
                LookupError,
                AttributeError,
                ImportError,
                EOFError,
                UnpicklingError,
            ):
                # Whole, but not what this version writes: another version wrote it under the same key.
                self._store.discard(name)
                continue
            if program is not None and fits(program):
                self._store.use(name)
                note_use(name)
                self._outcome = "had it: another process has compiled it, and this one loads it"
                note("found", self._name)
                return program
        note("missed", self._name)
        return None

    def save(self, program: Program, dependencies: Dependencies) -> None:
        """Store a program, if another process can use it."""
        if self._store is None:
            return
        if self.key is None:
            self._refuse(f"its arguments mean nothing to another process: {self._reason}")
            return
        from .storing import program_data  # a process that finds all has nothing to store

        try:
            data = program_data(self._function, self._constants, program, dependencies)
        except NotPortable as reason:
            self._refuse(str(reason))
            return
        name = f"{self.key}-{digest(data[0])[:16]}"
        if self._store.write(name, data):
            note_use(name)
            note("stored", self._name)
            self._outcome = "keeps it for other processes"
            self._forget_old(self._store)

    def note(self) -> Note:
        """What became of it."""
        return Note("cache", NOWHERE, "the disk cache {}", (self._outcome,))

    def _refuse(self, reason: str) -> None:
        note("not stored", f"{self._name}: {reason}")
        self._outcome = f"does not keep it: {reason}"
        if self._store is not None:
            self._store.refuse(self._place(), reason)

    def _place(self) -> str:
        """The function in words, with its place."""
        code = getattr(getattr(self._function, "__func__", self._function), "__code__", None)
        return self._name if code is None else f"{self._name} ({code.co_filename}:{code.co_firstlineno})"

    def _forget_old(self, cache: Store) -> None:
        for name in cache.keys(self.key or "")[MOST_VARIANTS:]:
            cache.discard(name)

    def _key(self, signature: CallSignature, options: tuple[Any, ...]) -> str | None:
        try:
            data = (
                machine_key(),
                code_settings(),
                Fingerprints().root(self._function),
                signature.name,
                Fingerprints().of(options),
                _structure_data(signature.structure),
                tuple(map(str, signature.types)),
                signature.names,
                signature.aliases,
                device_data(signature),
                tuple(sorted(signature.scalars)),
                tuple((place, number.__name__) for place, number in signature.numbers.items()),
                sharing((), self._constants),
            )
        except NotPortable as reason:
            self._reason = str(reason)
            return None
        return digest(data)


def _structure_data(structure: Structure) -> Data:
    """The structure of arguments, whose constants may be anything that has a fingerprint."""
    if isinstance(structure, Leaf):
        return structure.index
    if isinstance(structure, Node):
        children = tuple(map(_structure_data, structure.children))
        return (Fingerprints().of(structure.kind), tuple(map(Fingerprints().of, structure.keys)), children)
    return ("constant", Fingerprints().of(structure.value))
