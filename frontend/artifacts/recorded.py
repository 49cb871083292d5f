"""One specialisation of a function in a file: what it takes, and its module once that is needed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from operator import is_
from typing import TYPE_CHECKING, Any

from ...backend.cache.files import digest
from ...dialect.records import NamedTuple
from ..compiling.program import CallSignature
from ..signature.signature import (
    Leaf,
    Node,
    Static,
    Structure,
    TensorSpec,
    describe,
    parts_of_call,
    unflatten,
)
from ..signature.traced_value import ArrayHolder, held
from .descriptions import Description
from .structures import is_named_tuple

if TYPE_CHECKING:
    from .stored_programs import Restorable


class TargetProgram(NamedTuple):
    """A program for a target."""

    target: str
    restorable: Restorable


def is_gpu(target: str) -> bool:
    """Whether a target is a GPU, by its name."""
    return target.startswith("sm_")


def _is_for(made_for: str, target: str) -> bool:
    """Whether code for a target runs on another: that for a GPU also beside libraries that it does not call."""
    made, wanted = made_for.partition(":")[0].split("+"), target.split("+")
    if not is_gpu(target):
        return made == wanted
    return made[0] == wanted[0] and set(made) <= set(wanted)


class Recorded:
    """One specialisation in a file: its description, and its module once that is needed."""

    def __init__(self, description: Description, text: str, codes: Sequence[TargetProgram] = ()) -> None:
        self.description = description
        self.text = text
        """The text of its module."""
        self.codes = codes
        """The machine code that came with it and may be run here."""
        self.step: Any = None
        """What a tape of plain Python runs, once there was one."""
        self._module: Any = None
        self._is_checked = True
        """Whether the module is one that files may have: what `weft.from_mlir` takes may be another one."""

    @property
    def module(self) -> Any:
        """The module, checked when it is first asked for."""
        if self._module is None:
            from .checked_modules import parse  # which loads MLIR

            self._module = parse(self.text, self.description)
        return self._module

    @module.setter
    def module(self, module: Any) -> None:
        self._module, self._is_checked = module, False

    def require_portable(self) -> None:
        """Raise `ArtifactError` for a module that files do not have."""
        if not self._is_checked:
            from .checked_modules import parse

            parse(self.text, self.description)
            self._is_checked = True

    @cached_property
    def identity(self) -> str:
        """Tells what it computes."""
        return digest((self.text, json.dumps(self.description.to_json(), sort_keys=True)))

    def signature(self, name: str) -> CallSignature:
        """Of calls like the one that it was compiled for."""
        description = self.description
        return CallSignature(
            name,
            description.structure,
            [argument.tensor for argument in description.arguments],
            [argument.name for argument in description.arguments],
            description.aliases,
            frozenset(n for n, argument in enumerate(description.arguments) if argument.is_scalar),
            tuple(argument.number for argument in description.arguments if argument.number is not None),
        )

    def code_for(self, signature: CallSignature, target: str, state: dict[str, Any]) -> Restorable | None:
        """The machine code for a call on some state, if there is some that runs where the call does."""
        for made_for, restorable in self.codes:
            is_meant = _is_for(made_for, target) or (target == "native" and not is_gpu(made_for))
            if is_meant and restorable.takes(signature) and restorable.is_for(state):
                return restorable if self._is_nested_alike(signature) else None
        return None

    def _is_nested_alike(self, signature: CallSignature) -> bool:
        """Whether the arrays of a call are in the same places of its arguments."""
        marks = [object() for _ in signature.types]
        found = self.leaves_of(signature.structure, marks)
        return found is not None and all(map(is_, found, marks))

    def leaves_of(self, structure: Structure, leaves: Sequence[Any]) -> list[Any] | None:
        """The arrays of arguments if they are nested as those of the file are; None where they are not."""
        found: list[Any] = [None] * len(self.description.arguments)
        return found if _match(self.description.structure, structure, leaves, found) else None

    def specs(self) -> Any:
        """Positional arguments and keywords with specs for arrays."""
        arguments = self.description.arguments
        return unflatten(
            self.description.structure,
            lambda i: TensorSpec(arguments[i].tensor.shape, arguments[i].tensor.dtype),
        )

    def differs_in_constants(self, structure: Structure) -> bool:
        """Whether arguments are nested as those of the file are, but for the values of constants."""
        return bool(_differences(self.description.structure, structure))

    def __str__(self) -> str:
        types = [argument.tensor for argument in self.description.arguments]
        return described_call(self.description.structure, types)


def described_call(structure: Structure, types: Sequence[Any]) -> str:
    """The arguments of a call, as people write them."""
    positional, keywords = parts_of_call(structure)
    words = [describe(child, types) for child in positional.children]
    words += [f"{k}={describe(c, types)}" for k, c in zip(keywords.keys, keywords.children, strict=True)]
    return f"({', '.join(words)})"


def _differences(wanted: Structure, given: Structure) -> int | None:
    """How many constants of arguments are others; None for arguments that are nested in another way."""
    if not isinstance(wanted, Node) or not isinstance(given, Node):
        is_nested = isinstance(wanted, Node) or isinstance(given, Node)
        return None if is_nested else int(isinstance(wanted, Static) and wanted != given)
    if wanted.keys != given.keys or len(wanted.children) != len(given.children):
        return None
    found = list(map(_differences, wanted.children, given.children))
    return None if None in found else sum(filter(None, found))


def _match(wanted: Structure, given: Structure, leaves: Sequence[Any], found: list[Any]) -> bool:
    """Whether arguments are nested as others are, whose arrays they have then."""
    if isinstance(wanted, Leaf):
        if isinstance(given, Leaf):
            found[wanted.index] = leaves[given.index]
        elif isinstance(given, Static) and _may_be_array(given.value):
            found[wanted.index] = held(given.value)
        else:
            return False
        return True
    if isinstance(wanted, Static):
        return wanted == given
    if not isinstance(given, Node) or wanted.keys != given.keys or not _is_kind(given.kind, wanted.kind):
        return False
    if len(wanted.children) != len(given.children):
        return False
    return all(_match(w, g, leaves, found) for w, g in zip(wanted.children, given.children, strict=True))


def _may_be_array(value: Any) -> bool:
    """Whether what is a constant of a call may be an array in the file: a number of Python's, or a variable."""
    return type(value) in (bool, int, float, complex) or isinstance(value, ArrayHolder)


def _is_kind(given: Any, wanted: Any) -> bool:
    """Whether two containers are of one kind: that of a named tuple in a file is known by its name and fields."""
    return given is wanted or (
        is_named_tuple(given) and is_named_tuple(wanted) and given.__name__ == wanted.__name__
    )
