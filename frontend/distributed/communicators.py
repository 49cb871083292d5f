"""What meshes of processes talk through: an MPI communicator of mpi4py, or nothing where there is one process."""

from __future__ import annotations

from typing import Any, Protocol

from ...dialect.collectives import Alone, Member
from ...dialect.errors import WeftTypeError
from .axes import Axes


class Communicator(Protocol):
    """The processes of a mesh."""

    rank: int
    size: int

    def member(self, axes: Axes) -> Member:
        """This process as a rank of a mesh with some axes."""


class Single:
    """A mesh of one process."""

    rank, size = 0, 1

    def member(self, axes: Axes) -> Member:
        """The only rank."""
        return Alone()


def communicator_of(comm: Any) -> Communicator:
    """What an object of mpi4py stands for, or all processes for None."""
    if comm is None:
        return Single()
    raise WeftTypeError(f"a mesh is made of an MPI communicator of mpi4py, not of {type(comm).__name__}")


__all__ = ["Communicator", "Single", "communicator_of"]
