"""Where ranks are, in words."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from ...dialect.collectives import Collective
from ...dialect.errors import CommunicationError
from ..settings import settings
from ..source.locations import range_of_frame, user_frames

if TYPE_CHECKING:
    from ...dialect.types import TensorType


def eager_place() -> str:
    """Where the user's program is that does something without being compiled."""
    frames = user_frames(innermost=True)
    if not frames or frames[0].f_code.co_filename == threading.__file__:
        return ""
    place = range_of_frame(frames[0])
    return f"{place.file}:{place.line}"


def shown(rank: int, collective: Collective, kind: TensorType) -> str:
    """What a rank does."""
    what = "" if collective.kind == "barrier" else f" of {kind}"
    if collective.of:
        what = f" of {collective.of}[{what.partition('[')[2]}"
    return f"rank {rank} calls {collective}{what}{_at(collective)}"


def waits(rank: int, collective: Collective) -> str:
    """For what a rank waits."""
    return f"rank {rank} waits in {collective}{_at(collective)}"


def waits_too_long(rank: int, collective: Collective) -> CommunicationError:
    """What a rank raises that waits for longer than it is to."""
    return CommunicationError(
        f"rank {rank} waits for more than {settings.collective_timeout} s in {collective} "
        f"at {collective.place}: others do not come"
    )


def _at(collective: Collective) -> str:
    return f" at {collective.place}" if collective.place else ""
