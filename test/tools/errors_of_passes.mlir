// RUN: weft-opt %s --verify-diagnostics --split-input-file --convert-weft-to-linalg --check-names --plan-buffers
// What a pass finds wrong is shown at the line of the op, also where it is no diagnostic of MLIR's.

func.func @left_outside(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{linalg.generic on tensors is left outside of kernels}}
  %r = "weft.add"(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// expected-error @+1 {{a function cannot be called kernel_0, which is the name of a function that compiled code calls}}
func.func @kernel_0(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

// -----

// expected-error @+1 {{tensor<2xindex> is not a type of the weft dialect}}
func.func @not_of_weft(%a: tensor<2xindex>) -> tensor<2xindex> {
  return %a : tensor<2xindex>
}

// -----

func.func @in_lanes(%a: tensor<4xf32>) -> tensor<f32> {
  // expected-error @+1 {{run --weft-batch before --convert-weft-to-linalg}}
  %r = "weft.lane"(%a) {axis = 0 : i64, number = 1 : i64} : (tensor<4xf32>) -> tensor<f32>
  return %r : tensor<f32>
}
