"""`weft.save`: compiled functions, with the arrays that they use, in one file."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from typing import Any

from ...dialect.errors import NotPortable, WeftTypeError, WeftValueError
from ...dialect.upgrades import versions
from ..calls.concrete import ConcreteFunction
from ..function import BoundFunction, Function
from ..variables.state_files import to_safetensors
from .archive import STATE, write_archive
from .code_files import checked_targets, write_code
from .loading import Model
from .portability import Portable, SharedState, is_of, portable, portable_again, without_instance
from .recorded import Recorded
from .recorded_function import RecordedFunction
from .structures import OWN_NAMES, File, Json


def save(file: File, function: Any = None, /, *, code: str | Sequence[str] = (), **functions: Any) -> None:
    """Write compiled functions to a file that `weft.load` reads, without their Python source.

    A function is a `weft.Function`, of which all is written that was compiled so far (or what its `input_signature`
    says), a method of an object, or what `get_concrete_function` gives. Each gets the name of its keyword; a single one
    without a keyword has its own, and what `weft.load` gave is written with all of its functions. Arrays that functions
    read or write outside of their arguments are the file's state: one that several use is one. Numbers in attributes
    that calls change are state, too, if a call changed them before. A file that was there is replaced when all is
    written. `code` names targets, "native" for this machine, others as in
    `weft.function` ("x86-64-v3", "aarch64", "sm_90a"), whose machine code is kept in the file, too: `weft.load` runs it
    without a compiler, where it is trusted. Raises `weft.NotPortable` with all reasons and their lines
    for functions that need Python, `ValueError` for functions that nothing was compiled for.

    >>> import os, tempfile
    >>> @weft.function
    ... def scaled(x, factor):
    ...     return x * factor
    >>> y = scaled(np.arange(3.0), np.float64(2))
    >>> path = os.path.join(tempfile.mkdtemp(), "scaled.weft")
    >>> weft.save(path, scaled)
    >>> weft.load(path).scaled(np.arange(3.0), np.float64(10))
    array([ 0., 10., 20.])
    """
    targets = checked_targets(code)
    functions = by_names(file, function, functions, _EXAMPLE)
    for name in functions:
        if not name.isidentifier():
            raise WeftValueError(f"weft.save: {name!r} is no name for a function: pass it by a keyword")
        if name in OWN_NAMES:
            raise WeftValueError(
                f"weft.save: {name!r} is an attribute of loaded files: give the function another name"
            )
    shared, described = SharedState(), {}
    members: dict[str, bytes] = {}
    kept: dict[str, list[Recorded]] = {}
    makers = {name: specialisations(name, given, shared, _EXAMPLE) for name, given in functions.items()}
    reasons: list[str] = []
    for name, several in makers.items():
        entries: list[Json] = []
        for number, make in enumerate(several):
            try:
                found = make()
            except NotPortable as error:
                reasons.append(str(error))
                continue
            kept.setdefault(name, []).append(Recorded(found.description, found.text))
            member = f"code/{name}.{number}.mlir"
            members[member] = found.text.encode()
            entries.append(found.description.to_json() | {"module": member})
        described[name] = entries
    if reasons:
        raise NotPortable("\n".join(reasons))
    shared.require_apart()
    if shared.arrays:
        members[STATE] = to_safetensors(shared.arrays)
    manifest = {"producer": version("weft"), "dialect": versions.DIALECT, "functions": described}
    if targets:
        # No array counts as a constant, which the code would then take packed: those of loaded files are written.
        state = {key: array.view() for key, array in shared.arrays.items()}
        alone = {
            name: [RecordedFunction(name, [one], state) for one in several] for name, several in kept.items()
        }
        manifest["code"] = write_code(targets, alone, members)
    write_archive(os.fspath(file), manifest, members)


_EXAMPLE = "weft.save('model.weft', predict=predict)"


def by_names(place: File, function: Any, functions: Mapping[str, Any], example: str) -> dict[str, Any]:
    """The functions of a call as in an example: those of keywords, and one without, which has its own name.

    In its place may be what `weft.load` gave, with all functions of that.
    """
    caller = example.partition("(")[0]
    if not isinstance(place, (str, os.PathLike)):
        raise WeftTypeError(f"{caller} is first told where to write, as in {example}, and not {place!r}")
    if isinstance(function, Model):
        twice = sorted(function.functions.keys() & functions.keys())
        if twice:
            raise WeftValueError(
                f"{caller}: {function.path} has a function {twice[0]}, too: pass it by another name"
            )
        functions = {**function.functions, **functions}
    elif function is not None:
        name = getattr(function, "name", "function")
        if name in functions:
            raise WeftValueError(
                f"{caller}: two functions are named {name}: pass each by a keyword of its own"
            )
        functions = {name: function, **functions}
    if not functions:
        raise WeftValueError(f"{caller}: name a function to write, as in {example}")
    return dict(functions)


def specialisations(name: str, given: Any, shared: SharedState, example: str) -> list[Callable[[], Portable]]:
    """What makes all that is written of a function, by a call as in an example."""
    if isinstance(given, ConcreteFunction):
        owner: Function[..., Any] = given._function
        return [_maker(given, parameters_of(owner), shared)]
    function = function_of(given, example)
    if isinstance(function, RecordedFunction):
        return [
            partial(portable_again, recorded, function.state, shared) for recorded in function.recorded_as
        ]
    concretes = concretes_of(name, given, function)
    return [
        _maker(concrete, parameters_of(function), shared) for concrete in _distinct(name, function, concretes)
    ]


def function_of(given: Any, example: str) -> Function[..., Any]:
    """The function that a call as in an example is to write."""
    function = given.function if isinstance(given, BoundFunction) else given
    if not isinstance(function, Function):
        raise WeftTypeError(
            f"{example.partition('(')[0]} writes what weft.function makes, not {given!r}, as in {example}"
        )
    return function


def concretes_of(name: str, given: Any, function: Function[..., Any]) -> list[ConcreteFunction]:
    """What was compiled of a function, or of it as the method of an object."""
    instance = given.__self__ if isinstance(given, BoundFunction) else None

    def known() -> list[ConcreteFunction]:
        return [c for c in function._known.concretes if is_of(c.argument_structure, instance)]

    concretes = known()
    if not concretes and function.input_signature is not None:
        given.get_concrete_function()
        concretes = known()
    if not concretes:
        raise WeftValueError(
            f"nothing was compiled of {name} yet: call it, or pass {name}.get_concrete_function(specs...)"
        )
    return concretes


def _distinct(
    name: str, function: Function[..., Any], concretes: Sequence[ConcreteFunction]
) -> Sequence[ConcreteFunction]:
    """Those that calls of a loaded function can tell apart: of several for the same arguments the newest."""
    found: dict[Any, ConcreteFunction] = {}
    for concrete in concretes:
        structure, _ = without_instance(concrete.argument_structure, parameters_of(function))
        first = found.setdefault((structure, tuple(concrete.argument_types), concrete._aliases), concrete)
        if first.argument_structure != concrete.argument_structure:
            raise NotPortable(
                f"{name} was compiled for several objects, which a file does not tell apart: save the method of one "
                "(model.predict), or what get_concrete_function(...) gives"
            )
    return list(found.values())


def _maker(
    concrete: ConcreteFunction, parameters: tuple[inspect.Parameter, ...], shared: SharedState
) -> Callable[[], Portable]:
    shared.meet(concrete)
    return partial(portable, concrete, parameters, shared)


def parameters_of(function: Function[..., Any]) -> tuple[inspect.Parameter, ...]:
    return function._parameters.all
