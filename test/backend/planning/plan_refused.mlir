// RUN: not weft-opt %s --plan-buffers --split-input-file 2>&1 | filecheck %s

// Memory is planned once.
// CHECK: error: the memory of this function is planned
module attributes {weft.sites = []} {
func.func @f(%x: memref<4xf64>) attributes {weft.plan = {blocks = 0 : i64, calls = false, copies = 0 : i64, inputs = [tensor<4xf64>], on_heap = [], on_host = [], polls = false, results = [], sizes, workspace = 0 : i64, written = []}} {
  return
}
}

// -----

// CHECK: error: @g has no body, so that it is not known how it takes arrays
func.func private @g(%x: tensor<4xf64>) -> tensor<4xf64>
func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = call @g(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

// CHECK: error: the kernel @kernel_0 has no body
func.func private @kernel_0(%x: tensor<4xf64>) -> tensor<4xf64>
func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = call @kernel_0(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
