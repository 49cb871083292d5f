// RUN: weft-opt %s --read-first | filecheck %s

// The old element is read in front of its update, with what its index is computed of.
// CHECK-LABEL: func.func @loop
// CHECK: arith.addi
// CHECK-NEXT: tensor.extract
// CHECK-NEXT: tensor.insert
func.func @loop(%p0: tensor<9xf64>, %v: f64, %n: index) -> (tensor<9xf64>, f64) {
  %zero = arith.constant 0.0 : f64
  %lower = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r:2 = scf.for %i = %lower to %n step %one iter_args(%p = %p0, %s = %zero) -> (tensor<9xf64>, f64) {
    %q = tensor.insert %v into %p[%i] : tensor<9xf64>
    %k = arith.addi %i, %one : index
    %old = tensor.extract %p[%k] : tensor<9xf64>
    %t = arith.addf %s, %old : f64
    scf.yield %q, %t : tensor<9xf64>, f64
  }
  return %r#0, %r#1 : tensor<9xf64>, f64
}

// What reads through a view moves with the view.
// CHECK-LABEL: func.func @view
// CHECK: tensor.extract_slice
// CHECK-NEXT: tensor.extract
// CHECK-NEXT: tensor.insert
func.func @view(%p0: tensor<9xf64>, %v: f64, %n: index) -> (tensor<9xf64>, f64) {
  %zero = arith.constant 0.0 : f64
  %lower = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r:2 = scf.for %i = %lower to %n step %one iter_args(%p = %p0, %s = %zero) -> (tensor<9xf64>, f64) {
    %q = tensor.insert %v into %p[%i] : tensor<9xf64>
    %w = tensor.extract_slice %p[1] [4] [1] : tensor<9xf64> to tensor<4xf64>
    %old = tensor.extract %w[%lower] : tensor<4xf64>
    scf.yield %q, %old : tensor<9xf64>, f64
  }
  return %r#0, %r#1 : tensor<9xf64>, f64
}

// A read that needs the result of the update stays behind it.
// CHECK-LABEL: func.func @needed
// CHECK: tensor.insert
// CHECK-NEXT: tensor.extract
// CHECK-NEXT: arith.fptosi
func.func @needed(%p0: tensor<9xf64>, %v: f64, %n: index) -> (tensor<9xf64>, f64) {
  %zero = arith.constant 0.0 : f64
  %lower = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r:2 = scf.for %i = %lower to %n step %one iter_args(%p = %p0, %s = %zero) -> (tensor<9xf64>, f64) {
    %q = tensor.insert %v into %p[%i] : tensor<9xf64>
    %new = tensor.extract %q[%i] : tensor<9xf64>
    %m = arith.fptosi %new : f64 to i64
    %k = arith.index_cast %m : i64 to index
    %old = tensor.extract %p[%k] : tensor<9xf64>
    scf.yield %q, %old : tensor<9xf64>, f64
  }
  return %r#0, %r#1 : tensor<9xf64>, f64
}

// Nothing moves over what may end the call.
// CHECK-LABEL: func.func @checked
// CHECK: tensor.insert
// CHECK-NEXT: weft.raise_if
// CHECK-NEXT: tensor.extract
func.func @checked(%p0: tensor<9xf64>, %v: f64, %n: index, %bad: tensor<i8>) -> (tensor<9xf64>, f64) {
  %zero = arith.constant 0.0 : f64
  %lower = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r:2 = scf.for %i = %lower to %n step %one iter_args(%p = %p0, %s = %zero) -> (tensor<9xf64>, f64) {
    %q = tensor.insert %v into %p[%i] : tensor<9xf64>
    "weft.raise_if"(%bad) {error = "ValueError", message = "bad"} : (tensor<i8>) -> ()
    %old = tensor.extract %p[%i] : tensor<9xf64>
    scf.yield %q, %old : tensor<9xf64>, f64
  }
  return %r#0, %r#1 : tensor<9xf64>, f64
}
