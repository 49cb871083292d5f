// RUN: weft-opt %s --target=x86-64-v3 --outline-kernels --plan-buffers --write-sorts --split-input-file | filecheck %s

// Rows with places of their own are a call each.
// CHECK: func.func private @weft_select_several_int64_by_2(i64, i64, i64, i64, i64) -> i64
// CHECK: func.func private @kernel_0(
// CHECK-NOT: weft.partition_at
// CHECK: scf.for
// CHECK: call @weft_select_several_int64_by_2(
// CHECK-NOT: weft.partition_at
func.func @at(%x: tensor<4x?xi64>, %p: tensor<4x2xi64>) -> tensor<4x?xi64> {
  %0 = "weft.partition_at"(%x, %p) : (tensor<4x?xi64>, tensor<4x2xi64>) -> tensor<4x?xi64>
  return %0 : tensor<4x?xi64>
}

// -----

// Places that are known are not read from memory.
// CHECK-NOT: weft_select_several
// CHECK: func.func private @weft_select_int64_by_2(i64, i64, i64, i64) -> i64
// CHECK-NOT: weft_select_several
func.func @known(%x: tensor<4x?xi64>) -> tensor<4x?xi64> {
  %0 = "weft.partition"(%x) {axis = 1, places = array<i64: 2>} : (tensor<4x?xi64>) -> tensor<4x?xi64>
  return %0 : tensor<4x?xi64>
}
