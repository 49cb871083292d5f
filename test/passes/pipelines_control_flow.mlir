// RUN: weft-opt %s --weft-optimize --split-input-file | filecheck %s
// RUN: weft-opt %s --weft-optimize --weft-to-linalg --split-input-file | filecheck %s --check-prefix=LINALG
// RUN: weft-opt %s --canonicalize --split-input-file | filecheck %s --check-prefix=UPSTREAM

// A branch whose condition is known goes, and what it was computed from; a branch that chooses between tensors stays
// one, so that nothing is computed for nothing.
// CHECK-LABEL: func.func @decided
// CHECK-NEXT: %[[N:.*]] = "weft.negative"(%arg0)
// CHECK-NEXT: return %[[N]]
func.func @decided(%x: tensor<?xf64>) -> tensor<?xf64> {
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %two = "weft.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %c = "weft.less"(%one, %two) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %b = tensor.extract %c[] : tensor<i1>
  %r = scf.if %b -> (tensor<?xf64>) {
    %n = "weft.negative"(%x) : (tensor<?xf64>) -> tensor<?xf64>
    scf.yield %n : tensor<?xf64>
  } else {
    scf.yield %x : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}

// -----

// CHECK-LABEL: func.func @chosen
// CHECK: scf.if
// LINALG-LABEL: func.func @chosen
// LINALG: scf.if
// LINALG-NOT: arith.select
func.func @chosen(%c: tensor<i1>, %x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %b = tensor.extract %c[] : tensor<i1>
  %r = scf.if %b -> (tensor<?xf64>) {
    scf.yield %x : tensor<?xf64>
  } else {
    scf.yield %y : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}

// -----

// What a loop carries without changing it is not carried.
// CHECK-LABEL: func.func @carried_for_nothing
// LINALG-LABEL: func.func @carried_for_nothing
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %arg1) -> (tensor<3xf64>)
// CHECK-NEXT: "weft.add"(%[[A]], %arg0)
func.func @carried_for_nothing(%x: tensor<3xf64>, %y: tensor<3xf64>, %n: index) -> tensor<3xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %y, %b = %x) -> (tensor<3xf64>, tensor<3xf64>) {
    %s = "weft.add"(%a, %b) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    scf.yield %s, %b : tensor<3xf64>, tensor<3xf64>
  }
  return %r#0 : tensor<3xf64>
}

// -----

// Indices that a loop keeps in bounds need no checks; without them, the loop carries the argument that it writes.
// CHECK-LABEL: func.func @running_sum
// CHECK: %[[X:.*]] = "weft.read_ref"(%arg0)
// CHECK-NOT: weft.raise_if
// CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[X]]) -> (tensor<?xf64>)
// CHECK: "weft.write_ref"(%arg0, %[[R]])
func.func @running_sum(%ref: !weft.ref<tensor<?xf64>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = "weft.read_ref"(%ref) : (!weft.ref<tensor<?xf64>>) -> tensor<?xf64>
  %1 = "weft.dim"(%0) {axis = 0 : i64} : (tensor<?xf64>) -> tensor<i64>
  %2 = tensor.extract %1[] : tensor<i64>
  %3 = arith.index_cast %2 : i64 to index
  scf.for %i = %c0 to %3 step %c1 {
    %4 = arith.index_cast %i : index to i64
    %5 = tensor.from_elements %4 : tensor<i64>
    %6 = "weft.read_ref"(%ref) : (!weft.ref<tensor<?xf64>>) -> tensor<?xf64>
    %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
    %7 = "weft.subtract"(%5, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %8 = "weft.dim"(%6) {axis = 0 : i64} : (tensor<?xf64>) -> tensor<i64>
    %9:2 = "weft.find_out_of_bounds"(%7, %8) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
    "weft.raise_if"(%9#0, %9#1, %8) {error = "IndexError", message = "{0} {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
    %10 = "weft.gather"(%6, %7) {axes = array<i64: 0>, position = 0 : i64} : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %11:2 = "weft.find_out_of_bounds"(%5, %8) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
    "weft.raise_if"(%11#0, %11#1, %8) {error = "IndexError", message = "{0} {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
    %12 = "weft.scatter"(%6, %10, %5) {axes = array<i64: 0>, mode = "add", position = 0 : i64} : (tensor<?xf64>, tensor<f64>, tensor<i64>) -> tensor<?xf64>
    "weft.write_ref"(%ref, %12) : (!weft.ref<tensor<?xf64>>, tensor<?xf64>) -> ()
  }
  return
}

// -----

// A loop carries what changes its size as such, although it begins with 8 elements; upstream's canonicalization carries
// the static type, which is wrong from the second iteration on.
// CHECK-LABEL: func.func @grows
// CHECK: scf.for {{.*}} -> (tensor<?xf64>)
// CHECK-NOT: to tensor<8xf64>
// UPSTREAM-LABEL: func.func @grows
// UPSTREAM: scf.for {{.*}} -> (tensor<8xf64>)
// UPSTREAM: tensor.cast %{{.*}} : tensor<?xf64> to tensor<8xf64>
func.func @grows(%x: tensor<8xf64>, %n: index) -> tensor<?xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = tensor.cast %x : tensor<8xf64> to tensor<?xf64>
  %r = scf.for %k = %zero to %n step %one iter_args(%a = %start) -> (tensor<?xf64>) {
    %more = "weft.concat"(%a, %a) {axis = 0 : i64} : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    scf.yield %more : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}
