// RUN: weft-opt %s --make-room-first --canonicalize --cse --split-input-file | filecheck %s

// A list to which each of 20 iterations appends an item: it begins with 21 rows, and nothing looks whether there is room.
// CHECK-LABEL: func.func @appended
// CHECK: %[[MORE:.*]] = "weft.broadcast_to"(%{{.*}}) {shape = array<i64: 13>}
// CHECK: %[[ALL:.*]] = "weft.concat"(%{{.*}}, %[[MORE]]) {axis = 0 : i64} : (tensor<8xf64>, tensor<13xf64>) -> tensor<21xf64>
// CHECK: %[[FIRST:.*]] = "weft.scatter"(%[[ALL]], {{.*}} -> tensor<21xf64>
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %[[FIRST]], %[[N:.*]] = %{{.*}}) -> (tensor<21xf64>, tensor<i64>)
// CHECK-NOT: scf.if
// CHECK-NOT: weft.find_out_of_bounds
// CHECK: "weft.scatter"(%[[A]], %{{.*}}, %[[N]]) {{.*}} -> tensor<21xf64>
// What others see has as many rows as the program tells.
// CHECK: %[[CAST:.*]] = tensor.cast %{{.*}} : tensor<21xf64> to tensor<?xf64>
// CHECK: "weft.dynamic_slice"(%[[CAST]]
func.func @appended(%x: tensor<f64>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %zeros = "weft.constant"() {value = dense<0.0> : tensor<8xf64>} : () -> tensor<8xf64>
  %none = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %start = tensor.cast %zeros : tensor<8xf64> to tensor<?xf64>
  %first = "weft.scatter"(%start, %x, %none) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<?xf64>, tensor<f64>, tensor<i64>) -> tensor<?xf64>
  %r:2 = scf.for %i = %c0 to %c20 step %c1 iter_args(%a = %first, %n = %one) -> (tensor<?xf64>, tensor<i64>) {
    %room = "weft.dim"(%a) {axis = 0 : i64} : (tensor<?xf64>) -> tensor<i64>
    %full = "weft.greater_equal"(%n, %room) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %b = tensor.extract %full[] : tensor<i1>
    %more = scf.if %b -> (tensor<?xf64>) {
      %twice = "weft.concat"(%a, %a) {axis = 0 : i64} : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
      scf.yield %twice : tensor<?xf64>
    } else {
      scf.yield %a : tensor<?xf64>
    } {weft.makes_room}
    %now = "weft.dim"(%more) {axis = 0 : i64} : (tensor<?xf64>) -> tensor<i64>
    %out:2 = "weft.find_out_of_bounds"(%n, %now) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
    "weft.raise_if"(%out#0, %out#1, %now) {error = "IndexError", message = "index {0} is out of bounds for axis 0 with size {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
    %set = "weft.scatter"(%more, %x, %n) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<?xf64>, tensor<f64>, tensor<i64>) -> tensor<?xf64>
    %next = "weft.add"(%n, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    scf.yield %set, %next : tensor<?xf64>, tensor<i64>
  }
  %items = "weft.dynamic_slice"(%r#0, %r#1) {start = array<i64: 0>, start_axes = array<i64>, step = array<i64: 1>, stop = array<i64: 0>, stop_axes = array<i64: 0>} : (tensor<?xf64>, tensor<i64>) -> tensor<?xf64>
  return %items : tensor<?xf64>
}

// -----

// Two loops in each other, and a branch that decides whether an item comes: at most 3 * 4 are behind the one that is there.
// CHECK-LABEL: func.func @nested
// CHECK: "weft.broadcast_to"(%{{.*}}) {shape = array<i64: 5, 2>}
// CHECK: -> tensor<13x2xf64>
// CHECK-NOT: weft.greater_equal
// CHECK: return
func.func @nested(%x: tensor<2xf64>, %flag: tensor<i1>) -> (tensor<?x2xf64>, tensor<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %zeros = "weft.constant"() {value = dense<0.0> : tensor<8x2xf64>} : () -> tensor<8x2xf64>
  %none = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %f = tensor.extract %flag[] : tensor<i1>
  %start = tensor.cast %zeros : tensor<8x2xf64> to tensor<?x2xf64>
  %first = "weft.scatter"(%start, %x, %none) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<?x2xf64>, tensor<2xf64>, tensor<i64>) -> tensor<?x2xf64>
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %first, %n = %one) -> (tensor<?x2xf64>, tensor<i64>) {
    %s:2 = scf.for %j = %c0 to %c4 step %c1 iter_args(%b = %a, %m = %n) -> (tensor<?x2xf64>, tensor<i64>) {
      %t:2 = scf.if %f -> (tensor<?x2xf64>, tensor<i64>) {
        %room = "weft.dim"(%b) {axis = 0 : i64} : (tensor<?x2xf64>) -> tensor<i64>
        %full = "weft.greater_equal"(%m, %room) : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %e = tensor.extract %full[] : tensor<i1>
        %more = scf.if %e -> (tensor<?x2xf64>) {
          %twice = "weft.concat"(%b, %b) {axis = 0 : i64} : (tensor<?x2xf64>, tensor<?x2xf64>) -> tensor<?x2xf64>
          scf.yield %twice : tensor<?x2xf64>
        } else {
          scf.yield %b : tensor<?x2xf64>
        } {weft.makes_room}
        %set = "weft.scatter"(%more, %x, %m) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<?x2xf64>, tensor<2xf64>, tensor<i64>) -> tensor<?x2xf64>
        %next = "weft.add"(%m, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
        scf.yield %set, %next : tensor<?x2xf64>, tensor<i64>
      } else {
        scf.yield %b, %m : tensor<?x2xf64>, tensor<i64>
      }
      scf.yield %t#0, %t#1 : tensor<?x2xf64>, tensor<i64>
    }
    scf.yield %s#0, %s#1 : tensor<?x2xf64>, tensor<i64>
  }
  %items = "weft.dynamic_slice"(%r#0, %r#1) {start = array<i64: 0, 0>, start_axes = array<i64>, step = array<i64: 1, 1>, stop = array<i64: 0, 2>, stop_axes = array<i64: 0>} : (tensor<?x2xf64>, tensor<i64>) -> tensor<?x2xf64>
  return %items, %r#1 : tensor<?x2xf64>, tensor<i64>
}

// -----

// Data decides how often the loop runs.
// CHECK-LABEL: func.func @stays
// CHECK: scf.for
// CHECK: weft.greater_equal
// CHECK: scf.if
func.func @stays(%x: tensor<f64>, %last: tensor<i64>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zeros = "weft.constant"() {value = dense<0.0> : tensor<8xf64>} : () -> tensor<8xf64>
  %none = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %start = tensor.cast %zeros : tensor<8xf64> to tensor<?xf64>
  %first = "weft.scatter"(%start, %x, %none) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<?xf64>, tensor<f64>, tensor<i64>) -> tensor<?xf64>
  %l = tensor.extract %last[] : tensor<i64>
  %trips = arith.index_cast %l : i64 to index
  %r:2 = scf.for %i = %c0 to %trips step %c1 iter_args(%a = %first, %k = %one) -> (tensor<?xf64>, tensor<i64>) {
    %room = "weft.dim"(%a) {axis = 0 : i64} : (tensor<?xf64>) -> tensor<i64>
    %full = "weft.greater_equal"(%k, %room) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %b = tensor.extract %full[] : tensor<i1>
    %more = scf.if %b -> (tensor<?xf64>) {
      %twice = "weft.concat"(%a, %a) {axis = 0 : i64} : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
      scf.yield %twice : tensor<?xf64>
    } else {
      scf.yield %a : tensor<?xf64>
    } {weft.makes_room}
    %set = "weft.scatter"(%more, %x, %k) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<?xf64>, tensor<f64>, tensor<i64>) -> tensor<?xf64>
    %next = "weft.add"(%k, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    scf.yield %set, %next : tensor<?xf64>, tensor<i64>
  }
  %items = "weft.dynamic_slice"(%r#0, %r#1) {start = array<i64: 0>, start_axes = array<i64>, step = array<i64: 1>, stop = array<i64: 0>, stop_axes = array<i64: 0>} : (tensor<?xf64>, tensor<i64>) -> tensor<?xf64>
  return %items : tensor<?xf64>
}

// -----

// An array of the program's own, which shows how many rows it has.
// CHECK-LABEL: func.func @of_the_program
// CHECK: scf.for
// CHECK: weft.greater_equal
// CHECK: scf.if
func.func @of_the_program(%x: tensor<f64>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %zeros = "weft.constant"() {value = dense<0.0> : tensor<8xf64>} : () -> tensor<8xf64>
  %none = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %start = tensor.cast %zeros : tensor<8xf64> to tensor<?xf64>
  %first = "weft.scatter"(%start, %x, %none) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<?xf64>, tensor<f64>, tensor<i64>) -> tensor<?xf64>
  %r:2 = scf.for %i = %c0 to %c20 step %c1 iter_args(%a = %first, %k = %one) -> (tensor<?xf64>, tensor<i64>) {
    %room = "weft.dim"(%a) {axis = 0 : i64} : (tensor<?xf64>) -> tensor<i64>
    %full = "weft.greater_equal"(%k, %room) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %b = tensor.extract %full[] : tensor<i1>
    %more = scf.if %b -> (tensor<?xf64>) {
      %twice = "weft.concat"(%a, %a) {axis = 0 : i64} : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
      scf.yield %twice : tensor<?xf64>
    } else {
      scf.yield %a : tensor<?xf64>
    }
    %set = "weft.scatter"(%more, %x, %k) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<?xf64>, tensor<f64>, tensor<i64>) -> tensor<?xf64>
    %next = "weft.add"(%k, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    scf.yield %set, %next : tensor<?xf64>, tensor<i64>
  }
  %items = "weft.dynamic_slice"(%r#0, %r#1) {start = array<i64: 0>, start_axes = array<i64>, step = array<i64: 1>, stop = array<i64: 0>, stop_axes = array<i64: 0>} : (tensor<?xf64>, tensor<i64>) -> tensor<?xf64>
  return %items : tensor<?xf64>
}
