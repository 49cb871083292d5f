"""The vector code of loops, reductions and rows, as text, for machines with wide and with narrow vectors."""

from __future__ import annotations

import pytest

from support.filecheck import check_text
from support.kernel_code import KernelText, lower
from weft.backend.target import compiling_for
from weft.dialect.mlir import ir
from weft.dialect.register import context

WIDE, NARROW = "x86-64-v4", "x86-64"
SUM = "%w = arith.extf %x0 : f32 to f64\n%s = arith.addf %acc, %w {weft.rounded} : f64\nlinalg.yield %s : f64"
EXACT_SUM = SUM.replace(" {weft.rounded}", "")
DIVISION = "%q = arith.divf %x0, %x1 : f32\nlinalg.yield %q : f32"


def schedule(kernel: KernelText, target: str = WIDE) -> str:
    with context(), ir.Location.unknown(), compiling_for(target):
        module = ir.Module.parse(kernel.text())
        lower(module, "buffers-to-loops")
        return str(module)


def reduction(shape: tuple[int, ...], maps: tuple[str, str], body: str, dynamic: bool = False) -> KernelText:
    kernel = KernelText(dynamic)
    out = tuple(dict(zip("ij", shape, strict=False))[letter] for letter in maps[1])
    kernel.result(kernel.generic([kernel.argument(shape, "float32")], maps, body, out, "float64", "0.0"))
    return kernel


@pytest.mark.parametrize(("target", "lanes"), [(WIDE, 16), (NARROW, 4)])
def test_rounded_sums_add_neighbours_in_f32(target: str, lanes: int) -> None:
    check_text(
        schedule(reduction((1024,), ("i", ""), SUM), target),
        f"""
        CHECK: scf.for {{{{.*}}}} iter_args
        CHECK-COUNT-3: arith.addf %{{{{.*}}}}, %{{{{.*}}}} : vector<{lanes}xf32>
        CHECK: vector.extract_strided_slice {{{{.*}}}} to vector<{lanes // 2}xf32>
        CHECK: arith.extf {{{{.*}}}} to vector<{lanes // 2}xf64>
        CHECK: arith.addf {{{{.*}}}} : vector<{lanes // 2}xf64>
        """,
    )


def test_other_sums_in_f64_add_in_f64() -> None:
    check_text(
        schedule(reduction((1024,), ("i", ""), EXACT_SUM)),
        """
        CHECK-NOT: arith.addf {{.*}} : vector<{{.*}}xf32>
        CHECK: arith.extf {{.*}} to vector<8xf64>
        CHECK: arith.addf {{.*}} : vector<8xf64>
        CHECK-NOT: arith.addf {{.*}} : vector<{{.*}}xf32>
        """,
    )


def test_sums_of_f64_are_added_up_block_by_block() -> None:
    kernel = KernelText()
    body = "%s = arith.addf %acc, %x0 : f64\nlinalg.yield %s : f64"
    kernel.result(
        kernel.generic([kernel.argument((3, 100000), "float64")], ["ij", "i"], body, (3,), "float64", "0.0")
    )
    check_text(
        schedule(kernel),
        """
        CHECK: scf.for {{.*}} step %c2048 iter_args(%[[TOTAL:[a-z0-9]+]] = {{.*}} -> (vector<8xf64>
        CHECK: %[[BLOCK:[0-9]+]]:4 = scf.for {{.*}} step %c32 iter_args
        CHECK: scf.yield
        CHECK: arith.addf %[[TOTAL]], %[[BLOCK]]#0
        """,
    )


def test_few_columns_are_summed_in_registers() -> None:
    check_text(
        schedule(reduction((1000, 20), ("ij", "j"), SUM)),
        """
        CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<8xf64>, vector<8xf64>, vector<8xf64>, vector<8xf64>)
        CHECK-NOT: vector.store
        CHECK: scf.yield
        """,
    )


def test_many_columns_are_summed_four_rows_at_a_time() -> None:
    check_text(
        schedule(reduction((1000, 1000), ("ij", "j"), SUM)),
        """
        CHECK: scf.for {{.*}} step %c4
        CHECK: scf.for {{.*}} step %c16
        CHECK-COUNT-4: vector.load {{.*}} vector<16xf32>
        CHECK-COUNT-2: vector.store {{.*}} vector<8xf64>
        """,
    )


def quotient(shape: tuple[int, ...], maps: list[str]) -> KernelText:
    kernel = KernelText()
    other = tuple(dict(zip("ij", shape, strict=False))[letter] for letter in maps[1])
    inputs = [kernel.argument(shape, "float32"), kernel.argument(other, "float32")]
    kernel.result(kernel.generic(inputs, maps, DIVISION, shape, "float32"))
    return kernel


def test_a_divisor_that_is_the_same_along_vectors_has_a_reciprocal() -> None:
    check_text(
        schedule(quotient((64, 1024), ["ij", "i", "ij"])),
        """
        CHECK: arith.divf %{{.*}}, %{{.*}} : f32
        CHECK: scf.if {{.*}} -> (vector<16xf32>)
        CHECK: math.fma
        CHECK: else
        CHECK: arith.divf {{.*}} : vector<16xf32>
        """,
    )


@pytest.mark.parametrize(
    ("maps", "target"), [(["ij", "ij", "ij"], WIDE), (["ij", "i", "ij"], NARROW), (["ij", "j", "ij"], WIDE)]
)
def test_other_divisions_are_the_machines(maps: list[str], target: str) -> None:
    assert "scf.if" not in schedule(quotient((64, 1024), maps), target)


def beside(operations: int, dtype: str) -> KernelText:
    """Vectors divided by one number, with so many other operations."""
    kernel = KernelText()
    inputs = [kernel.argument((64, 1024), dtype), kernel.argument((64,), dtype)]
    short = "f32" if dtype == "float32" else "f64"
    body = [f"%q = arith.divf %x0, %x1 : {short}", f"%s0 = arith.addf %q, %q : {short}"]
    body += [f"%s{number} = arith.mulf %s{number - 1}, %q : {short}" for number in range(1, operations)]
    last = "%q" if not operations else f"%s{operations - 1}"
    lines = "\n".join([*body[: operations + 1], f"linalg.yield {last} : {short}"])
    kernel.result(kernel.generic(inputs, ["ij", "i", "ij"], lines, (64, 1024), dtype))
    return kernel


@pytest.mark.parametrize(
    ("operations", "dtype", "target", "by_reciprocal"),
    [
        (0, "float32", "znver4", False),
        (0, "float64", "znver4", True),
        (4, "float64", "znver4", True),
        (5, "float64", "znver4", False),
        (0, "float32", "sapphirerapids", True),
        (9, "float64", "sapphirerapids", True),
    ],
)
def test_dividers_work_while_other_operations_do(
    operations: int, dtype: str, target: str, by_reciprocal: bool
) -> None:
    assert ("scf.if" in schedule(beside(operations, dtype), target)) == by_reciprocal


def rows(shape: tuple[int, int], dynamic: bool = False) -> KernelText:
    """x - max(x) of rows, twice."""
    kernel = KernelText(dynamic)
    x = kernel.argument(shape, "float32")
    largest = "%s = arith.maximumf %acc, %x0 : f32\nlinalg.yield %s : f32"
    difference = "%d = arith.subf %x0, %x1 : f32\nlinalg.yield %d : f32"
    top = kernel.generic([x], ["ij", "i"], largest, shape[:1], "float32", "0xFF800000")
    lower = kernel.generic([x, top], ["ij", "i", "ij"], difference, shape, "float32")
    total = kernel.generic([lower], ["ij", "i"], SUM, shape[:1], "float64", "0.0")
    body = (
        "%n = arith.truncf %x1 : f64 to f32\n%r = math.sqrt %n : f32\n"
        "%d = arith.subf %x0, %r : f32\nlinalg.yield %d : f32"
    )
    kernel.result(kernel.generic([lower, total], ["ij", "i", "ij"], body, shape, "float32"))
    return kernel


def test_what_is_the_same_along_a_row_is_computed_once() -> None:
    check_text(
        schedule(rows((512, 640))),
        """
        CHECK: vector.reduction <add>
        CHECK: arith.truncf {{.*}} : f64 to f32
        CHECK: math.sqrt {{.*}} : f32
        CHECK: vector.broadcast {{.*}} : f32 to vector<16xf32>
        CHECK: scf.for
        CHECK-NOT: math.sqrt
        """,
    )


def test_the_temporary_of_a_row_is_a_row() -> None:
    text = schedule(rows((512, 640)))
    assert "memref<640xf32>" in text
    assert "alloc() {alignment = 64 : i64} : memref<512x640xf32>" not in text


def test_the_next_row_is_read_ahead() -> None:
    check_text(
        schedule(rows((512, 640))),
        """
        CHECK: vector.reduction <add>
        CHECK: memref.prefetch
        CHECK: arith.subf
        """,
    )


def test_rows_of_small_arrays_are_not_read_ahead() -> None:
    assert "memref.prefetch" not in schedule(rows((16, 640)))


def test_rows_of_unknown_size_share_their_loop_too() -> None:
    text = schedule(rows((512, 640), dynamic=True))
    check_text(
        text,
        """
        CHECK: memref.alloc({{.*}}) {{.*}} : memref<?xf32>
        CHECK: scf.for
        CHECK: vector.reduction <maximumf>
        CHECK: vector.reduction <add>
        CHECK: memref.prefetch
        """,
    )
    assert ": memref<?x?xf32>\n" not in "".join(
        line for line in text.splitlines(True) if "memref.alloc(" in line
    )


@pytest.mark.parametrize(("width", "lanes"), [(32, 16), (64, 8)])
def test_positions_are_counted_in_the_integers_they_become(width: int, lanes: int) -> None:
    kernel = KernelText()
    body = (
        f"%i = linalg.index 1 : index\n%p = arith.index_cast %i : index to i{width}\n"
        f"%c = arith.cmpf oeq, %x0, %x1 : f32\n%big = arith.constant 9999 : i{width}\n"
        f"%q = arith.select %c, %p, %big : i{width}\n"
        f"%s = arith.minsi %acc, %q : i{width}\nlinalg.yield %s : i{width}"
    )
    inputs = [kernel.argument((9, 2000), "float32"), kernel.argument((9,), "float32")]
    kernel.result(kernel.generic(inputs, ["ij", "i", "i"], body, (9,), f"int{width}", "9999"))
    text = schedule(kernel)
    check_text(text, f"CHECK: arith.minsi {{{{.*}}}} : vector<{lanes}xi{width}>")
    assert ("vector.step" in text) == (width == 64)
