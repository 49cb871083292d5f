"""Exported programs in a process of C, in one of Python without NumPy, and in threads."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

import weft
from support.exported_programs import Net, concretes
from support.printed_programs import compare

HERE = Path(__file__).parent
CC = shutil.which(os.environ.get("CC", "cc"))

pytestmark = pytest.mark.optimised
needs_cc = pytest.mark.skipif(CC is None, reason="there is no C compiler")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The six programs as one object with its header, and as a shared library."""
    folder = tmp_path_factory.mktemp("six")
    programs = concretes(Net())
    weft.export(folder, library="six", kind="object", target="native", **programs)
    if CC is not None:
        subprocess.run([CC, "-shared", "-o", "libsix.so", "six.o", "-lm"], cwd=folder, check=True)
    return folder


def compiled(folder: Path, source: str, *flags: str) -> Path:
    """A program of C with the object of the six."""
    assert CC is not None
    program = folder / Path(source).stem
    command = [CC, "-O1", "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", str(folder), *flags]
    subprocess.run(
        [*command, str(HERE / source), str(folder / "six.o"), "-lm", "-o", str(program)], check=True
    )
    return program


@pytest.mark.slow
@needs_cc
def test_a_program_in_c_gets_what_numpy_computes(folder: Path) -> None:
    compare(
        subprocess.run(
            [compiled(folder, "six_programs.c")], capture_output=True, text=True, check=True
        ).stdout
    )


@needs_cc
def test_nothing_is_called_but_c(folder: Path) -> None:
    listed = subprocess.run(
        ["nm", "-u", "six.o"], cwd=folder, capture_output=True, text=True, check=True
    ).stdout
    called = {line.split()[-1] for line in listed.splitlines()} - {"_GLOBAL_OFFSET_TABLE_"}
    assert called <= {"malloc", "free", "memcpy", "memset", "memmove"}
    listed = subprocess.run(
        ["ldd", "libsix.so"], cwd=folder, capture_output=True, text=True, check=True
    ).stdout
    libraries = {line.split()[0].rpartition("/")[2].partition(".")[0] for line in listed.splitlines()}
    assert libraries <= {"linux-vdso", "libc", "libm", "ld-linux-x86-64", "ld-linux-aarch64"}


@needs_cc
def test_python_without_numpy_calls_it(folder: Path) -> None:
    program = textwrap.dedent("""
        import ctypes, sys
        library = ctypes.CDLL("./libsix.so")
        x, result = (ctypes.c_double * 3)(1, 2, 3), ctypes.c_double()
        code = library.pick(x, ctypes.c_int64(3), ctypes.c_int64(1), ctypes.byref(result), None)
        a, p = (ctypes.c_double * 4)(0, 1, 2, 3), (ctypes.c_int64 * 2)()
        library.lu(a, ctypes.c_int64(2), ctypes.c_int64(2), p, None)
        print(code, result.value, list(a), list(p), "numpy" in sys.modules, "weft" in sys.modules)
    """)
    done = subprocess.run(
        [sys.executable, "-I", "-c", program], cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stdout == "0 4.0 [2.0, 3.0, 0.0, 1.0] [1, 0] False False\n"


@needs_cc
def test_eight_threads_get_what_one_gets(folder: Path) -> None:
    program = compiled(folder, "threads.c", "-pthread")
    assert subprocess.run([program], capture_output=True, text=True, check=True).stdout == "0\n"


@needs_cc
def test_nothing_leaks_and_no_memory_is_misused(folder: Path) -> None:
    assert CC is not None
    probe = folder / "probe.c"
    probe.write_text("int main(void) { return 0; }")
    sanitized = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    if subprocess.run(
        [CC, *sanitized, str(probe), "-o", str(folder / "probe")], capture_output=True
    ).returncode:
        pytest.skip("the compiler has no address sanitizer")
    program = compiled(folder, "six_programs.c", *sanitized)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    if "LeakSanitizer has encountered a fatal error" in done.stderr:  # under a debugger, or without ptrace
        environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
        done = subprocess.run([program], capture_output=True, text=True, check=False, env=environment)
    assert done.stderr == ""
    compare(done.stdout)


@needs_cc
@pytest.mark.parametrize("kind", ["static", "llvm"])
def test_archives_are_linked_as_objects_are(folder: Path, tmp_path: Path, kind: str) -> None:
    assert CC is not None
    files = weft.export(
        tmp_path, library="a_name_longer_than_of_members", kind=kind, **concretes(Net(), "pick")
    )
    if kind == "llvm":
        assert "define i32 @pick(" in Path(files["llvm"]).read_text()
        return
    (tmp_path / "main.c").write_text(
        '#include "a_name_longer_than_of_members.h"\n'
        "int main(void) { double x = 3, y = 0; return pick(&x, 1, 0, &y, 0) + (int)y; }"
    )
    libraries = ["-L.", "-la_name_longer_than_of_members"]
    subprocess.run([CC, "main.c", *libraries, "-o", "main"], cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "main"], check=False).returncode == 6


CXX = shutil.which(os.environ.get("CXX", "c++"))


@pytest.mark.skipif(CXX is None, reason="there is no C++ compiler")
def test_a_program_in_cpp(folder: Path) -> None:
    assert CXX is not None
    program = folder / "cpp"
    command = [CXX, "-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-I", str(folder)]
    source, library = str(HERE / "six_programs.cpp"), str(folder / "six.o")
    built = subprocess.run([*command, source, library, "-o", str(program)], capture_output=True, text=True)
    if "unrecognized" in built.stderr and "c++20" in built.stderr:
        pytest.skip("the compiler knows no C++20")
    assert built.returncode == 0, built.stderr
    assert subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines() == [
        "6 4",
        "1 index 9 is out of bounds for axis 0 with size 4",
        "2 3 0 1 1 0 2",
        "0.333 6 2 3",
        "2.5 4",
        "2 w1: f32[8,16] is wanted",
        "1 1 2",
        "what save wrote is wanted",
        "1",
    ]


@pytest.mark.skipif(CXX is None, reason="there is no C++ compiler")
def test_several_results_and_those_of_sizes_that_data_decides_in_cpp(tmp_path: Path) -> None:
    assert CXX is not None

    def parts(x: Any, c: Any) -> Any:
        return x[x > 0], x.sum(), x[:, None] * c

    specs = [weft.TensorSpec([None], "float64"), weft.TensorSpec([2], "complex64")]
    concrete = weft.function(parts).get_concrete_function(*specs)
    weft.export(tmp_path, parts=concrete, kind="object", target="native")
    (tmp_path / "main.cpp").write_text(
        """
        #include <cstdio>
        #include "parts.hpp"
        int main() {
          std::vector<double> x{3, -1, 2};
          std::vector<weft_complex64> c{{1, 2}, {0, 1}};
          auto [positive, sum, products] = parts_cpp::parts(x, c);
          std::printf("%zu %g %g %g ", positive.size(), positive[0], positive[1], sum);
          auto rows = (long long)products.shape[0], columns = (long long)products.shape[1];
          std::printf("%lld %lld %g\\n", rows, columns, products[2].imag());
        }
        """
    )
    subprocess.run([CXX, "-std=c++20", "main.cpp", "parts.o", "-o", "main"], cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True)
    assert done.stdout == "2 3 2 4 3 2 -2\n"


NODE = shutil.which("node")


@pytest.mark.skipif(NODE is None, reason="there is no Node.js")
@pytest.mark.soak
def test_a_module_of_webassembly_in_node(tmp_path: Path) -> None:
    assert NODE is not None
    files = weft.export(tmp_path, library="six", kind="wasm", **concretes(Net()))
    command = [NODE, str(HERE / "six_programs.mjs"), files["wasm"]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    compare(done.stdout)
