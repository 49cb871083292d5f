"""Where array objects keep what compiled code needs of them.

Data pointers and dynamic sizes are read from the array objects themselves: what NumPy's own `PyArray_DATA` and
`PyArray_DIMS` do in every extension module, and ten times cheaper than asking for them in Python.
"""

from __future__ import annotations

import ctypes
from functools import cache

from ....dialect.errors import InternalError

# PyArrayObject after the object header: char *data; int nd; npy_intp *dimensions; ...
DATA = object.__basicsize__
"""Where an array object has the address of its elements."""
DIMENSIONS = DATA + 16
"""Where it has the address of its extents."""


@cache
def check_array_layout() -> None:
    """Make sure that array objects look as expected; raises InternalError on an unknown interpreter."""
    import numpy

    array = numpy.zeros((3, 5))
    data = ctypes.c_void_p.from_address(id(array) + DATA).value
    dimensions = ctypes.POINTER(ctypes.c_ssize_t).from_address(id(array) + DIMENSIONS)
    if data != array.ctypes.data or dimensions[:2] != [3, 5]:
        raise InternalError("array objects of this Python or NumPy have an unknown layout")
