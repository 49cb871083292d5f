// RUN: weft-opt %s --target=x86-64-v3 --outline-kernels --plan-buffers --write-random-numbers | filecheck %s

// CHECK: func.func private @weft_random_normal_pcg64_float64(i64, i64, i64, i64) -> i64

// The state of the caller stays: it is copied to where the new one is to be, which the kernel then changes.
// CHECK-LABEL: func.func @once
// CHECK: memref.copy
// CHECK: call @kernel_0
func.func @once(%state: tensor<6xi64>) -> (tensor<5xf64>, tensor<6xi64>) {
  %empty = tensor.empty() : tensor<5xf64>
  %0:2 = "weft.fill_random"(%state, %empty) {algorithm = "pcg64", function = "normal", dtype = "float64"} : (tensor<6xi64>, tensor<5xf64>) -> (tensor<5xf64>, tensor<6xi64>)
  return %0#0, %0#1 : tensor<5xf64>, tensor<6xi64>
}

// A loop changes one state in its place.
// CHECK-LABEL: func.func @in_a_loop
// CHECK: memref.copy
// CHECK: scf.for
// CHECK-NOT: memref.copy
// CHECK: return
func.func @in_a_loop(%state: tensor<6xi64>) -> tensor<6xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 9 : index
  %empty = tensor.empty() : tensor<5xf64>
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %state, %x = %empty) -> (tensor<6xi64>, tensor<5xf64>) {
    %1:2 = "weft.fill_random"(%s, %x) {algorithm = "pcg64", function = "normal", dtype = "float64"} : (tensor<6xi64>, tensor<5xf64>) -> (tensor<5xf64>, tensor<6xi64>)
    scf.yield %1#1, %1#0 : tensor<6xi64>, tensor<5xf64>
  }
  return %0#0 : tensor<6xi64>
}

// A state that is drawn of twice is copied for each.
// CHECK-LABEL: func.func @twice
// CHECK-COUNT-2: memref.copy
// CHECK: return
func.func @twice(%state: tensor<6xi64>) -> (tensor<6xi64>, tensor<6xi64>) {
  %empty = tensor.empty() : tensor<5xf64>
  %0:2 = "weft.fill_random"(%state, %empty) {algorithm = "pcg64", function = "normal", dtype = "float64"} : (tensor<6xi64>, tensor<5xf64>) -> (tensor<5xf64>, tensor<6xi64>)
  %1:2 = "weft.fill_random"(%state, %0#0) {algorithm = "pcg64", function = "normal", dtype = "float64"} : (tensor<6xi64>, tensor<5xf64>) -> (tensor<5xf64>, tensor<6xi64>)
  return %0#1, %1#1 : tensor<6xi64>, tensor<6xi64>
}

// CHECK: func.func private @kernel_0(%[[NUMBERS:.*]]: memref<5xf64>, %[[STATE:.*]]: memref<6xi64>)
// CHECK-NOT: memref.copy
// CHECK-NOT: weft.fill_random
// CHECK: call @weft_random_normal_pcg64_float64
// CHECK-NOT: weft.fill_random
// CHECK: return
