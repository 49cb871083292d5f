// RUN: not weft-opt %s --split-input-file 2>&1 | filecheck %s

// CHECK: 'weft.solve' op extents of solve that must agree are 3 and 4
func.func @square(%a: tensor<3x4xf64>, %b: tensor<3x2xf64>) {
  %0:2 = "weft.solve"(%a, %b) : (tensor<3x4xf64>, tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<i1>)
  return
}

// -----

// CHECK: 'weft.inv' op inv has no loop for int32
func.func @dtype(%a: tensor<3x3xi32>) {
  %0:2 = "weft.inv"(%a) : (tensor<3x3xi32>) -> (tensor<3x3xi32>, tensor<i1>)
  return
}

// -----

// CHECK: 'weft.det' op needs at least 2 axes, and f64[3] has 1
func.func @axes(%a: tensor<3xf64>) {
  %0 = "weft.det"(%a) : (tensor<3xf64>) -> tensor<f64>
  return
}

// -----

// CHECK: 'weft.solve' op the axes before the last 2 of f64[5,4,3,2] do not fit
func.func @stacks(%a: tensor<4x3x3xf64>, %b: tensor<5x4x3x2xf64>) {
  %0:2 = "weft.solve"(%a, %b) : (tensor<4x3x3xf64>, tensor<5x4x3x2xf64>) -> (tensor<4x3x2xf64>, tensor<i1>)
  return
}

// -----

// CHECK: 'weft.call_loop' op os.system is no ufunc of numpy or scipy
func.func @foreign(%a: tensor<3xf64>) {
  %0:2 = "weft.call_loop"(%a, %a) {function = "os.system", loop = "d->d", updated = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<i64>)
  return
}

// -----

// CHECK: 'weft.call_loop' op weft.call_loop of numpy.sin takes 2 arguments, not 1
func.func @count(%a: tensor<3xf64>) {
  %0:2 = "weft.call_loop"(%a) {function = "numpy.sin", loop = "d->d", updated = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<3xf64>) -> (tensor<3xf64>, tensor<i64>)
  return
}

// -----

// CHECK: 'weft.call_loop' op numpy.sin has no loop d->f
func.func @loop(%a: tensor<3xf64>) {
  %0:2 = "weft.call_loop"(%a, %a) {function = "numpy.sin", loop = "d->f", updated = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<i64>)
  return
}

// -----

// CHECK: 'weft.call_loop' op there is no ufunc numpy.nothing
func.func @missing(%a: tensor<3xf64>) {
  %0:2 = "weft.call_loop"(%a, %a) {function = "numpy.nothing", loop = "d->d", updated = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<i64>)
  return
}

// -----

// CHECK: 'weft.call_library' op there is no routine cusolver.nothing of a device
func.func @routine(%a: tensor<3xf64>) {
  %0:2 = "weft.call_library"(%a) {routine = "cusolver.nothing", updated = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<3xf64>) -> (tensor<3xf64>, tensor<i64>)
  return
}

// -----

// CHECK: 'weft.call_library' op weft.call_library cannot write 2 of 1 arguments
func.func @written(%a: tensor<3x3xf64>) {
  %0:2 = "weft.call_library"(%a) {routine = "cusolver.cholesky_lo", updated = 2 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<i64>)
  return
}
