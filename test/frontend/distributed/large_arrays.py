"""Ranks that send each other more than 2**31 bytes, and elements: `mpiexec -n 2 python large_arrays.py`, with 16 GB."""

from __future__ import annotations

import numpy as np
from mpi4py import MPI

import weft

ranks, RANK = weft.distributed, MPI.COMM_WORLD.rank
COUNT = 2**31 + 5

largest = weft.function(lambda x: ranks.all_reduce(x, "max"))
received = weft.function(lambda x: ranks.send_receive(x, 1, wrap=True))

x = np.zeros(COUNT, np.uint8)
x[0], x[-1] = 1, 7 * (RANK + 1)
for function, wanted in ((largest, 14), (received, 7 * (2 - RANK))):
    for _ in range(2):  # Python does it, then native code
        y = function(x)
        assert y.shape == x.shape
        assert (y[0], y[-1], y.sum(dtype=np.int64)) == (1, wanted, 1 + wanted)
        del y
