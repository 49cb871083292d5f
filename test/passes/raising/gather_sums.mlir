// RUN: weft-opt %s --gather-sums --split-input-file | filecheck %s
// RUN: weft-opt %s --gather-sums --mlir-pass-statistics --split-input-file -o %t 2>&1 | filecheck %s --check-prefix=STATISTICS

// STATISTICS: gather-sums
// STATISTICS: (S) 2 sums gathered

// A number of a row times a column, added to a part of a row; what multiplies them multiplies the matrix.
// CHECK-LABEL: func.func @update
// CHECK-SAME: (%[[C:.*]]: tensor<10x10xf64>, %[[X:.*]]: tensor<10x12xf64>, %[[I:.*]]: tensor<i64>, %[[N:.*]]: tensor<i64>,
// CHECK: %[[SCALED:.*]] = "weft.multiply"(%{{.*}}, %[[X]])
// CHECK: %[[NUMBERS:.*]] = "weft.gather"(%[[SCALED]], %[[I]]) {axes = array<i64: 0>, position = 0 : i64}
// CHECK: %[[MATRIX:.*]] = "weft.dynamic_slice"(%[[X]], %[[N]]) {start = array<i64: 0, 0>, start_axes = array<i64>, step = array<i64: 1, 1>, stop = array<i64: 0, 9223372036854775807>, stop_axes = array<i64: 0>}
// CHECK: %[[SUM:.*]] = "weft.contract"(%[[MATRIX]], %[[NUMBERS]]) {spec = "ab,b->a"}
// CHECK: %[[TOTAL:.*]] = "weft.add"(%{{.*}}, %[[SUM]])
// CHECK: "weft.dynamic_slice_update"(%{{.*}}, %[[TOTAL]], %[[N]])
// CHECK: "weft.scatter"(%[[C]],
// CHECK-NOT: scf.for
func.func @update(%c: tensor<10x10xf64>, %x: tensor<10x12xf64>, %i: tensor<i64>, %n: tensor<i64>, %u: tensor<10xf64>) -> tensor<10x10xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end = arith.constant 12 : index
  %r = scf.for %j = %zero to %end step %one iter_args(%a = %c) -> tensor<10x10xf64> {
    %d = arith.index_cast %j : index to i64
    %k = tensor.from_elements %d : tensor<i64>
    %three = "weft.constant"() {value = dense<3.0> : tensor<f64>} : () -> tensor<f64>
    %number = "weft.gather"(%x, %i, %k) {axes = array<i64: 0, 1>, position = 0 : i64} : (tensor<10x12xf64>, tensor<i64>, tensor<i64>) -> tensor<f64>
    %scaled = "weft.multiply"(%three, %number) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %column = "weft.gather"(%x, %k) {axes = array<i64: 1>, position = 0 : i64} : (tensor<10x12xf64>, tensor<i64>) -> tensor<10xf64>
    %part = "weft.dynamic_slice"(%column, %n) {start = array<i64: 0>, start_axes = array<i64>, step = array<i64: 1>, stop = array<i64: 0>, stop_axes = array<i64: 0>} : (tensor<10xf64>, tensor<i64>) -> tensor<?xf64>
    %product = "weft.multiply"(%scaled, %part) : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
    %row = "weft.gather"(%a, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<10x10xf64>, tensor<i64>) -> tensor<10xf64>
    %old = "weft.dynamic_slice"(%row, %n) {start = array<i64: 0>, start_axes = array<i64>, step = array<i64: 1>, stop = array<i64: 0>, stop_axes = array<i64: 0>} : (tensor<10xf64>, tensor<i64>) -> tensor<?xf64>
    %sum = "weft.add"(%old, %product) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %new = "weft.dynamic_slice_update"(%row, %sum, %n) {start = array<i64: 0>, start_axes = array<i64>, step = array<i64: 1>, stop = array<i64: 0>, stop_axes = array<i64: 0>} : (tensor<10xf64>, tensor<?xf64>, tensor<i64>) -> tensor<10xf64>
    %w = "weft.scatter"(%a, %new, %i) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<10x10xf64>, tensor<10xf64>, tensor<i64>) -> tensor<10x10xf64>
    scf.yield %w : tensor<10x10xf64>
  }
  return %r : tensor<10x10xf64>
}

// -----

// Two products, of a vector that the loop carries alone.
// CHECK-LABEL: func.func @two
// CHECK-SAME: (%[[C:.*]]: tensor<10xf32>, %[[X:.*]]: tensor<12x10xf32>, %[[U:.*]]: tensor<12xf32>)
// CHECK: %[[ONE:.*]] = "weft.contract"(%[[X]], %[[U]]) {spec = "ba,b->a"}
// CHECK: %[[OTHER:.*]] = "weft.contract"(%[[X]], %[[U]]) {spec = "ba,b->a"}
// CHECK: %[[BOTH:.*]] = "weft.add"(%[[ONE]], %[[OTHER]])
// CHECK: "weft.add"(%[[C]], %[[BOTH]])
// CHECK-NOT: scf.for
func.func @two(%c: tensor<10xf32>, %x: tensor<12x10xf32>, %u: tensor<12xf32>) -> tensor<10xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end = arith.constant 12 : index
  %r = scf.for %j = %zero to %end step %one iter_args(%a = %c) -> tensor<10xf32> {
    %d = arith.index_cast %j : index to i64
    %k = tensor.from_elements %d : tensor<i64>
    %number = "weft.gather"(%u, %k) {axes = array<i64: 0>, position = 0 : i64} : (tensor<12xf32>, tensor<i64>) -> tensor<f32>
    %row = "weft.gather"(%x, %k) {axes = array<i64: 0>, position = 0 : i64} : (tensor<12x10xf32>, tensor<i64>) -> tensor<10xf32>
    %left = "weft.multiply"(%number, %row) : (tensor<f32>, tensor<10xf32>) -> tensor<10xf32>
    %right = "weft.multiply"(%row, %number) : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
    %both = "weft.add"(%left, %right) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %sum = "weft.add"(%a, %both) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    scf.yield %sum : tensor<10xf32>
  }
  return %r : tensor<10xf32>
}

// -----

// What is added depends on what was added before.
// CHECK-LABEL: func.func @recurrence
// CHECK: scf.for
// CHECK-NOT: weft.contract
func.func @recurrence(%c: tensor<10xf64>, %x: tensor<10x10xf64>) -> tensor<10xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end = arith.constant 10 : index
  %r = scf.for %j = %zero to %end step %one iter_args(%a = %c) -> tensor<10xf64> {
    %d = arith.index_cast %j : index to i64
    %k = tensor.from_elements %d : tensor<i64>
    %number = "weft.gather"(%a, %k) {axes = array<i64: 0>, position = 0 : i64} : (tensor<10xf64>, tensor<i64>) -> tensor<f64>
    %row = "weft.gather"(%x, %k) {axes = array<i64: 0>, position = 0 : i64} : (tensor<10x10xf64>, tensor<i64>) -> tensor<10xf64>
    %product = "weft.multiply"(%number, %row) : (tensor<f64>, tensor<10xf64>) -> tensor<10xf64>
    %sum = "weft.add"(%a, %product) : (tensor<10xf64>, tensor<10xf64>) -> tensor<10xf64>
    scf.yield %sum : tensor<10xf64>
  }
  return %r : tensor<10xf64>
}

// -----

// Halves are rounded after each product; and the other loop does not take all rows.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-2: scf.for
// CHECK-NOT: weft.contract
func.func @others(%c: tensor<10xf16>, %x: tensor<10x10xf16>, %u: tensor<10xf16>, %e: tensor<10xf64>, %y: tensor<10x10xf64>, %v: tensor<10xf64>) -> (tensor<10xf16>, tensor<10xf64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %nine = arith.constant 9 : index
  %ten = arith.constant 10 : index
  %r = scf.for %j = %zero to %ten step %one iter_args(%a = %c) -> tensor<10xf16> {
    %d = arith.index_cast %j : index to i64
    %k = tensor.from_elements %d : tensor<i64>
    %number = "weft.gather"(%u, %k) {axes = array<i64: 0>, position = 0 : i64} : (tensor<10xf16>, tensor<i64>) -> tensor<f16>
    %row = "weft.gather"(%x, %k) {axes = array<i64: 0>, position = 0 : i64} : (tensor<10x10xf16>, tensor<i64>) -> tensor<10xf16>
    %product = "weft.multiply"(%number, %row) : (tensor<f16>, tensor<10xf16>) -> tensor<10xf16>
    %sum = "weft.add"(%a, %product) : (tensor<10xf16>, tensor<10xf16>) -> tensor<10xf16>
    scf.yield %sum : tensor<10xf16>
  }
  %s = scf.for %j = %zero to %nine step %one iter_args(%a = %e) -> tensor<10xf64> {
    %d = arith.index_cast %j : index to i64
    %k = tensor.from_elements %d : tensor<i64>
    %number = "weft.gather"(%v, %k) {axes = array<i64: 0>, position = 0 : i64} : (tensor<10xf64>, tensor<i64>) -> tensor<f64>
    %row = "weft.gather"(%y, %k) {axes = array<i64: 0>, position = 0 : i64} : (tensor<10x10xf64>, tensor<i64>) -> tensor<10xf64>
    %product = "weft.multiply"(%number, %row) : (tensor<f64>, tensor<10xf64>) -> tensor<10xf64>
    %sum = "weft.add"(%a, %product) : (tensor<10xf64>, tensor<10xf64>) -> tensor<10xf64>
    scf.yield %sum : tensor<10xf64>
  }
  return %r, %s : tensor<10xf16>, tensor<10xf64>
}
