// RUN: weft-opt %s --target=x86-64-v3 --expand-sorts-of-target | filecheck %s --check-prefix=LOOPS
// RUN: weft-opt %s --target=x86-64-v4 --expand-sorts-of-target | filecheck %s --check-prefix=LEFT
// RUN: weft-opt %s --target=x86-64-v4 --expand-sorts-of-target --outline-kernels --plan-buffers --write-sorts | filecheck %s --check-prefix=CALLS

// Native code sorts rows where the target compresses vectors; elsewhere sorts are loops.
// LOOPS: func.func @f(
// LOOPS-NOT: weft.sort
// LOOPS: scf.
// LEFT: func.func @f(
// LEFT-NEXT: weft.sort
// CALLS: func.func private @kernel_0(
// CALLS-NOT: weft.sort
// CALLS: call @weft_sort_32
// CALLS-NOT: weft.sort
func.func @f(%x: tensor<4x100xf32>) -> tensor<4x100xf32> {
  %0 = "weft.sort"(%x) {axis = 1 : i64, descending = false} : (tensor<4x100xf32>) -> tensor<4x100xf32>
  return %0 : tensor<4x100xf32>
}
