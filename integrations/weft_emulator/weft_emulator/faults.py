"""What goes wrong in the emulator."""

from __future__ import annotations


class Fault(Exception):
    """A kernel did what it must not: the text says which instruction, in which block and thread."""

    def __init__(self, text: str, code: str = "CUDA_ERROR_ILLEGAL_ADDRESS") -> None:
        super().__init__(text)
        self.code = code
        """The error of the driver that stands nearest."""


class PTXError(Exception):
    """Text that is no PTX, or has an instruction that the emulator does not know."""


__all__ = ["Fault", "PTXError"]
