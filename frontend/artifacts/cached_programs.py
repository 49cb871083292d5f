"""Functions of files in the disk cache: a process that loads the file again compiles nothing.

Such a function is told by the text of its modules, so nothing has to be compared that a program of Python's found; and
what is stored is a record (`stored_programs.py`), not a pickled object.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...backend.cache.files import digest
from ...backend.cache.machine import machine_key
from ...backend.cache.memory import note_use
from ...backend.cache.store import store
from ...dialect.errors import ArtifactError
from ..compiling.program import CallSignature, Program
from ..disk_cache.code_settings import code_settings, device_data, note
from ..guards.packed_inputs import is_constant
from .recorded import Recorded
from .stored_programs import Restorable, program_from_json, program_to_json
from .structures import NoForm, structure_to_json


class CachedProgram:
    """One signature of a function of a file, for one target, in the cache."""

    def __init__(
        self,
        name: str,
        recorded_as: Sequence[Recorded],
        state: Mapping[str, Any],
        signature: CallSignature,
        target: str,
    ) -> None:
        self._function = name
        self._recorded_as = recorded_as
        self._state = state
        self._signature = signature
        self._store = store()
        self._name = ""
        """That of what is stored; empty where nothing can be."""
        if self._store is not None:
            with contextlib.suppress(NoForm):
                self._name = f"{self._key(target)}-file"

    def load(self) -> Restorable | None:
        """What makes the program, if there is one."""
        if self._store is None or not self._name:
            return None
        data = self._store.read(self._name)
        if data is None:
            note("missed", self._function)
            return None
        try:
            text, blobs = data
            found = program_from_json(json.loads(text), _Kept(blobs))
        except (ArtifactError, TypeError, ValueError):
            self._store.discard(self._name)  # whole, but not what this version writes
            return None
        self._store.use(self._name)
        note_use(self._name)
        note("found", self._function)
        return found

    def save(self, program: Program) -> None:
        """Store a program, if it depends on nothing but the file."""
        if self._store is None or not self._name:
            return
        kept = _Kept({})
        try:
            text = program_to_json(program, self._signature, self._state, kept)
        except NoForm as error:
            note("not stored", f"{self._function}: {error}")
            self._store.refuse(f"{self._function} (of a file)", str(error))
            return
        if self._store.write(self._name, (json.dumps(text), kept.blobs)):
            note_use(self._name)
            note("stored", self._function)

    def _key(self, target: str) -> str:
        state, signature = self._state, self._signature
        needed = sorted({s.key for r in self._recorded_as for s in r.description.state})
        data = (
            "a function of a file",
            machine_key(),
            code_settings(),
            target,
            self._function,
            tuple(recorded.identity for recorded in self._recorded_as),
            tuple((key, is_constant(state.get(key))) for key in needed),
            json.dumps(structure_to_json(signature.structure)),
            tuple(map(str, signature.types)),
            signature.aliases,
            tuple(sorted(signature.scalars)),
            tuple((place, number.__name__) for place, number in signature.numbers.items()),
            device_data(signature),
        )
        return digest(data)


class _Kept:
    """The bytes of a program by their names."""

    def __init__(self, blobs: dict[str, bytes]) -> None:
        self.blobs = blobs

    def put(self, field: str, content: bytes) -> str:
        name = digest(content)
        self.blobs[name] = content
        return name

    def get(self, name: str) -> bytes:
        found: Any = self.blobs.get(name)
        if type(found) is not bytes:
            raise ArtifactError("bytes are missing")
        return found
