"""`weft.distributed.partition`: one unmodified program over split arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...dialect.errors import CommunicationError, PartitionError, WeftTypeError, WeftValueError
from ...dialect.records import dataclass
from ...passes.partition.layouts import Layout
from ..autograph.marks import do_not_convert
from ..calls.lazy_arguments import is_other
from ..compiling.diagnostics import user_traceback
from ..function import Function
from ..guards.handles import Bound
from ..signature.signature import Structure, flatten_with, is_array, unflatten
from ..tracing.current import current_trace
from .communication import CommunicationAnalysis, analysed, partitioned_text
from .mesh import Mesh
from .programs import (
    GlobalProgram,
    RankProgram,
    digest_of,
    grid_of,
    program_of_rank,
    specs_in_place_of,
    traced,
    warn_of_gathers,
)
from .sharded import ShardedArray, from_local, layout_of, scatter
from .specs import PartitionSpec


def partition(f: Callable[..., Any], mesh: Mesh | None = None, in_specs: Any = None) -> Partitioned:
    """A function that does what `f` does over arrays that are split over the ranks of a mesh.

    `in_specs` says for each argument how it is split: a `P`, None or `P()` for what each rank has all of, or a list,
    tuple or dict like the argument. `ShardedArray`s say it themselves. Results are `ShardedArray`s where they are
    split, else arrays. Arrays for which a `P` names an axis are cut into blocks; `ShardedArray`s are written in place
    where `f` writes to them.

    The function is traced once for the whole arrays, and each rank runs what it takes of it for its block: results are
    those of NumPy on one machine but for the order in which numbers are added. A whole array is gathered where nothing
    else is known, with a `weft.GatherWarning` at the line. Raises `weft.PartitionError` for what cannot be done on
    split arrays, `ValueError` for specs that do not fit.

    >>> mesh, P = weft.distributed.Mesh.simulated(2), weft.distributed.P
    >>> centred = weft.distributed.partition(lambda x: x - np.mean(x, axis=0), mesh, in_specs=P("d"))
    >>> y = centred(np.arange(6.0).reshape(3, 2))
    >>> y.shape, y.spec, y.blocks[0]
    ((3, 2), PartitionSpec('d'), array([[-2., -2.]]))
    """
    return Partitioned(f, mesh, in_specs)


@dataclass(frozen=True, eq=False)
class _Compiled:
    """What was made for one kind of call."""

    program: GlobalProgram
    ranks: list[RankProgram]
    layouts: tuple[Layout, ...]
    """Of the arguments of the module."""


class Partitioned(Function[..., Any]):
    """A function over split arrays, made by `weft.distributed.partition`."""

    def __init__(self, f: Callable[..., Any], mesh: Mesh | None, in_specs: Any) -> None:
        if not callable(f):
            raise WeftTypeError(f"partition takes a function, not {f!r}")
        if mesh is not None and not isinstance(mesh, Mesh):
            raise WeftTypeError(f"partition takes a weft.distributed.Mesh, not {mesh!r}")
        self.function: Function[..., Any] = f if isinstance(f, Function) else Function(f, None, None)
        super().__init__(self.function.python_function, None, self.function.name)
        self.mesh = mesh
        self.in_specs = (in_specs,) if isinstance(in_specs, PartitionSpec) else in_specs
        if self.in_specs is not None and not isinstance(self.in_specs, (tuple, list)):
            raise WeftTypeError(f"in_specs is a tuple with an entry for each argument, not {in_specs!r}")
        self._programs: dict[Any, _Compiled] = {}
        self._last: _Compiled | None = None

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Run what this process has to run of it."""
        if current_trace() is not None:
            return self.function(*args, **kwargs)
        try:
            mesh, leaves, structure, bound = self._flat(args, kwargs)
            compiled = self._program_for(mesh, leaves, structure)
            return _run(compiled, mesh, leaves, bound)
        except BaseException as error:
            raise error.with_traceback(user_traceback(error.__traceback__)) from error.__cause__

    def get_concrete_function(self, /, *args: Any, **kwargs: Any) -> PartitionedProgram:  # type: ignore[override]
        """What was made for such arguments, to look at: `as_text("partitioned")`, `communication_analysis()`."""
        mesh, leaves, structure, _ = self._flat(args, kwargs)
        compiled = self._program_for(mesh, leaves, structure)
        return PartitionedProgram(compiled.program, compiled.ranks, mesh)

    def communication_analysis(self, /, *args: Any, **kwargs: Any) -> CommunicationAnalysis:
        """What ranks send each other in a call with such arguments, or as the last one; see `PartitionedProgram`."""
        if args or kwargs:
            return self.get_concrete_function(*args, **kwargs).communication_analysis()
        if self._last is None:
            raise WeftValueError(
                "communication_analysis() tells of the last call, and there was none: pass arguments"
            )
        return analysed(self._last.ranks[0].messages, self._mesh_of(self._last))

    def _mesh_of(self, compiled: _Compiled) -> Mesh:
        found: Mesh = next(key[0] for key, known in self._programs.items() if known is compiled)
        return found

    def _traced_function(self) -> Callable[..., Any]:
        return self.function._traced_function()

    def __repr__(self) -> str:
        return f"<partitioned {self.function.name}>"

    # From arguments to a program

    def _flat(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Mesh, list[Any], Structure, Bound]:
        """The arrays of a call, split as they are to be, their structure, and the arguments."""
        passed = len(args) + len(kwargs)
        args, kwargs = self._parameters.completed(args, kwargs)
        leaves: list[Any] = []
        structure = flatten_with((args, kwargs), leaves, _is_leaf)
        mesh = self._mesh(leaves)
        if self.in_specs is None:
            _require_none_lazy(self.name, leaves)
        else:
            named = [(self._parameters.name_of(n), value) for n, value in enumerate(args)] + [*kwargs.items()]
            specs = self._specs_of(named, passed)
            cut: dict[tuple[int, Any], Any] = {}
            for place, (leaf, (spec, name)) in enumerate(zip(leaves, specs, strict=True)):
                key = (id(leaf), spec)
                cut[key] = leaves[place] = cut.get(key) or _Box(_split(leaf, spec, mesh, name))
            leaves = [box.value for box in leaves]
        leaves = [leaf if isinstance(leaf, _ARRAYS) else np.asarray(leaf) for leaf in leaves]
        return mesh, leaves, structure, (args, kwargs)

    def _mesh(self, leaves: Sequence[Any]) -> Mesh:
        found = [leaf.mesh for leaf in leaves if isinstance(leaf, ShardedArray)]
        mesh = self.mesh or (found[0] if found else None)
        if mesh is None:
            mesh = self.mesh = Mesh()
        if any(other is not mesh and not _is_same(other, mesh) for other in found):
            raise WeftValueError(f"{self.function.name} is called with arrays of several meshes")
        return mesh

    def _specs_of(self, named: Sequence[tuple[str, Any]], passed: int) -> list[tuple[Any, str]]:
        """A spec for each array, with the name of its argument."""
        given = list(self.in_specs or ())
        if len(given) not in (passed, len(named)):
            names = ", ".join(name for name, _ in named)
            raise WeftValueError(
                f"in_specs has {len(given)} entries, but {self.name} is called with {passed} arguments: {names}"
            )
        given += [None] * (len(named) - len(given))  # of defaults
        found: list[tuple[Any, str]] = []
        for (name, value), spec in zip(named, given, strict=True):
            specs: list[Any] = []
            _matched(value, spec, specs, name)
            found += [(each, f"argument {name!r}") for each in specs]
        return found

    def _program_for(self, mesh: Mesh, leaves: Sequence[Any], structure: Structure) -> _Compiled:
        types = tuple((leaf.shape, str(leaf.dtype)) for leaf in leaves)
        layouts = tuple(leaf.layout if isinstance(leaf, ShardedArray) else () for leaf in leaves)
        first: dict[int, int] = {}
        aliases = tuple(first.setdefault(id(leaf), n) for n, leaf in enumerate(leaves))
        key = (mesh, structure, types, layouts, aliases)
        known = self._programs.get(key)
        if known is None or not known.program.holds():
            known = self._programs[key] = self._made_for(mesh, leaves, structure)
            warn_of_gathers(known.ranks[0].messages)
        self._last = known
        return known

    def _made_for(self, mesh: Mesh, leaves: Sequence[Any], structure: Structure) -> _Compiled:
        specs: dict[int, Any] = {}
        for leaf in leaves:
            specs.setdefault(id(leaf), specs_in_place_of(leaf) if isinstance(leaf, ShardedArray) else leaf)
        args, kwargs = unflatten(structure, lambda index: specs[id(leaves[index])])
        program = traced(self.function, args, kwargs)
        arrays = [*leaves, *(extra.fetch() for extra in program.extra)]
        for place in program.written:
            if isinstance(arrays[place], ShardedArray) and arrays[place].is_cut:
                raise PartitionError(
                    f"{self.name} writes to {program.names[place]}, which is cut into blocks for the call: pass "
                    "weft.distributed.scatter(...) of it, which is written in place"
                )
        layouts = tuple(_layout_of_leaf(arrays[place]) for place in program.sources)
        if mesh.size > 1 and not mesh.is_simulated:
            _require_alike(mesh, program, layouts)
        known: dict[str, Any] = {}
        ranks = [program_of_rank(program, layouts, grid_of(mesh, rank), known) for rank in mesh.ranks]
        return _Compiled(program, ranks, layouts)


class PartitionedProgram:
    """A function over split arrays as it was made for some arguments."""

    def __init__(self, program: GlobalProgram, ranks: Sequence[RankProgram], mesh: Mesh) -> None:
        self._program = program
        self._ranks = ranks
        self._mesh = mesh

    def as_text(self, stage: str = "partitioned", rank: int = 0) -> str:
        """The program of one of the ranks that are in this process, with shardings, and what is sent, line by line.

        Stage "optimized" is that of the whole arrays.
        """
        if stage == "optimized":
            return str(self._program.module)
        if stage == "partitioned":
            found = self._ranks[rank]
            return partitioned_text(found.text, self._mesh)
        names = "optimized, partitioned"
        raise WeftValueError(
            f"there is no stage {stage!r} of a program over split arrays; the stages are: {names}"
        )

    def communication_analysis(self, ranks: int | None = None) -> CommunicationAnalysis:
        """What ranks send each other in one call, line by line, with an estimate of the time on so many ranks."""
        return analysed(self._ranks[0].messages, self._mesh, ranks)


# Calls


_ARRAYS = (ShardedArray, np.ndarray, np.generic)


@dataclass(frozen=True, eq=False)
class _Box:
    """Something that may be an array."""

    value: Any


def _is_leaf(value: object) -> bool:
    return isinstance(value, ShardedArray) or is_array(value)


def _require_none_lazy(name: str, leaves: Sequence[Any]) -> None:
    """Raise for arrays that every rank would compute all of, which nobody asked for."""
    for leaf in leaves:
        if is_other(leaf, ShardedArray):
            kind = f"{type(leaf).__module__.partition('.')[0]}.{type(leaf).__name__}"
            raise WeftTypeError(
                f"{name} got a {kind} of shape {leaf.shape} beside arrays in blocks, and every rank would compute all "
                "of it: pass weft.distributed.scatter(array, spec, mesh), of which each rank computes its block, or "
                "np.asarray(array) where all of it is meant"
            )


def _is_same(a: Mesh, b: Mesh) -> bool:
    return a.is_simulated and b.is_simulated and a.shape == b.shape


def _layout_of_leaf(leaf: Any) -> Layout:
    return leaf.layout if isinstance(leaf, ShardedArray) else (None,) * np.ndim(leaf)


def _matched(value: Any, spec: Any, specs: list[Any], name: str) -> None:
    """A spec for each array of an argument."""
    if spec is None or isinstance(spec, PartitionSpec):
        leaves: list[Any] = []
        flatten_with(value, leaves, _is_leaf)
        specs += [spec] * len(leaves)
        return
    if isinstance(spec, Mapping) and isinstance(value, Mapping) and set(spec) == set(value):
        for key, item in value.items():
            _matched(item, spec[key], specs, f"{name}[{key!r}]")
    elif isinstance(spec, (list, tuple)) and isinstance(value, (list, tuple)) and len(spec) == len(value):
        for number, (item, inner) in enumerate(zip(value, spec, strict=True)):
            _matched(item, inner, specs, f"{name}[{number}]")
    else:
        raise WeftTypeError(
            f"the spec of argument {name!r} is a P, None, or nested as the argument is, not {spec!r}"
        )


def _split(leaf: Any, spec: Any, mesh: Mesh, name: str) -> Any:
    """An array that is split as its spec says."""
    wanted = PartitionSpec() if spec is None else spec
    layout = layout_of(wanted, np.shape(leaf), mesh, name)
    if isinstance(leaf, ShardedArray):
        if leaf.spec != PartitionSpec(*_trimmed(wanted)):
            raise WeftValueError(f"{name} is split as {leaf.spec}, but in_specs says {wanted}")
        return leaf
    if not any(layout):
        return leaf
    found = scatter(leaf, wanted, mesh)
    found.is_cut = True
    return found


def _trimmed(spec: PartitionSpec) -> list[str | None]:
    entries = list(spec)
    while entries and entries[-1] is None:
        entries.pop()
    return entries


def _require_alike(mesh: Mesh, program: GlobalProgram, layouts: Sequence[Layout]) -> None:
    """Raise on all ranks where some of them run another program."""
    from .collectives import all_gather  # which loads the ops

    (digests,) = mesh.run(all_gather, [(digest_of(program, layouts), None)])
    others = [rank for rank, digest in enumerate(digests) if (digest != digests[0]).any()]
    if others:
        raise CommunicationError(
            f"ranks call {program.name} with different programs or arguments: rank {others[0]} differs from rank 0"
        )


def _run(compiled: _Compiled, mesh: Mesh, leaves: Sequence[Any], bound: Bound) -> Any:
    """Run the programs of the ranks that are here, and put their results together."""
    program, ranks = compiled.program, compiled.ranks
    arrays = [*leaves, *(extra.fetch() for extra in program.extra)]
    given = []
    for number in range(len(ranks)):
        values = []
        for place in program.sources:
            value = arrays[place]
            if isinstance(value, ShardedArray):
                value = value.blocks[number]
            elif place in program.written and number:
                value = np.array(value)  # each rank writes to one of its own
            values.append(value)
        given.append((ranks[number].call, *values))
    outputs = mesh.run(_called, given)
    made = []
    for place, layout in enumerate(ranks[0].layouts):
        blocks = [output[place] for output in outputs]
        made.append(_joined(blocks, layout, mesh))
    result = program.result.with_places(made)
    return program.result.build(result, program.result.with_found(arrays, bound))


@do_not_convert
def _called(call: Callable[..., Any], *arrays: Any) -> list[Any]:
    """The results of a rank, in a list."""
    found = call(*arrays)
    return [] if found is None else list(found) if isinstance(found, tuple) else [found]


def _joined(blocks: Sequence[Any], layout: Layout, mesh: Mesh) -> Any:
    if not any(layout):
        return np.asarray(blocks[0])
    if any(split is not None and not split.bounds for split in layout):  # only the run tells which blocks
        spec = PartitionSpec(*(None if split is None else tuple(split.axis.split(",")) for split in layout))
        return from_local(blocks if mesh.is_simulated else blocks[0], spec, mesh)
    shape = [
        split.extent if split is not None else extent
        for split, extent in zip(layout, blocks[0].shape, strict=True)
    ]
    return ShardedArray(list(map(np.asarray, blocks)), tuple(shape), layout, mesh)
