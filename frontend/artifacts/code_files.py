"""Machine code in files: programs for named targets, taken from a file whose user trusts it and where they fit.

The manifest names the targets, and what each needs of a machine. For each function there is a text (JSON) that says how
its code is called; object code, texts of kernels and whatever else is long are members named by what is in them, so
that what several functions have in common is there once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...backend.cache.digests import sha256
from ...backend.requirements import Requirements, requirements, why_not_fitting
from ...dialect.errors import ArtifactError, NotPortable, WeftTypeError, WeftValueError
from ..disk_cache.code_settings import code_settings
from .record_json import record_from_json, record_to_json
from .recorded import is_gpu
from .stored_programs import Restorable, program_from_json, program_to_json
from .structures import Json, NoForm

if TYPE_CHECKING:
    from .archive import Archive
    from .recorded_function import RecordedFunction

TAKEN = "taken"
"""What is said of code that is."""
LARGEST_DESCRIPTION = 16 << 20

_ENDINGS = {"object_file": "o", "constants": "bin"}
"""How the names of members end, where not with the name of the field that they are."""


class TargetCode:
    """The machine code of a file for one target, as the manifest tells it."""

    def __init__(self, archive: Archive, given: Json) -> None:
        try:
            self.target = str(given["target"])
            self._members: dict[str, list[str]] = {
                name: list(map(str, members)) for name, members in given["functions"].items()
            }
            self._needs: Requirements = record_from_json(given["needs"], Requirements, _Members(archive))
            self._settings = dict(given["settings"])
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise archive.damaged(f"its code is described in another way ({error})") from error
        self._archive = archive

    @property
    def is_for_gpu(self) -> bool:
        """Whether it launches kernels of a GPU."""
        return is_gpu(self.target)

    def why_not(self, others: Mapping[str, str], wanted: str) -> str:
        """Why the code is not taken where calls are for a target; empty if it is. `others` tells what others are."""
        if not self.is_for_gpu:
            first = next((t for t, what in others.items() if what == TAKEN and not is_gpu(t)), None)
            if first is not None:
                return f"that for {first} is"
            if wanted not in ("native", self.target):
                return f"calls are for the target {wanted}"
        for name, now in _settings().items():
            if self._settings.get(name) != now:
                return f"it was made with {name} = {self._settings.get(name)}, and this is {now}"
        return why_not_fitting(self._needs)

    def programs(self, name: str, count: int) -> list[Restorable]:
        """The programs of a function, one for each of its specialisations; raises `ArtifactError`."""
        members = self._members.get(name, [])
        if len(members) != count:
            raise self._archive.damaged(f"{name} has code for {len(members)} of {count} signatures")
        return [self._program(member) for member in members]

    def _program(self, member: str) -> Restorable:
        text = self._archive.read(member, LARGEST_DESCRIPTION)
        try:
            found = program_from_json(json.loads(text), _Members(self._archive))
        except (ArtifactError, ValueError, RecursionError) as error:
            raise self._archive.damaged(f"{member}: {error}") from error
        if self.is_for_gpu:
            return found
        code = found.stored.code._replace(target="native")  # it was found to fit this machine
        return found._replace(stored=found.stored._replace(code=code))


def codes_of(archive: Archive) -> list[TargetCode]:
    """What machine code a file has, by target: that for one machine before that for levels of processors."""
    given = archive.manifest.get("code", [])
    if not isinstance(given, list):
        raise archive.damaged("its code is described in another way")
    codes = [TargetCode(archive, entry) for entry in given]
    if len({code.target for code in codes}) < len(codes):
        raise archive.damaged("it has code for one target twice")
    return sorted(codes, key=lambda code: code.target != "native")


def checked_targets(given: Any) -> list[str]:
    """The targets that `weft.save(..., code=given)` means."""
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
        raise WeftTypeError(
            "weft.save: code= names the targets to keep machine code for, as in code='native' or code=['x86-64-v3', "
            f"'sm_90a'], not {given!r}; a function cannot be saved under the name code"
        )
    from ...backend.target import named

    for name in names:
        if named(name).triple.startswith("wasm"):
            raise WeftValueError(f"weft.save: weft loads no code for {name}; weft.export writes it")
    return list(dict.fromkeys(names))


def write_code(
    targets: Sequence[str], functions: Mapping[str, Sequence[RecordedFunction]], members: dict[str, bytes]
) -> Json:
    """Compile functions with one specialisation each for targets; returns what the manifest says of the members.

    Raises `NotPortable` for what needs this process.
    """
    from ...backend.target import named

    found = []
    for target in targets:
        kept = _Written(target, members)
        described = {
            name: [_written(f, n, kept) for n, f in enumerate(several)] for name, several in functions.items()
        }
        found.append(
            {
                "target": target,
                "needs": record_to_json(requirements(named(target)), Requirements, kept),
                "settings": _settings(),
                "functions": described,
            }
        )
    return found


def _written(function: RecordedFunction, number: int, kept: _Written) -> str:
    signature = function.recorded_as[0].signature(function.name)
    program = function.program_for(signature, kept.target)
    try:
        text = program_to_json(program, signature, function.state, kept)
    except NoForm as error:
        raise NotPortable(
            f"{function.name} has no machine code that can leave this process: {error}"
        ) from error
    return kept.add(f"{function.name}.{number}.json", json.dumps(text, sort_keys=True).encode())


def _settings() -> dict[str, str]:
    """The settings that code depends on, besides the target, as texts."""
    *own, printing = code_settings()
    return {name: repr(value) for name, value in own if name != "target"} | {
        "legacy printing": repr(printing)
    }


class _Written:
    """The members of a target."""

    def __init__(self, target: str, members: dict[str, bytes]) -> None:
        self.target = target
        self._folder = f"code/{target.replace(':', '-')}"
        self._members = members

    def add(self, name: str, content: bytes) -> str:
        member = f"{self._folder}/{name}"
        self._members[member] = content
        return member

    def put(self, field: str, content: bytes) -> str:
        digest = sha256(content)[:32]
        return self.add(f"{digest}.{_ENDINGS.get(field, field)}", content)

    def get(self, name: str) -> bytes:
        return self._members[name]


class _Members:
    """The members of a file that is read."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    def put(self, field: str, content: bytes) -> str:
        raise NotImplementedError

    def get(self, name: str) -> bytes:
        return self._archive.read(name)
