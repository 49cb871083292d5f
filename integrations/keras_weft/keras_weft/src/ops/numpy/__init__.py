"""The functions of `keras.ops.numpy`: tables where NumPy has the function, functions of their own else."""

from __future__ import annotations

from .contraction import *  # noqa: F403
from .creation import *  # noqa: F403
from .elementwise import *  # noqa: F403
from .joining import *  # noqa: F403
from .reductions import *  # noqa: F403
from .selection import *  # noqa: F403
from .shapes import *  # noqa: F403
from .statistics import *  # noqa: F403
