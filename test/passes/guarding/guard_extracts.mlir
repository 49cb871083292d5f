// RUN: weft-opt %s --guard-extracts --split-input-file | filecheck %s

// An index that nothing bounds is checked in front of the read, on each axis.
// CHECK-LABEL: func.func @unknown
// CHECK: weft.less
// CHECK: weft.greater_equal
// CHECK: "weft.raise_if"({{.*}}) {error = "IndexError", message = "index {0} is out of bounds for axis 0 with size {1}"}
// CHECK: "weft.raise_if"({{.*}}) {error = "IndexError", message = "index {0} is out of bounds for axis 1 with size {1}"}
// CHECK: tensor.extract
func.func @unknown(%a: tensor<?x4xf64>, %it: tensor<i64>) -> tensor<f64> {
  %word = tensor.extract %it[] : tensor<i64>
  %i = arith.index_cast %word : i64 to index
  %x = tensor.extract %a[%i, %i] : tensor<?x4xf64>
  %r = tensor.from_elements %x : tensor<f64>
  return %r : tensor<f64>
}

// -----

// A constant outside of the array is checked.
// CHECK-LABEL: func.func @outside
// CHECK: weft.raise_if
// CHECK: tensor.extract
func.func @outside(%a: tensor<4xf64>) -> tensor<f64> {
  %i = arith.constant 100000 : index
  %x = tensor.extract %a[%i] : tensor<4xf64>
  %r = tensor.from_elements %x : tensor<f64>
  return %r : tensor<f64>
}

// -----

// One inside of it is not, nor are arrays without axes.
// CHECK-LABEL: func.func @inside
// CHECK-NOT: weft.raise_if
// CHECK: return
func.func @inside(%a: tensor<4xf64>, %b: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %i = arith.constant 3 : index
  %x = tensor.extract %a[%i] : tensor<4xf64>
  %r = tensor.from_elements %x : tensor<f64>
  %y = tensor.extract %b[] : tensor<f64>
  %s = tensor.from_elements %y : tensor<f64>
  return %r, %s : tensor<f64>, tensor<f64>
}
