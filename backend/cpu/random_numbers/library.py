"""The native code of random numbers in this process: made when code that needs it is loaded, kept on disk, never freed.

A function is for one distribution, algorithm and dtype: `weft_random_normal_pcg64_float64`.
"""

from __future__ import annotations

import functools
from functools import cache

import numpy as np

from ....dialect.bit_generators import ALGORITHMS
from ....dialect.errors import InternalError
from ..machine.native_code import kept_library
from .given import (
    GIVEN,
    LINKED,
    REALS,
    drawn_assembly,
    floats_assembly,
    integers_assembly,
    state_assembly,
    words_assembly,
)
from .numpys_distributions import DISTRIBUTIONS, call_assembly, numpys_addresses


@cache
def random_address(name: str) -> int:
    """The address of a function."""
    function, algorithm, dtype = name.rsplit("_", 2)
    symbols = LINKED if np.dtype(dtype).kind == "f" else ()
    linked = kept_library(
        name, lambda: assembly(function, algorithm, dtype), [function], symbols, is_optimised=True
    )
    return linked[function]


def assembly(function: str, algorithm: str, dtype: str) -> str:
    """The LLVM assembly of a function for an algorithm and a dtype."""
    from ..native_python.translator import translate  # not needed where the code is on disk
    from . import floats, integers, words

    is_float = np.dtype(dtype).kind == "f"
    distribution = function.removeprefix("weft_random_")
    own = floats_assembly(distribution, dtype) if is_float else integers_assembly(np.dtype(dtype))
    given = words_assembly(list(ALGORITHMS).index(algorithm)) + own
    modules = [words, floats if is_float else integers]
    return given + translate(modules, [function], 0, GIVEN, REALS.get(dtype, "double"))


@cache
def twister_address(name: str) -> int:
    """The address of a function that draws of a Mersenne Twister: `weft_twister_uniform_float64`."""
    from . import twister_floats, twister_words

    function, dtype = name.rsplit("_", 1)
    symbols = twister_words.LINKED + (twister_floats.LINKED if np.dtype(dtype).kind == "f" else ())
    distribution = function.removeprefix(_TWISTER)
    if distribution in DISTRIBUTIONS:
        exported, known = _TWISTER + DISTRIBUTIONS[distribution].kind, numpys_addresses(distribution)
        if known is None:
            raise InternalError(f"NumPy's functions that draw of {distribution} are not there")
        make = functools.partial(numpys_assembly, distribution)
        symbols = (*twister_words.LINKED, *known)
        return kept_library(name, make, [exported], symbols, known, is_optimised=True)[exported]
    own = distribution.removeprefix("own_")
    exported = _TWISTER + ("floats" if np.dtype(dtype).kind == "f" else own)
    make = functools.partial(twister_assembly, exported, own, dtype, own != distribution)
    return kept_library(name, make, [exported], symbols, is_optimised=True)[exported]


_TWISTER = "weft_twister_"


def numpys_assembly(distribution: str) -> str:
    """The LLVM assembly of a function that draws by NumPy's C code."""
    from ..native_python.translator import translate
    from . import twister_numpys, twister_words

    exported = _TWISTER + DISTRIBUTIONS[distribution].kind
    given = call_assembly(distribution) + state_assembly(is_data=False)
    return given + translate([twister_words, twister_numpys], [exported], 0, GIVEN)


def twister_assembly(function: str, distribution: str, dtype: str, is_data: bool) -> str:
    """The LLVM assembly of a function of the Mersenne Twister for a dtype."""
    from ..native_python.translator import translate
    from . import integers, twister_floats, twister_integers, twister_words, words

    given, modules = words_assembly(0) + state_assembly(is_data), [words, twister_words]
    if np.dtype(dtype).kind == "f":
        own = floats_assembly("", dtype) + drawn_assembly(distribution)
        modules += [twister_floats]
    else:
        own = integers_assembly(np.dtype(dtype))
        modules += [integers, twister_integers]
    return given + own + translate(modules, [function], 0, GIVEN)
