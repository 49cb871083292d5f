"""`weft.load`: the functions of a file, which need neither their source nor trust."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...dialect.errors import ArtifactError, ArtifactWarning, WeftTypeError, WeftValueError
from ...dialect.upgrades import versions
from .archive import DEFAULT_BYTES, STATE, Archive
from .descriptions import description_from_json
from .recorded import Recorded, TargetProgram
from .structures import File, Json

if TYPE_CHECKING:
    from .recorded_function import RecordedFunction  # which a look at a file does without

LARGEST_TEXT = 64 << 20


def load(
    file: File,
    *,
    state: Mapping[str, Any] | None = None,
    only_look: bool = False,
    trust_code: bool = False,
    max_bytes: int = DEFAULT_BYTES,
    target: str | None = None,
    device: str | None = None,
) -> Model:
    """The functions of a file that `weft.save` wrote, as attributes of a `weft.Model`.

    They are compiled when they are called, for the sizes of the call, differentiated by `weft.grad`, and may be called
    in other compiled functions. They share `model.state`, a dict of arrays, which they write in place; `state` gives
    other arrays for some names; `target` and `device` are those of `weft.function`. With `only_look=True` signatures
    can be read, and nothing is compiled. The file needs no trust: what is compiled is text that is checked; `max_bytes`
    bounds what is read. Only with `trust_code=True` is machine code of the file run, which may do anything, as a
    program may: first calls that it fits need no compiler then. `model.code` says of each target whether its code is
    taken, and why not. Raises `weft.ArtifactError`, which is a `ValueError`, for files that are damaged, of a newer
    version, or do what such files must not do.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "doubled.weft")
    >>> doubled = weft.function(lambda x: x * 2, name="doubled")
    >>> weft.save(path, doubled.get_concrete_function(weft.TensorSpec([None], "int64")))
    >>> weft.load(path).doubled(np.array([1, 2]))
    array([2, 4])
    >>> weft.load(path, only_look=True).signatures
    {'doubled': ['doubled(i64[?])']}
    """
    if not isinstance(trust_code, bool):
        raise WeftTypeError(f"weft.load: trust_code= is True or False, not {trust_code!r}")
    archive = Archive(os.fspath(file), max_bytes)
    dialect = archive.manifest.get("dialect")
    if type(dialect) is not int or not 1 <= dialect <= versions.DIALECT:
        raise ArtifactError(
            f"{archive.path} was written by weft {str(archive.manifest.get('producer'))[:20]} in version {dialect} of "
            f"the dialect; this weft reads 1 to {versions.DIALECT}"
        )
    described = archive.manifest.get("functions")
    if not isinstance(described, dict) or not described:
        raise archive.damaged("it names no functions")
    arrays = {} if only_look else _state_of(archive, {} if state is None else state)
    functions = {
        name: _specialisations_of(archive, name, entries, arrays, only_look)
        for name, entries in described.items()
    }
    code = _take_code(archive, functions, trust_code and not only_look, target)
    return Model(archive.path, functions, arrays, only_look, code, target, device)


_UNTRUSTED = "not taken: weft.load(..., trust_code=True) takes it"


def _take_code(
    archive: Archive, functions: Mapping[str, list[Recorded]], is_trusted: bool, target: str | None
) -> dict[str, str]:
    """Let functions have the machine code of a file that is trusted and fits; returns what became of it, by target."""
    if "code" not in archive.manifest:
        return {}
    from ..settings import settings
    from .code_files import TAKEN, codes_of  # which most files do without

    found: dict[str, str] = {}
    for code in codes_of(archive):
        found[code.target] = _UNTRUSTED
        if is_trusted:
            reason = code.why_not(found, target or settings.target)
            found[code.target] = f"not taken: {reason}" if reason else TAKEN
        if found[code.target] == TAKEN:
            for name, recorded in functions.items():
                for one, restorable in zip(recorded, code.programs(name, len(recorded)), strict=True):
                    one.codes = (*one.codes, TargetProgram(code.target, restorable))
    if is_trusted and TAKEN not in found.values():
        reasons = "; ".join(f"for {name}: {what}" for name, what in found.items())
        warnings.warn(
            f"the machine code of {archive.path} is not taken, functions are compiled when they are called ({reasons})",
            ArtifactWarning,
            stacklevel=3,
        )
    return found


class Model:
    """The functions of a file: attributes by their names, with the arrays that they share in `state`."""

    def __init__(
        self,
        path: str,
        functions: Mapping[str, list[Recorded]],
        state: dict[str, Any],
        only_look: bool,
        code: dict[str, str] | None = None,
        target: str | None = None,
        device: str | None = None,
    ) -> None:
        self.path = path
        self.state = state
        """The arrays that the functions read and write, by name."""
        self.code = code or {}
        """What became of the machine code in the file, by target: "taken", or "not taken" with the reason."""
        self.signatures = {
            name: [f"{name}{recorded}" for recorded in specialisations]
            for name, specialisations in functions.items()
        }
        """What each function was saved for, as people write it."""
        self.functions = {} if only_look else _functions_of(functions, state, target, device)
        """The functions by name; none if the file was only looked at."""

    def __getattr__(self, name: str) -> RecordedFunction:
        functions = vars(self).get("functions", {})
        if name not in functions and name in vars(self).get("signatures", {}):
            raise AttributeError(
                f"{self.path} was only looked at: call {name} of what weft.load({self.path!r}) gives"
            )
        if name not in functions:
            known = ", ".join(vars(self).get("signatures", {})) or "none"
            raise AttributeError(f"{vars(self).get('path')} has no function {name!r}; it has: {known}")
        found: RecordedFunction = functions[name]
        return found

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.functions]

    def __repr__(self) -> str:
        told = "\n  ".join(line for lines in self.signatures.values() for line in lines)
        return f"<weft.Model of {self.path}\n  {told}>"


def _functions_of(
    functions: Mapping[str, list[Recorded]], state: dict[str, Any], target: str | None, device: str | None
) -> dict[str, RecordedFunction]:
    from .recorded_function import RecordedFunction

    return {
        name: RecordedFunction(name, recorded, state, target, device) for name, recorded in functions.items()
    }


def _state_of(archive: Archive, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arrays of a file, or those that are given in their place; they can be written."""
    if not isinstance(given, Mapping):
        raise WeftTypeError(f"weft.load: state= is a dict of arrays by their names, not {given!r}")
    arrays = _arrays_of(archive) if STATE in archive.manifest["sha256"] else {}
    unknown = sorted(given.keys() - arrays.keys())
    if unknown:
        raise WeftValueError(
            f"{archive.path} has no state {unknown[0]!r}; it has: {', '.join(arrays) or 'none'}"
        )
    return arrays | dict(given)


def _arrays_of(archive: Archive) -> dict[str, Any]:
    from ..variables.state_files import from_safetensors

    try:
        arrays = from_safetensors(f"{STATE} in {archive.path}", archive.read(STATE))
    except WeftValueError as error:
        raise archive.damaged(f"its state: {error}") from error
    return {name: array.copy() for name, array in arrays.items()}


def _specialisations_of(
    archive: Archive, name: str, entries: Json, arrays: Mapping[str, Any], only_look: bool
) -> list[Recorded]:
    if not name.isidentifier() or not isinstance(entries, list) or not entries:
        raise archive.damaged(f"{name[:40]!r} is no function")
    found = []
    for entry in entries:
        description = description_from_json(_upgraded_views(entry, archive.manifest["dialect"]))
        missing = [array.key for array in description.state if array.key not in arrays]
        if (missing and not only_look) or type(entry.get("module")) is not str:
            raise archive.damaged(f"{name} uses the state {missing}, which is not there")
        text = "" if only_look else _text_of(archive, entry["module"])
        found.append(Recorded(description, text))
    return found


def _text_of(archive: Archive, member: str) -> str:
    """The text of a module, as the present version of the dialect has it."""
    try:
        text = archive.read(member, LARGEST_TEXT).decode()
    except UnicodeDecodeError as error:
        raise archive.damaged(f"{member} is no text") from error
    version = archive.manifest["dialect"]
    if version < versions.DIALECT:
        from ...dialect.upgrades.modules import upgraded_text
        from .checked_modules import require_readable  # which loads MLIR

        require_readable(text)
        text = upgraded_text(text, version)
    return text


def _upgraded_views(entry: Json, version: int) -> Json:
    """The description of a function with the ops that make its results, as the present version has them."""
    for leaf in entry.get("leaves", ()) if isinstance(entry, dict) and version < versions.DIALECT else ():
        if not isinstance(leaf, dict) or not isinstance(steps := leaf.get("views", []), list):
            continue
        for place, step in enumerate(steps):
            for number in range(version, versions.DIALECT):
                step = _upgraded_view(step, number)
            steps[place] = step
    return entry


def _upgraded_view(step: Json, version: int) -> Json:
    upgrades = versions.UPGRADES.get(version)
    upgrade = upgrades.views.get(str(step.get("op"))) if upgrades and isinstance(step, dict) else None
    if upgrade is None:
        return step
    try:
        return upgrade(step)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise ArtifactError(f"{str(step)[:80]} is no view that version {version} recorded") from error
