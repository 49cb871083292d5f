// RUN: weft-opt %s --verify-diagnostics --convert-weft-to-linalg --plan-buffers
// What a pass finds wrong is shown at the line of the op, also where it is no diagnostic of MLIR's.

func.func @left_outside(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{linalg.generic on tensors is left outside of kernels}}
  %r = "weft.add"(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
