// RUN: weft-opt %s --remove-repeated-checks --split-input-file | filecheck %s

// A check that went by goes by again, in regions, too.
// CHECK-LABEL: func.func @repeated
// CHECK-COUNT-1: weft.raise_if
// CHECK: scf.for
// CHECK-NOT: weft.raise_if
// CHECK: return
func.func @repeated(%c: tensor<i1>, %nt: tensor<i64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ns = tensor.extract %nt[] : tensor<i64>
  %n = arith.index_cast %ns : i64 to index
  "weft.raise_if"(%c) {error = "ValueError", message = "first"} : (tensor<i1>) -> ()
  scf.for %k = %zero to %n step %one {
    "weft.raise_if"(%c) {error = "ValueError", message = "second"} : (tensor<i1>) -> ()
  }
  "weft.raise_if"(%c) {error = "ValueError", message = "third"} : (tensor<i1>) -> ()
  return
}

// -----

// A check in a branch may not have been made; another condition is another check.
// CHECK-LABEL: func.func @may_not_run
// CHECK-COUNT-3: weft.raise_if
func.func @may_not_run(%c: tensor<i1>, %d: tensor<i1>, %e: tensor<i1>) {
  %b = tensor.extract %e[] : tensor<i1>
  scf.if %b {
    "weft.raise_if"(%c) {error = "ValueError", message = "first"} : (tensor<i1>) -> ()
  }
  "weft.raise_if"(%c) {error = "ValueError", message = "second"} : (tensor<i1>) -> ()
  "weft.raise_if"(%d) {error = "ValueError", message = "third"} : (tensor<i1>) -> ()
  return
}
