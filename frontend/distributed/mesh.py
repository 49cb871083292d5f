"""Meshes: the ranks that run a program, each on arrays of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...dialect.collectives import being
from ...dialect.errors import UnsupportedError, WeftTypeError, WeftValueError
from ..autograph.marks import do_not_convert
from ..tracing.current import current_trace
from .axes import Axes, axes_of
from .communicators import Communicator, communicator_of
from .simulated import Session


class Mesh:
    """The ranks that run a program: the processes of an MPI communicator, of mpi4py, all of them where there is none.

    Axes are named by keywords, `Mesh(rows=2, columns=3)`; ranks count along the last one first. A mesh without names
    has one axis, "d". Without MPI a mesh has one rank. `Mesh.simulated` makes one of threads. Raises `ValueError` where
    the extents are not those of the communicator, `TypeError` for what is no communicator.

    With `checked`, which is on in notebooks and under pytest, ranks ask each other before they do something together,
    in `with mesh:` and `mesh.run`: where one has raised, or has returned, or does something else, the others raise
    `weft.RemoteError`, `weft.DeadlockError` or `weft.CommunicationError`, and name it.

    >>> mesh = weft.distributed.Mesh.simulated(rows=2, columns=3)
    >>> mesh.size, mesh.axis_names, dict(mesh.shape)
    (6, ('rows', 'columns'), {'rows': 2, 'columns': 3})
    """

    def __init__(self, comm: Any = None, /, *, checked: bool | None = None, **axes: int) -> None:
        self._communicator: Communicator | None = communicator_of(comm, checked)
        self._axes: Axes = axes_of(self._communicator.size, axes)
        self._entered: list[Any] = []

    @classmethod
    def simulated(cls, count: int | None = None, /, **axes: int) -> Mesh:
        """A mesh of threads of this process, for programs that need no cluster, and for tests.

        `run` calls a function on all ranks; what would hang with processes raises `weft.DeadlockError`.

        >>> weft.distributed.Mesh.simulated(3).run(weft.distributed.rank)
        [np.int64(0), np.int64(1), np.int64(2)]
        """
        mesh = cls.__new__(cls)
        mesh._communicator = None
        mesh._axes = axes_of(count, axes)
        mesh._entered = []
        return mesh

    @property
    def size(self) -> int:
        """How many ranks there are."""
        return self._axes.size

    @property
    def axis_names(self) -> tuple[str, ...]:
        """What the axes are called."""
        return self._axes.names

    @property
    def shape(self) -> dict[str, int]:
        """The extents of the axes, by name."""
        return dict(zip(self._axes.names, self._axes.extents, strict=True))

    def extent(self, axis: str) -> int:
        """How many ranks there are along an axis, or several together, with commas between."""
        return self._axes.place_in(0, axis)[1]

    def place(self, rank: int, axis: str) -> int:
        """The number of a rank along an axis, or several together, of which the last one counts fastest."""
        return self._axes.place_in(rank, axis)[0]

    @property
    def is_simulated(self) -> bool:
        """Whether ranks are threads of this process."""
        return self._communicator is None

    @property
    def ranks(self) -> range:
        """The ranks that are in this process: one of them, or all of a simulated mesh."""
        if self._communicator is None:
            return range(self.size)
        return range(self._communicator.rank, self._communicator.rank + 1)

    def coordinates(self, rank: int) -> dict[str, int]:
        """Where a rank is along each axis.

        >>> weft.distributed.Mesh.simulated(rows=2, columns=3).coordinates(4)
        {'rows': 1, 'columns': 1}
        """
        if not 0 <= rank < self.size:
            raise WeftValueError(f"there is no rank {rank} in a mesh of {self.size}")
        return {name: self._axes.place_in(rank, name)[0] for name in self._axes.names}

    @do_not_convert
    def run(
        self,
        function: Callable[..., Any],
        args: Sequence[Sequence[Any]] | Callable[[int], Sequence[Any]] | None = None,
    ) -> list[Any]:
        """Call a function on the ranks that are in this process; returns what it returns, in the order of `ranks`.

        `args` gives the arguments of each of these ranks: a list of tuples, one for each of `ranks`, or a function of
        the rank that returns a tuple. The function, compiled or not, may call `weft.distributed.all_reduce` and the
        others. If it raises on a rank of a simulated mesh, the others end at their next collective, and the exception
        is raised here.

        >>> mesh = weft.distributed.Mesh.simulated(2)
        >>> mesh.run(weft.distributed.all_reduce, [(np.ones(2),), (np.arange(2.0),)])
        [array([1., 2.]), array([1., 2.])]
        """
        if current_trace() is not None:
            raise UnsupportedError(
                "a compiled function cannot run others on the ranks of a mesh: call run outside"
            )
        args_of_rank = self._args_of_rank(args)
        if self._communicator is None:
            return Session(self._axes).run(function, args_of_rank)
        with self:
            return [function(*args_of_rank(self._communicator.rank))]

    def _args_of_rank(self, args: Any) -> Callable[[int], Sequence[Any]]:
        if args is None:
            return lambda rank: ()
        if callable(args):
            found: Callable[[int], Sequence[Any]] = args
            return found
        given, ranks = list(args), self.ranks
        if len(given) != len(ranks):
            raise WeftValueError(
                f"there are arguments for {len(given)} ranks, but {len(ranks)} are in this process"
            )
        for each in given:
            if not isinstance(each, (tuple, list)):
                raise WeftTypeError(
                    f"the arguments of a rank are a tuple, not {type(each).__name__}: mesh.run(f, [(x,), (y,)])"
                )
        return lambda rank: given[rank - ranks.start]

    def __enter__(self) -> Mesh:
        """Let this thread be the rank of the mesh that the process is."""
        if self._communicator is None:
            if self.size > 1:
                raise UnsupportedError(
                    "a simulated mesh has all its ranks in this process: call what they do by mesh.run(function)"
                )
            raise UnsupportedError("call what the rank of a simulated mesh does by mesh.run(function)")
        member = self._communicator.member(self._axes)
        entered = being(member)
        entered.__enter__()
        self._entered.append((member, entered))
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        member, entered = self._entered.pop()
        entered.__exit__(None, None, None)
        member.leave(error)

    def __repr__(self) -> str:
        """As it is made."""
        axes = ", ".join(f"{name}={extent}" for name, extent in self.shape.items())
        return f"Mesh.simulated({axes})" if self.is_simulated else f"Mesh({axes})"
