"""Which functions become the extension module; all else is in pyproject.toml."""

from setuptools import setup

import weft

kernels = weft.build.extension(
    "signals._kernels",
    {
        "pick": ("signals.kernels:pick", ["f64[?]", "i64"]),
        "smooth": ("signals.kernels:smooth", ["f64[?]", "f64"]),
        "peaks": ("signals.kernels:peaks", ["f64[?]"]),
        "normalize": ("signals.kernels:normalize", ["f64[?,?]"]),
    },
)

setup(
    ext_modules=[kernels],
    cmdclass={"build_ext": weft.build.build_ext},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
