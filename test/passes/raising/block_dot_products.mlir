// RUN: weft-opt %s --block-dot-products --cse --split-input-file | filecheck %s
// RUN: weft-opt %s --block-dot-products --mlir-pass-statistics --split-input-file -o %t 2>&1 | filecheck %s --check-prefix=STATISTICS

// STATISTICS: block-dot-products
// STATISTICS: (S) 3 dot products computed in blocks

// Forward substitution: the sums of four rows up to the first iteration's diagonal, and one by one what the vector
// has gained since, as it was written.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: (%[[L:.*]]: tensor<10x10xf64>, %[[X:.*]]: tensor<10xf64>, %[[B:.*]]: tensor<10xf64>)
// CHECK: %[[BLOCKS:.*]] = scf.for %[[J:.*]] = %{{.*}} to %[[END:.*]] step %{{.*}} iter_args(%[[A:.*]] = %[[X]])
// CHECK: %[[SHARED:.*]] = "weft.dynamic_slice"(%[[A]],
// CHECK: %[[ROWS:.*]] = "weft.dynamic_slice"(%[[L]],
// CHECK: %[[FOUR:.*]] = tensor.cast %[[ROWS]] : tensor<?x?xf64> to tensor<4x?xf64>
// CHECK: %[[SUMS:.*]] = "weft.contract"(%[[FOUR]], %[[SHARED]]) {spec = "ab,b->a"}
// CHECK: "weft.gather"(%[[SUMS]],
// CHECK: %[[FIRST:.*]] = "weft.subtract"
// CHECK: "weft.scatter"(%[[A]], %[[FIRST]],
// CHECK: %[[SUM:.*]] = "weft.gather"(%[[SUMS]],
// CHECK: %[[GAINED:.*]] = "weft.gather"(%[[L]],
// CHECK: %[[PRODUCT:.*]] = "weft.multiply"(%[[GAINED]], %[[FIRST]])
// CHECK: "weft.add"(%[[SUM]], %[[PRODUCT]])
// CHECK-COUNT-3: "weft.scatter"
// CHECK: scf.for %{{.*}} = %[[END]] to %{{.*}} iter_args(%{{.*}} = %[[BLOCKS]])
// CHECK: "weft.contract"({{.*}}) {spec = "a,a->"}
func.func @forward(%l: tensor<10x10xf64>, %x: tensor<10xf64>, %b: tensor<10xf64>) -> tensor<10xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ten = arith.constant 10 : index
  %r = scf.for %j = %zero to %ten step %one iter_args(%a = %x) -> tensor<10xf64> {
    %c = arith.index_cast %j : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %row = "weft.gather"(%l, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<10x10xf64>, tensor<i64>) -> tensor<10xf64>
    %own = "weft.dynamic_slice"(%row, %i) {start = array<i64: 0>, start_axes = array<i64>, step = array<i64: 1>, stop = array<i64: 0>, stop_axes = array<i64: 0>} : (tensor<10xf64>, tensor<i64>) -> tensor<?xf64>
    %shared = "weft.dynamic_slice"(%a, %i) {start = array<i64: 0>, start_axes = array<i64>, step = array<i64: 1>, stop = array<i64: 0>, stop_axes = array<i64: 0>} : (tensor<10xf64>, tensor<i64>) -> tensor<?xf64>
    %sum = "weft.contract"(%own, %shared) {spec = "a,a->"} : (tensor<?xf64>, tensor<?xf64>) -> tensor<f64>
    %right = "weft.gather"(%b, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<10xf64>, tensor<i64>) -> tensor<f64>
    %v = "weft.subtract"(%right, %sum) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %w = "weft.scatter"(%a, %v, %i) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<10xf64>, tensor<f64>, tensor<i64>) -> tensor<10xf64>
    scf.yield %w : tensor<10xf64>
  }
  return %r : tensor<10xf64>
}

// -----

// All columns times one vector, which nothing changes: nothing is gained. There are not enough for two blocks of eight.
// CHECK-LABEL: func.func @columns
// CHECK: tensor.cast %{{.*}} : tensor<10x?xf64> to tensor<10x4xf64>
// CHECK: "weft.contract"({{.*}}) {spec = "ba,b->a"}
// CHECK-NOT: "weft.multiply"
func.func @columns(%l: tensor<10x10xf64>, %x: tensor<10xf64>, %b: tensor<10xf64>) -> tensor<10xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ten = arith.constant 10 : index
  %r = scf.for %j = %zero to %ten step %one iter_args(%a = %x) -> tensor<10xf64> {
    %c = arith.index_cast %j : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %column = "weft.gather"(%l, %i) {axes = array<i64: 1>, position = 0 : i64} : (tensor<10x10xf64>, tensor<i64>) -> tensor<10xf64>
    %sum = "weft.contract"(%b, %column) {spec = "a,a->"} : (tensor<10xf64>, tensor<10xf64>) -> tensor<f64>
    %w = "weft.scatter"(%a, %sum, %i) {axes = array<i64: 0>, mode = "add", position = 0 : i64} : (tensor<10xf64>, tensor<f64>, tensor<i64>) -> tensor<10xf64>
    scf.yield %w : tensor<10xf64>
  }
  return %r : tensor<10xf64>
}

// -----

// Of many columns, eight are taken at once.
// CHECK-LABEL: func.func @many_columns
// CHECK: tensor.cast %{{.*}} : tensor<10x?xf64> to tensor<10x8xf64>
func.func @many_columns(%l: tensor<10x40xf64>, %x: tensor<40xf64>, %b: tensor<10xf64>) -> tensor<40xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %forty = arith.constant 40 : index
  %r = scf.for %j = %zero to %forty step %one iter_args(%a = %x) -> tensor<40xf64> {
    %c = arith.index_cast %j : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %column = "weft.gather"(%l, %i) {axes = array<i64: 1>, position = 0 : i64} : (tensor<10x40xf64>, tensor<i64>) -> tensor<10xf64>
    %sum = "weft.contract"(%b, %column) {spec = "a,a->"} : (tensor<10xf64>, tensor<10xf64>) -> tensor<f64>
    %w = "weft.scatter"(%a, %sum, %i) {axes = array<i64: 0>, mode = "add", position = 0 : i64} : (tensor<40xf64>, tensor<f64>, tensor<i64>) -> tensor<40xf64>
    scf.yield %w : tensor<40xf64>
  }
  return %r : tensor<40xf64>
}

// -----

// The first iteration of a block would write what the second one reads.
// CHECK-LABEL: func.func @overwritten
// CHECK-NOT: ->a
// CHECK: return
func.func @overwritten(%l: tensor<10x10xf64>, %x: tensor<10xf64>) -> tensor<10xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ten = arith.constant 10 : index
  %r = scf.for %j = %zero to %ten step %one iter_args(%a = %x) -> tensor<10xf64> {
    %c = arith.index_cast %j : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %row = "weft.gather"(%l, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<10x10xf64>, tensor<i64>) -> tensor<10xf64>
    %sum = "weft.contract"(%row, %a) {spec = "a,a->"} : (tensor<10xf64>, tensor<10xf64>) -> tensor<f64>
    %w = "weft.scatter"(%a, %sum, %i) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<10xf64>, tensor<f64>, tensor<i64>) -> tensor<10xf64>
    scf.yield %w : tensor<10xf64>
  }
  return %r : tensor<10xf64>
}

// -----

// Integers are added up as they are, and a loop of a few iterations has no blocks.
// CHECK-LABEL: func.func @others
// CHECK-NOT: ->a
// CHECK: return
func.func @others(%l: tensor<10x10xi64>, %m: tensor<7x7xf64>, %b: tensor<10xi64>, %d: tensor<7xf64>) -> (tensor<10xi64>, tensor<7xf64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %seven = arith.constant 7 : index
  %ten = arith.constant 10 : index
  %r = scf.for %j = %zero to %ten step %one iter_args(%a = %b) -> tensor<10xi64> {
    %c = arith.index_cast %j : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %row = "weft.gather"(%l, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<10x10xi64>, tensor<i64>) -> tensor<10xi64>
    %sum = "weft.contract"(%row, %b) {spec = "a,a->"} : (tensor<10xi64>, tensor<10xi64>) -> tensor<i64>
    %w = "weft.scatter"(%a, %sum, %i) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<10xi64>, tensor<i64>, tensor<i64>) -> tensor<10xi64>
    scf.yield %w : tensor<10xi64>
  }
  %s = scf.for %j = %zero to %seven step %one iter_args(%a = %d) -> tensor<7xf64> {
    %c = arith.index_cast %j : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %row = "weft.gather"(%m, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<7x7xf64>, tensor<i64>) -> tensor<7xf64>
    %sum = "weft.contract"(%row, %d) {spec = "a,a->"} : (tensor<7xf64>, tensor<7xf64>) -> tensor<f64>
    %w = "weft.scatter"(%a, %sum, %i) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<7xf64>, tensor<f64>, tensor<i64>) -> tensor<7xf64>
    scf.yield %w : tensor<7xf64>
  }
  return %r, %s : tensor<10xi64>, tensor<7xf64>
}
