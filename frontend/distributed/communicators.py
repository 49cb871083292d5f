"""What meshes of processes talk through: an MPI communicator of mpi4py, or nothing where there is one process."""

from __future__ import annotations

import os
import sys
from typing import Any, Protocol

from ...dialect.collectives import Alone, Member, set_default
from ...dialect.errors import WeftTypeError
from . import mpi
from .axes import Axes, axes_of


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
        return Alone(axes.names)


def communicator_of(comm: Any, checked: bool | None) -> Communicator:
    """What an object of mpi4py stands for, or all processes for None.

    Without an object mpi4py is asked where the program uses it, or was started as one of several.
    """
    if checked is None:
        checked = "PYTEST_CURRENT_TEST" in os.environ or "ipykernel" in sys.modules
    if comm is None:
        if not mpi.is_loaded() and mpi.launched() < 2:
            return Single()
        comm = mpi.load().COMM_WORLD
    if not mpi.is_loaded():
        raise WeftTypeError(f"a mesh is made of an MPI communicator of mpi4py, not of {type(comm).__name__}")
    return mpi.Processes(comm, checked)


_of_process: list[tuple[bool, Member]] = []


def _default() -> Member:
    """Which rank a thread is that has not entered a mesh: that of all processes."""
    if not _of_process or (not _of_process[0][0] and mpi.is_loaded()):
        communicator = communicator_of(None, False)
        _of_process[:] = [(mpi.is_loaded(), communicator.member(axes_of(communicator.size, {})))]
    return _of_process[0][1]


set_default(_default)
