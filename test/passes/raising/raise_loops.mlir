// RUN: weft-opt %s --raise-loops --cse --canonicalize --split-input-file | filecheck %s
// RUN: weft-opt %s --raise-loops --mlir-pass-statistics --split-input-file -o %t 2>&1 | filecheck %s --check-prefix=STATISTICS

// STATISTICS: raise-loops
// STATISTICS: (S) 12 loops raised

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
// CHECK: %[[COLUMNS:.*]] = "weft.dynamic_slice"(%[[A]], %[[BEHIND:.*]]) {start = array<i64: 0, 3>, {{.*}} -> tensor<4x?xf64>
// CHECK: %[[ROW:.*]] = "weft.gather"(%[[A]], %[[TWO:.*]]) {axes = array<i64: 0>
// CHECK: %[[FACTORS:.*]] = "weft.dynamic_slice"(%[[ROW]], %[[BEHIND]]) {{.*}} -> tensor<?xf64>
// CHECK: %[[TALL:.*]] = "weft.expand_dims"(%[[V]]) {axes = array<i64: 1>}
// CHECK: %[[PRODUCTS:.*]] = "weft.multiply"(%[[TALL]], %[[FACTORS]]) : (tensor<4x1xf64>, tensor<?xf64>) -> tensor<4x?xf64>
// CHECK: %[[LESS:.*]] = "weft.subtract"(%[[COLUMNS]], %[[PRODUCTS]])
// CHECK: %[[R:.*]] = "weft.dynamic_slice_update"(%[[A]], %[[LESS]], %[[BEHIND]])
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

// Rows: what is written is a vector, and its axis of lanes the only one.
// CHECK-LABEL: func.func @rows
// CHECK: "weft.contract"({{.*}}) {spec = "a,ba->b"} : (tensor<4xf64>, tensor<10x4xf64>) -> tensor<10xf64>
// CHECK-NOT: scf.for
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

// -----

// A number of a row times a column, added to a part of a row. Numbers are multiplied as they were written.
// CHECK-LABEL: func.func @update
// CHECK-SAME: (%[[C:.*]]: tensor<10x10xf64>, %[[X:.*]]: tensor<10x12xf64>, %[[I:.*]]: tensor<i64>, %[[N:.*]]: tensor<i64>,
// CHECK: %[[NUMBERS:.*]] = "weft.gather"(%[[X]], %[[I]]) {axes = array<i64: 0>, position = 0 : i64}
// CHECK: %[[SCALED:.*]] = "weft.multiply"(%{{.*}}, %[[NUMBERS]])
// CHECK: %[[MATRIX:.*]] = "weft.dynamic_slice"(%[[X]], %[[N]]) {start = array<i64: 0, 0>, start_axes = array<i64>, step = array<i64: 1, 1>, stop = array<i64: 0, 9223372036854775807>, stop_axes = array<i64: 0>}
// CHECK: %[[SUM:.*]] = "weft.contract"(%[[SCALED]], %[[MATRIX]]) {spec = "a,ba->b"}
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
// CHECK: %[[ONE:.*]] = "weft.contract"(%[[U]], %[[X]]) {spec = "a,ab->b"}
// CHECK: %[[OTHER:.*]] = "weft.contract"(%[[X]], %[[U]]) {spec = "ab,a->b"}
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
// CHECK: scf.for
// CHECK: %[[V:.*]] = "weft.slice"
// CHECK: %[[Y:.*]] = "weft.slice"
// CHECK: "weft.contract"(%[[V]], %[[Y]]) {spec = "a,ab->b"} : (tensor<9xf64>, tensor<9x10xf64>) -> tensor<10xf64>
// CHECK-NOT: scf.for
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

// -----

// Numbers alone: a sum of products that begins with 0.0, for each row of a matrix.
// CHECK-LABEL: func.func @nest
// CHECK-SAME: (%[[M:.*]]: tensor<10x12xf64>, %[[V:.*]]: tensor<12xf64>, %{{.*}}: tensor<10xf64>)
// CHECK-NEXT: %[[R:.*]] = "weft.contract"(%[[M]], %[[V]]) {spec = "ba,a->b"}
// CHECK-NEXT: return %[[R]]
func.func @nest(%m: tensor<10x12xf64>, %v: tensor<12xf64>, %y: tensor<10xf64>) -> tensor<10xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ten = arith.constant 10 : index
  %twelve = arith.constant 12 : index
  %none = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %r = scf.for %j = %zero to %ten step %one iter_args(%a = %y) -> tensor<10xf64> {
    %c = arith.index_cast %j : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %sum = scf.for %l = %zero to %twelve step %one iter_args(%s = %none) -> tensor<f64> {
      %d = arith.index_cast %l : index to i64
      %k = tensor.from_elements %d : tensor<i64>
      %x = "weft.gather"(%m, %i, %k) {axes = array<i64: 0, 1>, position = 0 : i64} : (tensor<10x12xf64>, tensor<i64>, tensor<i64>) -> tensor<f64>
      %z = "weft.gather"(%v, %k) {axes = array<i64: 0>, position = 0 : i64} : (tensor<12xf64>, tensor<i64>) -> tensor<f64>
      %p = "weft.multiply"(%x, %z) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      %t = "weft.add"(%s, %p) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      scf.yield %t : tensor<f64>
    }
    %w = "weft.scatter"(%a, %sum, %i) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<10xf64>, tensor<f64>, tensor<i64>) -> tensor<10xf64>
    scf.yield %w : tensor<10xf64>
  }
  return %r : tensor<10xf64>
}

// -----

// The element behind its own, which the next iteration writes: all see what was there before.
// CHECK-LABEL: func.func @later
// CHECK-SAME: (%[[X:.*]]: tensor<11xf64>)
// CHECK-NOT: scf.for
// CHECK: %[[NEXT:.*]] = "weft.slice"(%[[X]]) {start = array<i64: 1>, step = array<i64: 1>, stop = array<i64: 11>}
// CHECK: "weft.slice_update"(%[[X]], %[[NEXT]])
func.func @later(%x: tensor<11xf64>) -> tensor<11xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ten = arith.constant 10 : index
  %step = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %r = scf.for %j = %zero to %ten step %one iter_args(%a = %x) -> tensor<11xf64> {
    %c = arith.index_cast %j : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %n = "weft.add"(%i, %step) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %next = "weft.gather"(%a, %n) {axes = array<i64: 0>, position = 0 : i64} : (tensor<11xf64>, tensor<i64>) -> tensor<f64>
    %w = "weft.scatter"(%a, %next, %i) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<11xf64>, tensor<f64>, tensor<i64>) -> tensor<11xf64>
    scf.yield %w : tensor<11xf64>
  }
  return %r : tensor<11xf64>
}

// -----

// Integers may be added up in any order; so may elements be compared.
// CHECK-LABEL: func.func @reductions
// CHECK-NOT: scf.for
// CHECK-DAG: "weft.sum"(%{{.*}}) {axes = array<i64: 0>, keepdims = false}
// CHECK-DAG: "weft.max"(%{{.*}}) {axes = array<i64: 0>, keepdims = false}
func.func @reductions(%x: tensor<10xi64>, %y: tensor<10xf64>, %s: tensor<i64>, %m: tensor<f64>) -> (tensor<i64>, tensor<f64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ten = arith.constant 10 : index
  %r:2 = scf.for %j = %zero to %ten step %one iter_args(%a = %s, %b = %m) -> (tensor<i64>, tensor<f64>) {
    %c = arith.index_cast %j : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %e = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<10xi64>, tensor<i64>) -> tensor<i64>
    %f = "weft.gather"(%y, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<10xf64>, tensor<i64>) -> tensor<f64>
    %t = "weft.add"(%a, %e) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %u = "weft.maximum"(%b, %f) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    scf.yield %t, %u : tensor<i64>, tensor<f64>
  }
  return %r#0, %r#1 : tensor<i64>, tensor<f64>
}

// -----

// A sum of floats that are no products keeps its order; and so does a short sum.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-2: scf.for
func.func @kept(%y: tensor<10xf64>, %m: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ten = arith.constant 10 : index
  %five = arith.constant 5 : index
  %r = scf.for %j = %zero to %ten step %one iter_args(%b = %m) -> tensor<f64> {
    %c = arith.index_cast %j : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %f = "weft.gather"(%y, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<10xf64>, tensor<i64>) -> tensor<f64>
    %u = "weft.add"(%b, %f) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    scf.yield %u : tensor<f64>
  }
  %s = scf.for %j = %zero to %five step %one iter_args(%b = %m) -> tensor<f64> {
    %c = arith.index_cast %j : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %f = "weft.gather"(%y, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<10xf64>, tensor<i64>) -> tensor<f64>
    %p = "weft.multiply"(%f, %f) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %u = "weft.add"(%b, %p) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    scf.yield %u : tensor<f64>
  }
  return %r, %s : tensor<f64>, tensor<f64>
}

// -----

// A branch that only asks whether the loop in it runs at all.
// CHECK-LABEL: func.func @guarded
// CHECK-NOT: scf.if
// CHECK: "weft.contract"({{.*}}) {spec = "a,a->"}
func.func @guarded(%x: tensor<10xf64>, %n: tensor<i64>, %m: tensor<f64>) -> tensor<f64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ten = arith.constant 10 : index
  %least = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %number = tensor.extract %n[] : tensor<i64>
  %end = arith.index_cast %number : i64 to index
  %less = "weft.less"(%least, %n) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %runs = tensor.extract %less[] : tensor<i1>
  %r = scf.if %runs -> tensor<f64> {
    %s = scf.for %j = %zero to %end step %one iter_args(%b = %m) -> tensor<f64> {
      %c = arith.index_cast %j : index to i64
      %i = tensor.from_elements %c : tensor<i64>
      %f = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<10xf64>, tensor<i64>) -> tensor<f64>
      %p = "weft.multiply"(%f, %f) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      %u = "weft.add"(%b, %p) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      scf.yield %u : tensor<f64>
    }
    scf.yield %s : tensor<f64>
  } else {
    scf.yield %m : tensor<f64>
  }
  return %r : tensor<f64>
}

// -----

// An elementwise loop on numbers, along memory and inside of one that stays: a kernel as it is.
// CHECK-LABEL: func.func @in_steps
// CHECK-COUNT-2: scf.for
func.func @in_steps(%x: tensor<10xf64>) -> tensor<10xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ten = arith.constant 10 : index
  %r = scf.for %t = %zero to %ten step %one iter_args(%b = %x) -> tensor<10xf64> {
    %s = scf.for %j = %zero to %ten step %one iter_args(%a = %b) -> tensor<10xf64> {
      %c = arith.index_cast %j : index to i64
      %i = tensor.from_elements %c : tensor<i64>
      %e = "weft.gather"(%a, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<10xf64>, tensor<i64>) -> tensor<f64>
      %p = "weft.sqrt"(%e) : (tensor<f64>) -> tensor<f64>
      %w = "weft.scatter"(%a, %p, %i) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<10xf64>, tensor<f64>, tensor<i64>) -> tensor<10xf64>
      scf.yield %w : tensor<10xf64>
    }
    scf.yield %s : tensor<10xf64>
  }
  return %r : tensor<10xf64>
}
