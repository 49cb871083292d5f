// RUN: not weft-opt %s --split-input-file --check-ranks 2>&1 | filecheck %s

// CHECK: all_reduce of all ranks is in a branch
func.func @branch(%x: tensor<f64>, %y: tensor<1xf64>) -> tensor<f64> {
  %i = arith.constant 0 : index
  %element = tensor.extract %y[%i] : tensor<1xf64>
  %limit = arith.constant 1.0 : f64
  %is_large = arith.cmpf ogt, %element, %limit : f64
  %r = scf.if %is_large -> (tensor<f64>) {
    %made = "weft.all_reduce"(%x) {reduction = "sum", over = ""} : (tensor<f64>) -> tensor<f64>
    scf.yield %made : tensor<f64>
  } else {
    scf.yield %x : tensor<f64>
  }
  return %r : tensor<f64>
}

// -----

// CHECK: barrier of all ranks is in a loop
func.func @loop(%x: tensor<f64>) -> tensor<f64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rank = "weft.rank"() {over = ""} : () -> tensor<i64>
  %word = tensor.extract %rank[] : tensor<i64>
  %count = arith.index_cast %word : i64 to index
  scf.for %i = %zero to %count step %one {
    "weft.rank_barrier"() {over = ""} : () -> ()
  }
  return %x : tensor<f64>
}

// -----

// CHECK: all_gather of all ranks is in a loop
func.func @until(%x: tensor<1xf64>) -> tensor<1xf64> {
  %i = arith.constant 0 : index
  %limit = arith.constant 1.0 : f64
  %r = scf.while (%c = %x) : (tensor<1xf64>) -> tensor<1xf64> {
    %element = tensor.extract %c[%i] : tensor<1xf64>
    %more = arith.cmpf ogt, %element, %limit : f64
    scf.condition(%more) %c : tensor<1xf64>
  } do {
  ^bb0(%c: tensor<1xf64>):
    %all = "weft.all_gather"(%c) {over = "", count = 3 : i64} : (tensor<1xf64>) -> tensor<3x1xf64>
    %next = "weft.multiply"(%c, %c) : (tensor<1xf64>, tensor<1xf64>) -> tensor<1xf64>
    scf.yield %next : tensor<1xf64>
  }
  return %r : tensor<1xf64>
}

// -----

// CHECK: the gradient goes through all_reduce
func.func @unknown(%p: tensor<2xf64>, %x: tensor<2xf64>) -> tensor<2xf64> {
  %w = "weft.independent"(%p) {number = 1 : i64, tape = 0 : i64} : (tensor<2xf64>) -> tensor<2xf64>
  %y = "weft.multiply"(%w, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %s = "weft.all_reduce"(%y) {reduction = "sum", over = ""} : (tensor<2xf64>) -> tensor<2xf64>
  %g = "weft.gradient"(%s, %s, %w) : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %g : tensor<2xf64>
}

// -----

// CHECK: all_reduce of a gradient by what is the same on all ranks
func.func @twice(%p: tensor<2xf64>, %x: tensor<2xf64>) -> tensor<2xf64> {
  %r = "weft.replicated"(%p) {over = ""} : (tensor<2xf64>) -> tensor<2xf64>
  %w = "weft.independent"(%r) {number = 1 : i64, tape = 0 : i64} : (tensor<2xf64>) -> tensor<2xf64>
  %y = "weft.multiply"(%w, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %g = "weft.gradient"(%y, %y, %w) : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %s = "weft.all_reduce"(%g) {reduction = "sum", over = ""} : (tensor<2xf64>) -> tensor<2xf64>
  return %s : tensor<2xf64>
}
