// RUN: weft-opt %s --hoist-checks --split-input-file | filecheck %s

// Where the loop runs, the check is made once, and the sum that relies on it is made once.
// CHECK-LABEL: func.func @invariant
// CHECK-SAME: (%[[X:.*]]: tensor<?xf64>, %[[Y:.*]]: tensor<?xf64>, %[[N:.*]]: tensor<i64>)
// CHECK: "weft.less"
// CHECK: scf.if
// CHECK: weft.raise_if
// CHECK: "weft.add"(%[[X]], %[[Y]])
// CHECK: scf.for
// CHECK-NOT: weft.raise_if
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[X]]
func.func @invariant(%x: tensor<?xf64>, %y: tensor<?xf64>, %nt: tensor<i64>) -> tensor<?xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ns = tensor.extract %nt[] : tensor<i64>
  %n = arith.index_cast %ns : i64 to index
  %d = "weft.dim"(%x) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
  %e = "weft.dim"(%y) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
  %r = scf.for %k = %zero to %n step %one iter_args(%a = %x) -> tensor<?xf64> {
    %c = "weft.not_equal"(%d, %e) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "weft.raise_if"(%c, %d, %e) {error = "ValueError", message = "{0} and {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
    %0 = "weft.add"(%x, %y) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %1 = "weft.exp"(%0) : (tensor<?xf64>) -> tensor<?xf64>
    scf.yield %1 : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}

// -----

// What a caller sees of the first iteration before the check must still be seen, and a changing check stays.
// CHECK-LABEL: func.func @later
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK: weft.write_ref
// CHECK: weft.raise_if
func.func @later(%ref: !weft.ref<tensor<f64>>, %x: tensor<f64>, %c: tensor<i1>, %nt: tensor<i64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ns = tensor.extract %nt[] : tensor<i64>
  %n = arith.index_cast %ns : i64 to index
  scf.for %k = %zero to %n step %one {
    "weft.write_ref"(%ref, %x) : (!weft.ref<tensor<f64>>, tensor<f64>) -> ()
    "weft.raise_if"(%c) {error = "ValueError", message = "no"} : (tensor<i1>) -> ()
  }
  return
}

// CHECK-LABEL: func.func @changing
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK: weft.raise_if
func.func @changing(%x: tensor<i64>, %nt: tensor<i64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ns = tensor.extract %nt[] : tensor<i64>
  %n = arith.index_cast %ns : i64 to index
  scf.for %k = %zero to %n step %one {
    %i = arith.index_cast %k : index to i64
    %t = tensor.from_elements %i : tensor<i64>
    %c = "weft.equal"(%t, %x) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "weft.raise_if"(%c, %t) {error = "ValueError", message = "{0}"} : (tensor<i1>, tensor<i64>) -> ()
  }
  return
}
