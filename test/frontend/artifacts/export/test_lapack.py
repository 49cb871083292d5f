"""Linear algebra in exported libraries, by a LAPACK that the machine has."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from support.exported_calls import Exported, Failed

CC = shutil.which(os.environ.get("CC", "cc"))
pytestmark = pytest.mark.skipif(CC is None, reason="there is no C compiler")


def links(library: str, folder: Path, symbol: str) -> bool:
    """Whether the compiler finds a library with a function."""
    assert CC is not None
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "probe.c").write_text(f"void {symbol}(void); int main(void) {{ {symbol}(); return 0; }}")
    command = [CC, "probe.c", "-L.", f"-l{library}", "-o", "probe"]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module", params=["system", "scipy_openblas64"])
def options(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What exports with a LAPACK of integers of 32 bits, and with that of NumPy's wheel, which has 64."""
    folder = tmp_path_factory.mktemp("lapack")
    if request.param == "system":
        if not links("lapack", folder, "dgesv_"):
            pytest.skip("the compiler finds no liblapack")
        return {"lapack": "system"}
    own = sorted(Path(np.__file__).parents[1].glob("numpy.libs/libscipy_openblas64_*.so"))
    if not own:
        pytest.skip("NumPy is not from a wheel for Linux with OpenBLAS")
    (folder / "libscipy_openblas64_.so").symlink_to(own[0])
    return {"lapack": "scipy_openblas64", "linker": f"{CC} -L{folder} -Wl,-rpath,{own[0].parent}"}


def exported(
    folder: Path, options: dict[str, str], specs: list[str], f: Callable[..., Any], **more: Any
) -> Exported:
    concrete = weft.function(f).get_concrete_function(*map(weft.TensorSpec.from_string, specs))
    return Exported(weft.export(folder, f=concrete, target="native", **options, **more))


def of_squares(a: Any, b: Any, s: Any) -> Any:
    values, vectors = np.linalg.eigh(s)
    sign, logarithm = np.linalg.slogdet(a)
    return (
        np.linalg.solve(a, b),
        np.linalg.inv(a),
        np.linalg.det(a),
        sign,
        logarithm,
        np.linalg.cholesky(s),
        np.linalg.cholesky(s, upper=True),
        values,
        (vectors * values[..., None, :]) @ vectors.conj().mT,
        np.linalg.eigvalsh(s, UPLO="U"),
    )


def of_rectangles(a: Any) -> Any:
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    wide_u, _, wide_vh = np.linalg.svd(a)
    q, r = np.linalg.qr(a)
    wide_q, wide_r = np.linalg.qr(a, mode="complete")
    unit = [m @ m.conj().mT for m in (wide_u, wide_vh, wide_q)]
    return s, (u * s[..., None, :]) @ vh, *unit, q @ r, wide_q @ wide_r, np.linalg.svdvals(a)


def drawn(kind: str, *shape: int) -> Any:
    rng = np.random.default_rng(sum(shape))
    real = rng.normal(size=shape)
    return real + 1j * rng.normal(size=shape) if kind == "c128" else real


@pytest.mark.parametrize("kind", ["f64", pytest.param("c128", marks=pytest.mark.soak)])
def test_factorisations_are_those_of_numpy(tmp_path: Path, options: dict[str, str], kind: str) -> None:
    squares = exported(tmp_path / "squares", options, [f"{kind}[?,?,?]"] * 3, of_squares)
    for count, n, m in ((1, 5, 3), (3, 1, 1), (2, 40, 2), (0, 3, 3), (2, 0, 0)):
        a, b = drawn(kind, count, n, n), drawn(kind, count, n, m)
        s = a @ a.conj().mT + np.eye(n)
        for found, wanted in zip(squares(a, b, s).values(), of_squares(a, b, s), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)
    rectangles = exported(tmp_path / "rectangles", options, [f"{kind}[?,?,?]"], of_rectangles)
    for shape in ((1, 5, 3), (2, 3, 5), (3, 1, 1), (1, 30, 40), (0, 2, 3), (2, 4, 4)):
        a = drawn(kind, *shape)
        for found, wanted in zip(rectangles(a).values(), of_rectangles(a), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)
    library = "lapack" if options["lapack"] == "system" else "scipy_openblas64_"
    assert squares.manifest["libraries"] == [library]
    letter = "d" if kind == "f64" else "z"
    assert f"{letter}gesv" in " ".join(squares.manifest["calls"])


def test_a_matrix_for_many_columns_and_values_beyond_the_range(
    tmp_path: Path, options: dict[str, str]
) -> None:
    def f(a: Any, b: Any) -> Any:
        return np.linalg.solve(a, b), np.linalg.det(a), np.linalg.slogdet(a * 0)

    library = exported(tmp_path, options, ["f64[?,?]", "f64[?,?,?]"], f)
    a, b = drawn("f64", 4, 4) * 1e100, drawn("f64", 3, 4, 2)
    found = list(library(a, b).values())
    np.testing.assert_allclose(found[0], np.linalg.solve(a, b), rtol=1e-12)
    with np.errstate(over="ignore"):
        assert found[1] == np.linalg.det(a)
    assert np.isinf(found[1])
    assert [float(x) for x in found[2:]] == [0, -np.inf]


def test_singular_matrices_are_errors(tmp_path: Path, options: dict[str, str]) -> None:
    library = exported(tmp_path / "inv", options, ["f64[?,?]"], np.linalg.inv)
    with pytest.raises(Failed, match="Singular matrix") as failure:
        library(np.zeros((3, 3)))
    assert failure.value.code == 18
    assert np.isnan(library(np.full((2, 2), np.nan))).all()
    library = exported(tmp_path / "cholesky", options, ["f64[?,?]"], np.linalg.cholesky)
    with pytest.raises(Failed, match="Matrix is not positive definite"):
        library(-np.eye(3))


def test_matrices_of_known_size_ask_where_code_of_weft_does_not_know(
    tmp_path: Path, options: dict[str, str]
) -> None:
    library = exported(tmp_path, options, ["f64[2,2]", "f64[2]"], np.linalg.solve)
    a, b = drawn("f64", 2, 2), drawn("f64", 2)
    np.testing.assert_allclose(library(a, b), np.linalg.solve(a, b), rtol=1e-12)
    with pytest.raises(Failed, match="Singular matrix"):
        library(np.ones((2, 2)), b)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited as on Linux")
def test_without_memory_a_call_ends(tmp_path: Path, options: dict[str, str]) -> None:
    library = exported(tmp_path, options, ["f64[?,?]"], np.linalg.inv)
    program = textwrap.dedent("""
        import ctypes, resource, sys
        library = ctypes.CDLL(sys.argv[1])
        n = 2000
        a, result = (ctypes.c_double * (n * n))(), (ctypes.c_double * (n * n))()
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 24), resource.RLIM_INFINITY))
        print(library.f(a, ctypes.c_int64(n), ctypes.c_int64(n), result, None))
    """)
    command = [sys.executable, "-c", program, library.library._name]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "16\n"


def test_an_extension_module_is_linked_with_it(tmp_path: Path) -> None:
    if not links("lapack", tmp_path, "dgesv_"):
        pytest.skip("the compiler finds no liblapack")
    (tmp_path / "kernels.py").write_text(
        "import numpy as np\ndef solved(a, b): return np.linalg.solve(a, b)\n"
    )
    (tmp_path / "setup.py").write_text(
        "import weft\nfrom setuptools import setup\n"
        "module = weft.build.extension('fast', {'solved': ('kernels:solved', ['f64[?,?]', 'f64[?]'])}, "
        "lapack='system')\n"
        "setup(name='fast', py_modules=[], ext_modules=[module], cmdclass={'build_ext': weft.build.build_ext})\n"
    )
    command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    program = "import numpy as np, fast; print(fast.solved(np.eye(2) * 2, np.ones(2)).tolist())"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "[0.5, 0.5]\n"


# What is refused, and what is written


def test_without_a_lapack_it_is_said_how_to_name_one(tmp_path: Path) -> None:
    def f(a: Any) -> Any:
        return np.linalg.eigvals(np.linalg.inv(a))

    with pytest.raises(
        weft.NotPortable,
        match=r'_umath_linalg\.inv, which is code of NumPy or SciPy \(test_lapack.py:\d+\): lapack="system" calls',
    ) as failure:
        exported(tmp_path / "out", {}, ["f64[?,?]"], f)
    assert "eigvals, which is code of NumPy or SciPy (test_lapack.py" in str(failure.value)
    with pytest.raises(weft.NotPortable, match="eigvals, which is code of NumPy or SciPy") as failure:
        exported(tmp_path / "out", {"lapack": "system"}, ["f64[?,?]"], f)
    assert "inv" not in str(failure.value).partition("eigvals")[2]
    assert not (tmp_path / "out").exists()


def test_names_that_are_no_lapack(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'-x y' is no name of a library with LAPACK, as system, openblas"):
        exported(tmp_path / "out", {"lapack": "-x y"}, ["f64[?,?]"], np.linalg.inv)
    concrete = weft.function(np.linalg.inv).get_concrete_function(weft.TensorSpec([2, 2]))
    with pytest.raises(ValueError, match="no LAPACK for WebAssembly"):
        weft.export(tmp_path / "out", f=concrete, kind="wasm", lapack="system")
    with pytest.raises(OSError, match=r"cannot link libf\.so"):
        exported(tmp_path / "out", {"lapack": "no_such_library"}, ["f64[?,?]"], np.linalg.inv)
    assert not list((tmp_path / "out").glob("*"))


def test_only_what_calls_a_lapack_is_linked_with_it(tmp_path: Path) -> None:
    concrete = weft.function(np.linalg.inv).get_concrete_function(weft.TensorSpec([None, None], "float64"))
    files = weft.export(tmp_path / "inv", f=concrete, kind="object", lapack="openblas64")
    described = json.loads(Path(files["manifest"]).read_text())
    assert described["libraries"] == ["openblas64"]
    assert "dgesv_64_" in described["calls"]
    assert '#[link(name = "openblas64")]' in Path(files["rust"]).read_text()
    concrete = weft.function(lambda x: x * 2).get_concrete_function(weft.TensorSpec([None], "float64"))
    files = weft.export(tmp_path / "plain", f=concrete, lapack="no_such_library")
    assert json.loads(Path(files["manifest"]).read_text())["libraries"] == []
    assert ctypes.CDLL(files["shared"]).f
