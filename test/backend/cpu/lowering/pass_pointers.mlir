// RUN: weft-opt %s --emit=llvm | filecheck %s

// Arrays whose types tell everything but where they are: a pointer each.
// CHECK-LABEL: define internal void @known(
// CHECK-SAME: ptr noalias %0, ptr noalias %1, ptr noalias %2, ptr noalias %3)
// CHECK: call void @kernel_0(ptr %0, ptr %1)
func.func @known(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %y = "weft.exp"(%x) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// Sizes that the types do not tell are passed, and strides with them.
// CHECK-LABEL: define internal void @unknown(
// CHECK-SAME: ptr noalias %0, ptr noalias %1, i64 %2, i64 %3, i64 %4, i64 %5, i64 %6,
func.func @unknown(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = "weft.exp"(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// Upstream has no pointers for arrays without elements.
// CHECK-LABEL: define internal void @empty(
// CHECK-SAME: ptr noalias %0, ptr noalias %1, i64 %2, i64 %3, i64 %4, i64 %5, i64 %6,
func.func @empty(%x: tensor<5x0xf32>) -> tensor<5x0xf32> {
  %y = "weft.exp"(%x) : (tensor<5x0xf32>) -> tensor<5x0xf32>
  return %y : tensor<5x0xf32>
}

// What calls them from outside agrees.
// CHECK-LABEL: define void @"known_entry"
// CHECK: call void @"known"(ptr %a0.data, ptr %a1.data, ptr %workspace, ptr %record)
// CHECK-LABEL: define void @"unknown_entry"
// CHECK: call void @"unknown"(ptr %a0.data, ptr %a0.data, i64 0, i64 %a0.size0, i64 4,
