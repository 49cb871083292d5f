"""What checking libraries of all kinds say about arrays that are missing, misaligned, or overlap."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import weft

CC = shutil.which(os.environ.get("CC", "cc"))
NODE = shutil.which("node")


def every_kind(x: Any, y: Any, z: Any) -> Any:
    """An array, one that is written, a number by its address; results of known size, in a block, a number."""
    y[0] = x.sum()
    return x * 2, x[x > 0], z * 2


def export(folder: Path, **options: Any) -> dict[str, str]:
    specs = map(weft.TensorSpec.from_string, ["f64[?]", "f64[2]", "c128"])
    concrete = weft.function(every_kind).get_concrete_function(*specs)
    return weft.export(folder, f=concrete, checked=True, **options)


def expected(narrow: bool = False) -> Iterator[str]:
    """What programs print, with addresses of 64 bits or narrow ones."""
    for number in range(7):
        yield f"2 the address of array {number} of the call is NULL"
    for number in range(7):
        if not (narrow and number == 4):  # where the address of a block goes
            yield f"2 the address of array {number} of the call is no multiple of the size of its elements"
    yield "2 an extent of array 0 of the call is negative"
    for first, second in ((0, 1), (0, 3), (1, 2), (2, 6), (3, 6), (1, 4), (4, 5)):
        yield f"2 arrays {first} and {second} of the call overlap, and one of them is written"
    yield "0 6 2 4"


PROGRAM = """
#include <stdio.h>
#include "f.h"
static _Alignas(16) char memory[1024];
static char *at[7];
static void call(int64_t extent) {
  weft_error error = {0};
  int32_t code = f((double *)at[0], extent, (double *)at[1], (weft_complex128 *)at[2], (double *)at[3],
                   (double **)at[4], (int64_t *)at[5], (weft_complex128 *)at[6], &error);
  char text[100];
  f_describe(&error, text, sizeof text);
  if (code) { printf("%d %s\\n", code, text); return; }
  printf("0 %g %g %g\\n", *(double *)at[1], *(double *)at[3], ((double *)at[3])[1]);
  f_free(*(double **)at[4]);
}
static void begin(void) {
  for (int i = 0; i < 7; i++) at[i] = memory + 64 * i;
  for (int i = 0; i < 3; i++) ((double *)at[0])[i] = i + 1;
}
int main(void) {
  static const int pairs[][2] = {{0, 1}, {0, 3}, {1, 2}, {2, 6}, {3, 6}, {1, 4}, {4, 5}};
  for (int i = 0; i < 7; i++) { begin(); at[i] = NULL; call(3); }
  for (int i = 0; i < 7; i++) { begin(); at[i] += 4; call(3); }
  begin(); call(-1);
  for (int i = 0; i < 7; i++) { begin(); at[pairs[i][0]] = at[pairs[i][1]]; call(3); }
  begin(); call(3);
  return 0;
}
"""


@pytest.mark.skipif(CC is None, reason="there is no C compiler")
@pytest.mark.parametrize("kind", ["object", "static", "shared"])
def test_a_program_in_c_is_told(tmp_path: Path, kind: str) -> None:
    assert CC is not None
    files = export(tmp_path, kind=kind)
    (tmp_path / "main.c").write_text(PROGRAM)
    command = [CC, "-std=c11", "-O1", "main.c", files[kind], "-Wl,-rpath,.", "-lm", "-o", "main"]
    subprocess.run(command, cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "main"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == list(expected())


MODULE = """
import fs from "node:fs";
const { instance } = await WebAssembly.instantiate(fs.readFileSync(process.argv[2]), {});
const { memory, malloc, f, f_describe, f_free } = instance.exports;
const base = malloc(1024), error = malloc(200), text = malloc(100);
let at = [];
const begin = () => {
  at = [...Array(7).keys()].map(i => base + 64 * i);
  new Float64Array(memory.buffer, at[0], 3).set([1, 2, 3]);
};
const call = extent => {
  const [x, y, z, r0, r1, shape, r2] = at;
  const code = f(x, extent, y, z, r0, r1, shape, r2, error);
  const floats = place => new Float64Array(memory.buffer, place, 2);
  if (!code) return console.log(`0 ${floats(y)[0]} ${floats(r0)[0]} ${floats(r0)[1]}`);
  const length = Number(f_describe(error, text, 100n));
  console.log(`${code} ${new TextDecoder().decode(new Uint8Array(memory.buffer, text, length))}`);
};
for (let i = 0; i < 7; i++) { begin(); at[i] = 0; call(3n); }
for (let i = 0; i < 7; i++) if (i != 4) { begin(); at[i] += 4; call(3n); }
begin(); call(-1n);
for (const [a, b] of [[0, 1], [0, 3], [1, 2], [2, 6], [3, 6], [1, 4], [4, 5]]) { begin(); at[a] = at[b]; call(3n); }
begin(); call(3n);
"""


@pytest.mark.skipif(NODE is None, reason="there is no Node.js")
def test_a_program_in_javascript_is_told(tmp_path: Path) -> None:
    assert NODE is not None
    files = export(tmp_path, kind="wasm")
    (tmp_path / "main.mjs").write_text(MODULE)
    command = [NODE, str(tmp_path / "main.mjs"), files["wasm"]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == list(expected(narrow=True))
