"""Exported programs in programs of Rust, by the module that is written for it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from support.exported_programs import Net, concretes

HERE = Path(__file__).parent
RUSTC = shutil.which(os.environ.get("RUSTC", "rustc"))

pytestmark = pytest.mark.skipif(RUSTC is None, reason="there is no compiler of Rust")


def run(folder: Path, program: Path, files: Mapping[str, str], edition: str = "2021") -> list[str]:
    """What a program prints that is linked with a library."""
    assert RUSTC is not None
    options = ["--edition", edition, "-D", "warnings", "-L", str(folder), "-o", str(folder / "main")]
    if "object" in files:
        options += ["-C", f"link-arg={files['object']}"]
    built = subprocess.run([RUSTC, *options, str(program)], capture_output=True, text=True, check=False)
    if "unsafe extern" in built.stderr or "edition" in built.stderr:
        pytest.skip("the compiler is older than Rust 1.82, or than the edition")
    assert built.returncode == 0, built.stderr
    where = {**os.environ, "LD_LIBRARY_PATH": str(folder), "DYLD_LIBRARY_PATH": str(folder)}
    done = subprocess.run([folder / "main"], capture_output=True, text=True, check=True, env=where)
    return done.stdout.splitlines()


@pytest.mark.parametrize("edition", ["2021", pytest.param("2024", marks=pytest.mark.soak)])
def test_six_programs_in_rust(tmp_path: Path, edition: str) -> None:
    kind = "static" if edition == "2021" else "shared"
    files = weft.export(tmp_path, library="six", kind=kind, target="native", **concretes(Net()))
    program = Path(shutil.copy(HERE / "six_programs.rs", tmp_path / "main.rs"))
    assert run(tmp_path, program, files, edition) == [
        "6 4",
        "1 index 9 is out of bounds for axis 0 with size 4 true",
        "[2.0, 3.0, 0.0, 1.0] Array { data: [1, 0], shape: [2] }",
        "0.333 6 [2, 3]",
        "2.5 4",
        "2 w1: f32[8,16] is wanted",
        "true 1 2",
        "what save wrote is wanted",
        "1",
    ]


def test_results_of_all_kinds_and_names_that_are_keywords(tmp_path: Path) -> None:
    def parts(x: Any, type: Any, c: Any) -> Any:
        x[0] = 7
        return {"type": x[x > type], "flags": x > 1, "sum": x.sum(), "products": x[:, None] * c}

    def number(z: Any) -> Any:
        return z * 2j, z.real > 0

    def match(fn: Any) -> Any:
        return fn.astype(np.float16)

    specs = ["f64[?]", "f64", "c64[2]"]
    functions = {
        "parts": weft.function(parts).get_concrete_function(*map(weft.TensorSpec.from_string, specs)),
        "number": weft.function(number).get_concrete_function(weft.TensorSpec([], "complex128")),
        "self": weft.function(number, name="self").get_concrete_function(weft.TensorSpec([], "complex128")),
        "match": weft.function(match).get_concrete_function(weft.TensorSpec([2], "int8")),
    }
    files = weft.export(tmp_path, library="all", kind="object", target="native", **functions)
    program = tmp_path / "main.rs"
    program.write_text(
        """
        #[path = "all.rs"] mod all;
        use all::Complex;
        fn main() {
            let mut x = vec![3.0, -1.0, 2.0];
            let c = [Complex { re: 1.0, im: 2.0 }, Complex { re: 0.0, im: 1.0 }];
            let (positive, flags, sum, products) = all::parts(&mut x, 0.0, &c).unwrap();
            println!("{x:?} {:?} {:?} {:?} {sum}", positive.data, positive.shape, flags.data);
            println!("{:?} {} {}", products.shape, products.data[2].re, products.data[2].im);
            println!("{:?} {:?}", all::number(&Complex { re: 1.0, im: 2.0 }), all::self_(&Complex::default()));
            println!("{:?}", all::r#match(&[1, -2]).unwrap());
            let none: &mut [f64] = &mut [];
            println!("{}", all::parts(none, 0.0, &c).unwrap_err());
        }
        """
    )
    assert run(tmp_path, program, files) == [
        "[7.0, -1.0, 2.0] [7.0, 2.0] [2] [true, false, true] 8",
        "[3, 2] -1 -2",
        "Ok((Complex { re: -4.0, im: 2.0 }, true)) Ok((Complex { re: 0.0, im: 0.0 }, false))",
        "Array { data: [15360, 49152], shape: [2] }",
        "index 0 is out of bounds for axis 0 with size 0",
    ]


def test_a_view_of_other_extents_than_its_elements_panics(tmp_path: Path) -> None:
    assert RUSTC is not None
    weft.export(tmp_path, kind="static", target="native", **concretes(Net(), "softmax"))
    program = tmp_path / "main.rs"
    program.write_text("mod softmax;\nfn main() { softmax::View::new(&[1.0], [2, 3]); }\n")
    subprocess.run([RUSTC, "-L", tmp_path, "-o", tmp_path / "main", program], check=True)
    done = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=False)
    assert "an array of 1 elements is not of shape [2, 3]" in done.stderr
