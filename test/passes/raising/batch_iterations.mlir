// RUN: weft-opt %s --batch-iterations --cse --canonicalize --split-input-file | filecheck %s
// RUN: weft-opt %s --batch-iterations --mlir-pass-statistics --split-input-file -o %t 2>&1 | filecheck %s --check-prefix=STATISTICS

// STATISTICS: batch-iterations
// STATISTICS: (S) 3 loops over columns replaced

// All columns of an array times a vector: a product with the array.
// CHECK-LABEL: func.func @products
// CHECK-SAME: (%[[M:.*]]: tensor<4x10xf64>, %[[V:.*]]: tensor<4xf64>, %[[X:.*]]: tensor<10xf64>)
// CHECK-NOT: scf.for
// CHECK: %[[R:.*]] = "weft.contract"(%[[V]], %[[M]]) {spec = "a,ab->b"} : (tensor<4xf64>, tensor<4x10xf64>) -> tensor<10xf64>
// CHECK: return %[[R]]
func.func @products(%m: tensor<4x10xf64>, %v: tensor<4xf64>, %x: tensor<10xf64>) -> tensor<10xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ten = arith.constant 10 : index
  %r = scf.for %j = %zero to %ten step %one iter_args(%a = %x) -> tensor<10xf64> {
    %c = arith.index_cast %j : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %column = "weft.gather"(%m, %i) {axes = array<i64: 1>, position = 0 : i64} : (tensor<4x10xf64>, tensor<i64>) -> tensor<4xf64>
    %sum = "weft.contract"(%v, %column) {spec = "a,a->"} : (tensor<4xf64>, tensor<4xf64>) -> tensor<f64>
    %w = "weft.scatter"(%a, %sum, %i) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<10xf64>, tensor<f64>, tensor<i64>) -> tensor<10xf64>
    scf.yield %w : tensor<10xf64>
  }
  return %r : tensor<10xf64>
}

// -----

// Some columns, each less a vector times an element of it: what is the same for all gets an axis for the lanes. There may
// be no iteration at all.
// CHECK-LABEL: func.func @some
// CHECK-SAME: (%[[A:.*]]: tensor<4x10xf64>, %[[V:.*]]: tensor<4xf64>, %{{.*}}: tensor<i64>)
// CHECK: arith.maxsi
// CHECK: %[[COLUMNS:.*]] = "weft.dynamic_slice"(%[[A]], %[[FIRST:.*]], %[[BEHIND:.*]]) {{.*}} -> tensor<4x?xf64>
// CHECK: %[[ROW:.*]] = "weft.gather"(%[[A]], %[[TWO:.*]]) {axes = array<i64: 0>
// CHECK: %[[FACTORS:.*]] = "weft.dynamic_slice"(%[[ROW]], %[[FIRST]], %[[BEHIND]]) {{.*}} -> tensor<?xf64>
// CHECK: %[[TALL:.*]] = "weft.expand_dims"(%[[V]]) {axes = array<i64: 1>}
// CHECK: %[[PRODUCTS:.*]] = "weft.multiply"(%[[TALL]], %[[FACTORS]]) : (tensor<4x1xf64>, tensor<?xf64>) -> tensor<4x?xf64>
// CHECK: %[[LESS:.*]] = "weft.subtract"(%[[COLUMNS]], %[[PRODUCTS]])
// CHECK: %[[R:.*]] = "weft.dynamic_slice_update"(%[[A]], %[[LESS]], %[[FIRST]], %[[BEHIND]])
// CHECK: return %[[R]]
func.func @some(%x: tensor<4x10xf64>, %v: tensor<4xf64>, %n: tensor<i64>) -> tensor<4x10xf64> {
  %number = tensor.extract %n[] : tensor<i64>
  %end = arith.index_cast %number : i64 to index
  %three = arith.constant 3 : index
  %one = arith.constant 1 : index
  %two = "weft.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %r = scf.for %j = %three to %end step %one iter_args(%a = %x) -> tensor<4x10xf64> {
    %c = arith.index_cast %j : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %column = "weft.gather"(%a, %i) {axes = array<i64: 1>, position = 0 : i64} : (tensor<4x10xf64>, tensor<i64>) -> tensor<4xf64>
    %factor = "weft.gather"(%a, %two, %i) {axes = array<i64: 0, 1>, position = 0 : i64} : (tensor<4x10xf64>, tensor<i64>, tensor<i64>) -> tensor<f64>
    %product = "weft.multiply"(%v, %factor) : (tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
    %less = "weft.subtract"(%column, %product) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %w = "weft.scatter"(%a, %less, %i) {axes = array<i64: 1>, mode = "set", position = 0 : i64} : (tensor<4x10xf64>, tensor<4xf64>, tensor<i64>) -> tensor<4x10xf64>
    scf.yield %w : tensor<4x10xf64>
  }
  return %r : tensor<4x10xf64>
}

// -----

// A part of a row that all read, in front of the columns that are written.
// CHECK-LABEL: func.func @apart
// CHECK-NOT: scf.for
// CHECK: "weft.contract"({{.*}}) {spec = "a,ab->b"} : (tensor<?xf64>, tensor<?x7xf64>) -> tensor<7xf64>
func.func @apart(%x: tensor<10x10xf64>) -> tensor<10x10xf64> {
  %three = arith.constant 3 : index
  %one = arith.constant 1 : index
  %ten = arith.constant 10 : index
  %p = "weft.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %r = scf.for %j = %three to %ten step %one iter_args(%a = %x) -> tensor<10x10xf64> {
    %c = arith.index_cast %j : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %row = "weft.gather"(%a, %p) {axes = array<i64: 0>, position = 0 : i64} : (tensor<10x10xf64>, tensor<i64>) -> tensor<10xf64>
    %left = "weft.dynamic_slice"(%row, %p) {start = array<i64: 0>, start_axes = array<i64>, step = array<i64: 1>, stop = array<i64: 0>, stop_axes = array<i64: 0>} : (tensor<10xf64>, tensor<i64>) -> tensor<?xf64>
    %column = "weft.gather"(%a, %i) {axes = array<i64: 1>, position = 0 : i64} : (tensor<10x10xf64>, tensor<i64>) -> tensor<10xf64>
    %above = "weft.dynamic_slice"(%column, %p) {start = array<i64: 0>, start_axes = array<i64>, step = array<i64: 1>, stop = array<i64: 0>, stop_axes = array<i64: 0>} : (tensor<10xf64>, tensor<i64>) -> tensor<?xf64>
    %sum = "weft.contract"(%left, %above) {spec = "a,a->"} : (tensor<?xf64>, tensor<?xf64>) -> tensor<f64>
    %w = "weft.scatter"(%a, %sum, %p, %i) {axes = array<i64: 0, 1>, mode = "set", position = 0 : i64} : (tensor<10x10xf64>, tensor<f64>, tensor<i64>, tensor<i64>) -> tensor<10x10xf64>
    scf.yield %w : tensor<10x10xf64>
  }
  return %r : tensor<10x10xf64>
}

// -----

// An iteration reads the column that the one before wrote.
// CHECK-LABEL: func.func @recurrence
// CHECK: scf.for
func.func @recurrence(%x: tensor<4x10xf64>) -> tensor<4x10xf64> {
  %one = arith.constant 1 : index
  %ten = arith.constant 10 : index
  %back = "weft.constant"() {value = dense<-1> : tensor<i64>} : () -> tensor<i64>
  %r = scf.for %j = %one to %ten step %one iter_args(%a = %x) -> tensor<4x10xf64> {
    %c = arith.index_cast %j : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %h = "weft.add"(%i, %back) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %column = "weft.gather"(%a, %i) {axes = array<i64: 1>, position = 0 : i64} : (tensor<4x10xf64>, tensor<i64>) -> tensor<4xf64>
    %before = "weft.gather"(%a, %h) {axes = array<i64: 1>, position = 0 : i64} : (tensor<4x10xf64>, tensor<i64>) -> tensor<4xf64>
    %sum = "weft.add"(%column, %before) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %w = "weft.scatter"(%a, %sum, %i) {axes = array<i64: 1>, mode = "set", position = 0 : i64} : (tensor<4x10xf64>, tensor<4xf64>, tensor<i64>) -> tensor<4x10xf64>
    scf.yield %w : tensor<4x10xf64>
  }
  return %r : tensor<4x10xf64>
}

// -----

// All read a row that all write to.
// CHECK-LABEL: func.func @shared_row
// CHECK: scf.for
func.func @shared_row(%x: tensor<10x10xf64>, %v: tensor<10xf64>) -> tensor<10x10xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ten = arith.constant 10 : index
  %p = "weft.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %r = scf.for %j = %zero to %ten step %one iter_args(%a = %x) -> tensor<10x10xf64> {
    %c = arith.index_cast %j : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %row = "weft.gather"(%a, %p) {axes = array<i64: 0>, position = 0 : i64} : (tensor<10x10xf64>, tensor<i64>) -> tensor<10xf64>
    %sum = "weft.contract"(%row, %v) {spec = "a,a->"} : (tensor<10xf64>, tensor<10xf64>) -> tensor<f64>
    %w = "weft.scatter"(%a, %sum, %p, %i) {axes = array<i64: 0, 1>, mode = "set", position = 0 : i64} : (tensor<10x10xf64>, tensor<f64>, tensor<i64>, tensor<i64>) -> tensor<10x10xf64>
    scf.yield %w : tensor<10x10xf64>
  }
  return %r : tensor<10x10xf64>
}

// -----

// Rows: lanes would be apart in memory.
// CHECK-LABEL: func.func @rows
// CHECK: scf.for
func.func @rows(%m: tensor<10x4xf64>, %v: tensor<4xf64>, %x: tensor<10xf64>) -> tensor<10xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ten = arith.constant 10 : index
  %r = scf.for %j = %zero to %ten step %one iter_args(%a = %x) -> tensor<10xf64> {
    %c = arith.index_cast %j : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %row = "weft.gather"(%m, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<10x4xf64>, tensor<i64>) -> tensor<4xf64>
    %sum = "weft.contract"(%v, %row) {spec = "a,a->"} : (tensor<4xf64>, tensor<4xf64>) -> tensor<f64>
    %w = "weft.scatter"(%a, %sum, %i) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<10xf64>, tensor<f64>, tensor<i64>) -> tensor<10xf64>
    scf.yield %w : tensor<10xf64>
  }
  return %r : tensor<10xf64>
}
