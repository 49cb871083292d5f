// RUN: weft-opt %s --convert-weft-to-linalg --split-input-file | filecheck %s

// Counters stay below extents and are not negative: elements are read and written where they say.
// CHECK-LABEL: func.func @kept_in_bounds
// CHECK: scf.for
// CHECK-NOT: arith.minsi
// CHECK-NOT: arith.maxsi
// CHECK-NOT: arith.select
// CHECK: tensor.extract %{{.*}}[%{{.*}}] : tensor<?xf64>
// CHECK-NOT: arith.minsi
// CHECK: tensor.insert
func.func @kept_in_bounds(%x: tensor<?xf64>) -> tensor<?xf64> {
  %zero = arith.constant 0 : index
  %step = arith.constant 1 : index
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %n = "weft.dim"(%x) {axis = 0 : i64} : (tensor<?xf64>) -> tensor<i64>
  %m = "weft.subtract"(%n, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %e = tensor.extract %m[] : tensor<i64>
  %upper = arith.index_cast %e : i64 to index
  %r = scf.for %k = %zero to %upper step %step iter_args(%a = %x) -> (tensor<?xf64>) {
    %c = arith.index_cast %k : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %j = "weft.add"(%i, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %v = "weft.gather"(%a, %j) {axes = array<i64: 0>, position = 0 : i64} : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %w = "weft.scatter"(%a, %v, %i) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<?xf64>, tensor<f64>, tensor<i64>) -> tensor<?xf64>
    scf.yield %w : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}

// -----

// Not so where an index may be negative, or one extent is not the other.
// CHECK-LABEL: func.func @may_leave
// CHECK: scf.for
// CHECK: arith.minsi
// CHECK: arith.maxsi
// CHECK: tensor.extract %{{.*}}[%{{.*}}] : tensor<?xf64>
// CHECK: arith.minsi
// CHECK: arith.maxsi
// CHECK: tensor.extract %{{.*}}[%{{.*}}] : tensor<?xf64>
func.func @may_leave(%x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<f64> {
  %zero = arith.constant 0 : index
  %step = arith.constant 1 : index
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %s = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %n = "weft.dim"(%x) {axis = 0 : i64} : (tensor<?xf64>) -> tensor<i64>
  %e = tensor.extract %n[] : tensor<i64>
  %upper = arith.index_cast %e : i64 to index
  %r = scf.for %k = %zero to %upper step %step iter_args(%a = %s) -> (tensor<f64>) {
    %c = arith.index_cast %k : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %j = "weft.subtract"(%i, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %v = "weft.gather"(%x, %j) {axes = array<i64: 0>, position = 0 : i64} : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %w = "weft.gather"(%y, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %t = "weft.add"(%v, %w) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    scf.yield %t : tensor<f64>
  }
  return %r : tensor<f64>
}
