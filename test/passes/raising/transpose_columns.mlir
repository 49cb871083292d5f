// RUN: weft-opt %s --transpose-columns --split-input-file | filecheck %s
// RUN: weft-opt %s --transpose-columns --mlir-pass-statistics --split-input-file -o %t 2>&1 | filecheck %s --check-prefix=STATISTICS

// STATISTICS: transpose-columns
// STATISTICS: (S) 4 tensors transposed

// A recurrence from column to column: rows of what the loop carries, and of what it reads.
// CHECK-LABEL: func.func @recurrence
// CHECK-SAME: (%[[X:.*]]: tensor<64x96xf64>, %[[F:.*]]: tensor<64x96xf64>)
// CHECK-DAG: %[[T:.*]] = "weft.transpose"(%[[X]]) {permutation = array<i64: 1, 0>} : (tensor<64x96xf64>) -> tensor<96x64xf64>
// CHECK-DAG: %[[G:.*]] = "weft.transpose"(%[[F]]) {permutation = array<i64: 1, 0>}
// CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[A:.*]] = %[[T]]) -> (tensor<96x64xf64>)
// CHECK: "weft.gather"(%[[A]], %{{.*}}) {axes = array<i64: 0>, position = 0 : i64} : (tensor<96x64xf64>, tensor<i64>) -> tensor<64xf64>
// CHECK: "weft.gather"(%[[G]], %{{.*}}) {axes = array<i64: 0>
// CHECK: "weft.scatter"(%[[A]], %{{.*}}) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<96x64xf64>, tensor<64xf64>, tensor<i64>) -> tensor<96x64xf64>
// CHECK: %[[B:.*]] = "weft.transpose"(%[[R]]) {permutation = array<i64: 1, 0>} : (tensor<96x64xf64>) -> tensor<64x96xf64>
// CHECK: return %[[B]]
func.func @recurrence(%x: tensor<64x96xf64>, %f: tensor<64x96xf64>) -> tensor<64x96xf64> {
  %one = arith.constant 1 : index
  %end = arith.constant 96 : index
  %r = scf.for %j = %one to %end step %one iter_args(%a = %x) -> tensor<64x96xf64> {
    %c = arith.index_cast %j : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %before = "weft.gather"(%a, %i) {axes = array<i64: 1>, position = 0 : i64} : (tensor<64x96xf64>, tensor<i64>) -> tensor<64xf64>
    %factor = "weft.gather"(%f, %i) {axes = array<i64: 1>, position = 0 : i64} : (tensor<64x96xf64>, tensor<i64>) -> tensor<64xf64>
    %v = "weft.multiply"(%before, %factor) : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
    %w = "weft.scatter"(%a, %v, %i) {axes = array<i64: 1>, mode = "set", position = 0 : i64} : (tensor<64x96xf64>, tensor<64xf64>, tensor<i64>) -> tensor<64x96xf64>
    scf.yield %w : tensor<64x96xf64>
  }
  return %r : tensor<64x96xf64>
}

// -----

// A loop in a loop: what the outer one does between is done to the tensor transposed, which the outer one carries.
// CHECK-LABEL: func.func @sweeps
// CHECK: %[[Z:.*]] = "weft.broadcast_to"(%{{.*}}) {shape = array<i64: 40, 4, 30>}
// CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[A:.*]] = %[[Z]]) -> (tensor<40x4x30xf64>)
// CHECK: %[[E:.*]] = "weft.transpose"(%{{.*}}) {permutation = array<i64: 2, 0, 1>} : (tensor<4x30x1xf64>) -> tensor<1x4x30xf64>
// CHECK: %[[U:.*]] = "weft.slice_update"(%[[A]], %[[E]]) {start = array<i64: 0, 0, 0>, step = array<i64: 1, 1, 1>, stop = array<i64: 1, 4, 30>}
// CHECK: %[[I:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[U]])
// CHECK-NOT: weft.transpose
// CHECK: scf.yield %[[I]]
// CHECK: %[[S:.*]] = "weft.slice"(%[[R]]) {start = array<i64: 39, 0, 0>, step = array<i64: 1, 1, 1>, stop = array<i64: 40, 4, 30>} : (tensor<40x4x30xf64>) -> tensor<1x4x30xf64>
// CHECK: %[[B:.*]] = "weft.transpose"(%[[S]]) {permutation = array<i64: 1, 2, 0>} : (tensor<1x4x30xf64>) -> tensor<4x30x1xf64>
// CHECK: return %[[B]]
func.func @sweeps(%edge: tensor<4x30x1xf64>) -> tensor<4x30x1xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end = arith.constant 40 : index
  %nothing = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %x = "weft.broadcast_to"(%nothing) {shape = array<i64: 4, 30, 40>} : (tensor<f64>) -> tensor<4x30x40xf64>
  %r = scf.for %t = %zero to %end step %one iter_args(%o = %x) -> tensor<4x30x40xf64> {
    %u = "weft.slice_update"(%o, %edge) {start = array<i64: 0, 0, 0>, stop = array<i64: 4, 30, 1>, step = array<i64: 1, 1, 1>} : (tensor<4x30x40xf64>, tensor<4x30x1xf64>) -> tensor<4x30x40xf64>
    %s = scf.for %j = %one to %end step %one iter_args(%a = %u) -> tensor<4x30x40xf64> {
      %c = arith.index_cast %j : index to i64
      %i = tensor.from_elements %c : tensor<i64>
      %before = "weft.gather"(%a, %i) {axes = array<i64: 2>, position = 0 : i64} : (tensor<4x30x40xf64>, tensor<i64>) -> tensor<4x30xf64>
      %v = "weft.negative"(%before) : (tensor<4x30xf64>) -> tensor<4x30xf64>
      %w = "weft.scatter"(%a, %v, %i) {axes = array<i64: 2>, mode = "set", position = 0 : i64} : (tensor<4x30x40xf64>, tensor<4x30xf64>, tensor<i64>) -> tensor<4x30x40xf64>
      scf.yield %w : tensor<4x30x40xf64>
    }
    scf.yield %s : tensor<4x30x40xf64>
  }
  %last = "weft.slice"(%r) {start = array<i64: 0, 0, 39>, stop = array<i64: 4, 30, 40>, step = array<i64: 1, 1, 1>} : (tensor<4x30x40xf64>) -> tensor<4x30x1xf64>
  return %last : tensor<4x30x1xf64>
}

// -----

// Rows are read, too: the tensor stays as it is.
// CHECK-LABEL: func.func @rows_and_columns
// CHECK-NOT: weft.transpose
func.func @rows_and_columns(%x: tensor<96x96xf64>) -> tensor<96x96xf64> {
  %one = arith.constant 1 : index
  %end = arith.constant 96 : index
  %r = scf.for %j = %one to %end step %one iter_args(%a = %x) -> tensor<96x96xf64> {
    %c = arith.index_cast %j : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %row = "weft.gather"(%a, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<96x96xf64>, tensor<i64>) -> tensor<96xf64>
    %column = "weft.gather"(%a, %i) {axes = array<i64: 1>, position = 0 : i64} : (tensor<96x96xf64>, tensor<i64>) -> tensor<96xf64>
    %v = "weft.add"(%row, %column) : (tensor<96xf64>, tensor<96xf64>) -> tensor<96xf64>
    %w = "weft.scatter"(%a, %v, %i) {axes = array<i64: 1>, mode = "set", position = 0 : i64} : (tensor<96x96xf64>, tensor<96xf64>, tensor<i64>) -> tensor<96x96xf64>
    scf.yield %w : tensor<96x96xf64>
  }
  return %r : tensor<96x96xf64>
}

// -----

// Two columns of ninety-six, small tensors, and two tensors that change places: nothing pays, or is known.
// CHECK-LABEL: func.func @few
// CHECK-NOT: weft.transpose
func.func @few(%x: tensor<96x96xf64>, %small: tensor<4x8xf64>, %y: tensor<96x96xf64>) -> (tensor<96xf64>, tensor<4xf64>, tensor<96x96xf64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %end = arith.constant 96 : index
  %eight = arith.constant 8 : index
  %s = "weft.constant"() {value = dense<0.0> : tensor<96xf64>} : () -> tensor<96xf64>
  %r = scf.for %j = %zero to %two step %one iter_args(%a = %s) -> tensor<96xf64> {
    %c = arith.index_cast %j : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %column = "weft.gather"(%x, %i) {axes = array<i64: 1>, position = 0 : i64} : (tensor<96x96xf64>, tensor<i64>) -> tensor<96xf64>
    %v = "weft.add"(%a, %column) : (tensor<96xf64>, tensor<96xf64>) -> tensor<96xf64>
    scf.yield %v : tensor<96xf64>
  }
  %s4 = "weft.constant"() {value = dense<0.0> : tensor<4xf64>} : () -> tensor<4xf64>
  %q = scf.for %j = %zero to %eight step %one iter_args(%a = %s4) -> tensor<4xf64> {
    %c = arith.index_cast %j : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %column = "weft.gather"(%small, %i) {axes = array<i64: 1>, position = 0 : i64} : (tensor<4x8xf64>, tensor<i64>) -> tensor<4xf64>
    %v = "weft.add"(%a, %column) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    scf.yield %v : tensor<4xf64>
  }
  %p:2 = scf.for %j = %zero to %end step %one iter_args(%a = %y, %b = %x) -> (tensor<96x96xf64>, tensor<96x96xf64>) {
    %c = arith.index_cast %j : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %column = "weft.gather"(%a, %i) {axes = array<i64: 1>, position = 0 : i64} : (tensor<96x96xf64>, tensor<i64>) -> tensor<96xf64>
    %w = "weft.scatter"(%b, %column, %i) {axes = array<i64: 1>, mode = "set", position = 0 : i64} : (tensor<96x96xf64>, tensor<96xf64>, tensor<i64>) -> tensor<96x96xf64>
    scf.yield %w, %a : tensor<96x96xf64>, tensor<96x96xf64>
  }
  return %r, %q, %p#0 : tensor<96xf64>, tensor<4xf64>, tensor<96x96xf64>
}
