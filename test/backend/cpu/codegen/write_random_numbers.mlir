// RUN: weft-opt %s --target=x86-64-v3 --outline-kernels --plan-buffers --write-random-numbers | filecheck %s

// The state is copied to the new one, which native code changes while it writes numbers.
// CHECK: func.func private @weft_random_normal_pcg64_float64(i64, i64, i64, i64) -> i64
// CHECK: func.func private @kernel_0(%[[STATE:.*]]: memref<6xi64>, %[[NUMBERS:.*]]: memref<5xf64>, %[[NEXT:.*]]: memref<6xi64>)
// CHECK-NOT: weft.fill_random
// CHECK: memref.copy %[[STATE]], %[[NEXT]]
// CHECK: call @weft_random_normal_pcg64_float64
// CHECK-NOT: weft.fill_random
// CHECK: return
func.func @f(%state: tensor<6xi64>) -> (tensor<5xf64>, tensor<6xi64>) {
  %empty = tensor.empty() : tensor<5xf64>
  %0:2 = "weft.fill_random"(%state, %empty) {algorithm = "pcg64", function = "normal", dtype = "float64"} : (tensor<6xi64>, tensor<5xf64>) -> (tensor<5xf64>, tensor<6xi64>)
  return %0#0, %0#1 : tensor<5xf64>, tensor<6xi64>
}
