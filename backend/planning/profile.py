"""What planning asks of the machine that kernels run on."""

from __future__ import annotations

from ...dialect.records import dataclass


@dataclass(frozen=True)
class Profile:
    """How kernels of a machine differ from those of others."""

    kernels_poll: bool = True
    """Whether the loops inside of kernels look for interrupts; those of a device run to their end."""
    stack_workspace_bytes: int = 256
    """The largest workspace of a called function that lies on the stack, where kernels can be given it."""


PROCESSOR = Profile()
DEVICE = Profile(kernels_poll=False, stack_workspace_bytes=-1)
"""The kernels of a GPU, which are launched by code of the host."""
