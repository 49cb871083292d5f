// RUN: weft-opt %s --target=x86-64-v3 --outline-kernels --plan-buffers --write-sorts | filecheck %s

// Rows are sorted by native code, as many in a call as stay in the cache.
// CHECK: func.func private @weft_sort_float32_by_2(i64, i64, i64, i64) -> i64
// CHECK: func.func private @kernel_0(
// CHECK-NOT: weft.sort
// CHECK: call @weft_sort_float32_by_2(
// CHECK-NOT: weft.sort
func.func @f(%x: tensor<4x100xf32>) -> tensor<4x100xf32> {
  %0 = "weft.sort"(%x) {axis = 1 : i64, descending = false} : (tensor<4x100xf32>) -> tensor<4x100xf32>
  return %0 : tensor<4x100xf32>
}
