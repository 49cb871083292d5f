// RUN: weft-opt %s --promote-refs --split-input-file | filecheck %s

// What a branch writes is a result of it; the other side passes on what the cell held before.
// CHECK-LABEL: func.func @branch
// CHECK-SAME: (%[[C:.*]]: i1, %[[X:.*]]: tensor<?xf64>, %[[Y:.*]]: tensor<?xf64>)
// CHECK-NEXT: %[[R:.*]] = scf.if %[[C]] -> (tensor<?xf64>) {
// CHECK-NEXT:   %[[S:.*]] = "weft.add"(%[[X]], %[[X]])
// CHECK-NEXT:   scf.yield %[[S]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   scf.yield %[[X]]
// CHECK-NEXT: }
// CHECK-NEXT: return %[[R]]
func.func @branch(%c: i1, %x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %cell = "weft.alloc_ref"(%x) : (tensor<?xf64>) -> !weft.ref<tensor<?xf64>>
  scf.if %c {
    %0 = "weft.read_ref"(%cell) : (!weft.ref<tensor<?xf64>>) -> tensor<?xf64>
    %1 = "weft.add"(%0, %0) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    "weft.write_ref"(%cell, %1) : (!weft.ref<tensor<?xf64>>, tensor<?xf64>) -> ()
  }
  %2 = "weft.read_ref"(%cell) : (!weft.ref<tensor<?xf64>>) -> tensor<?xf64>
  return %2 : tensor<?xf64>
}

// -----

// Both sides write, and yield values of their own.
// CHECK-LABEL: func.func @both_sides
// CHECK: %[[R:.*]]:2 = scf.if %{{.*}} -> (tensor<i64>, tensor<2xf64>) {
// CHECK-NEXT: scf.yield %arg3, %arg2
// CHECK: else
// CHECK-NEXT: scf.yield %arg3, %arg1
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @both_sides(%c: i1, %x: tensor<2xf64>, %y: tensor<2xf64>, %n: tensor<i64>) -> (tensor<i64>, tensor<2xf64>) {
  %cell = "weft.alloc_ref"(%x) : (tensor<2xf64>) -> !weft.ref<tensor<2xf64>>
  %0 = scf.if %c -> (tensor<i64>) {
    "weft.write_ref"(%cell, %y) : (!weft.ref<tensor<2xf64>>, tensor<2xf64>) -> ()
    scf.yield %n : tensor<i64>
  } else {
    "weft.write_ref"(%cell, %x) : (!weft.ref<tensor<2xf64>>, tensor<2xf64>) -> ()
    scf.yield %n : tensor<i64>
  }
  %1 = "weft.read_ref"(%cell) : (!weft.ref<tensor<2xf64>>) -> tensor<2xf64>
  return %0, %1 : tensor<i64>, tensor<2xf64>
}

// -----

// A loop carries the cell that it writes, but not the one that it only reads. An argument is written once, behind.
// CHECK-LABEL: func.func @loop
// CHECK-SAME: (%[[REF:.*]]: !weft.ref<tensor<3xf64>>, %[[N:.*]]: index, %[[Y:.*]]: tensor<3xf64>)
// CHECK: %[[X:.*]] = "weft.read_ref"(%[[REF]])
// CHECK-NEXT: %[[R:.*]] = scf.for {{.*}} iter_args(%[[A:.*]] = %[[X]]) -> (tensor<3xf64>) {
// CHECK-NEXT:   %[[B:.*]] = "weft.add"(%[[A]], %[[Y]])
// CHECK-NEXT:   scf.yield %[[B]]
// CHECK-NEXT: }
// CHECK-NEXT: "weft.write_ref"(%[[REF]], %[[R]])
// CHECK-NEXT: return
func.func @loop(%ref: !weft.ref<tensor<3xf64>>, %n: index, %y: tensor<3xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cell = "weft.alloc_ref"(%y) : (tensor<3xf64>) -> !weft.ref<tensor<3xf64>>
  scf.for %i = %c0 to %n step %c1 {
    %0 = "weft.read_ref"(%ref) : (!weft.ref<tensor<3xf64>>) -> tensor<3xf64>
    %1 = "weft.read_ref"(%cell) : (!weft.ref<tensor<3xf64>>) -> tensor<3xf64>
    %2 = "weft.add"(%0, %1) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    "weft.write_ref"(%ref, %2) : (!weft.ref<tensor<3xf64>>, tensor<3xf64>) -> ()
  }
  return
}

// -----

// A while loop carries what either of its blocks writes.
// CHECK-LABEL: func.func @while_loop
// CHECK: %[[W:.*]]:2 = scf.while (%[[A:.*]] = %arg0, %[[P:.*]] = %arg1) : (tensor<3xi64>, tensor<3xi64>) -> (tensor<3xi64>, tensor<3xi64>) {
// CHECK-NEXT:   %[[C:.*]] = tensor.extract %arg2[]
// CHECK-NEXT:   %[[Q:.*]] = "weft.negative"(%[[P]])
// CHECK-NEXT:   scf.condition(%[[C]]) %[[A]], %[[Q]]
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%[[B:.*]]: tensor<3xi64>, %[[S:.*]]: tensor<3xi64>):
// CHECK-NEXT:   %[[T:.*]] = "weft.add"(%[[S]], %[[B]])
// CHECK-NEXT:   scf.yield %[[B]], %[[T]]
// CHECK: return %[[W]]#0, %[[W]]#1
func.func @while_loop(%x: tensor<3xi64>, %y: tensor<3xi64>, %c: tensor<i1>) -> (tensor<3xi64>, tensor<3xi64>) {
  %cell = "weft.alloc_ref"(%y) : (tensor<3xi64>) -> !weft.ref<tensor<3xi64>>
  %r = scf.while (%a = %x) : (tensor<3xi64>) -> tensor<3xi64> {
    %b = tensor.extract %c[] : tensor<i1>
    %0 = "weft.read_ref"(%cell) : (!weft.ref<tensor<3xi64>>) -> tensor<3xi64>
    %1 = "weft.negative"(%0) : (tensor<3xi64>) -> tensor<3xi64>
    "weft.write_ref"(%cell, %1) : (!weft.ref<tensor<3xi64>>, tensor<3xi64>) -> ()
    scf.condition(%b) %a : tensor<3xi64>
  } do {
  ^bb0(%a: tensor<3xi64>):
    %0 = "weft.read_ref"(%cell) : (!weft.ref<tensor<3xi64>>) -> tensor<3xi64>
    %1 = "weft.add"(%0, %a) : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
    "weft.write_ref"(%cell, %1) : (!weft.ref<tensor<3xi64>>, tensor<3xi64>) -> ()
    scf.yield %a : tensor<3xi64>
  }
  %s = "weft.read_ref"(%cell) : (!weft.ref<tensor<3xi64>>) -> tensor<3xi64>
  return %r, %s : tensor<3xi64>, tensor<3xi64>
}

// -----

// Where the call may end inside, an argument is in memory at the start and the end of every iteration: it is read
// there and written before the check. Local cells are carried all the same.
// CHECK-LABEL: func.func @checked_loop
// CHECK-SAME: (%[[REF:.*]]: !weft.ref<tensor<3xf64>>, %[[N:.*]]: index, %[[Y:.*]]: tensor<3xf64>, %[[C:.*]]: tensor<i1>)
// CHECK: "weft.write_ref"(%[[REF]], %[[Y]])
// CHECK-NEXT: %[[L:.*]] = scf.for {{.*}} iter_args(%[[A:.*]] = %[[Y]]) -> (tensor<3xf64>) {
// CHECK-NEXT:   %[[X:.*]] = "weft.read_ref"(%[[REF]])
// CHECK-NEXT:   %[[Z:.*]] = "weft.add"(%[[X]], %[[A]])
// CHECK-NEXT:   "weft.write_ref"(%[[REF]], %[[Z]])
// CHECK-NEXT:   "weft.raise_if"(%[[C]])
// CHECK-NEXT:   %[[Q:.*]] = "weft.add"(%[[Z]], %[[Z]])
// CHECK-NEXT:   "weft.write_ref"(%[[REF]], %[[Q]])
// CHECK-NEXT:   scf.yield %[[Z]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[R:.*]] = "weft.read_ref"(%[[REF]])
// CHECK-NEXT: return %[[R]], %[[L]]
func.func @checked_loop(%ref: !weft.ref<tensor<3xf64>>, %n: index, %y: tensor<3xf64>, %c: tensor<i1>) -> (tensor<3xf64>, tensor<3xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cell = "weft.alloc_ref"(%y) : (tensor<3xf64>) -> !weft.ref<tensor<3xf64>>
  "weft.write_ref"(%ref, %y) : (!weft.ref<tensor<3xf64>>, tensor<3xf64>) -> ()
  scf.for %i = %c0 to %n step %c1 {
    %0 = "weft.read_ref"(%ref) : (!weft.ref<tensor<3xf64>>) -> tensor<3xf64>
    %1 = "weft.read_ref"(%cell) : (!weft.ref<tensor<3xf64>>) -> tensor<3xf64>
    %2 = "weft.add"(%0, %1) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    "weft.write_ref"(%ref, %2) : (!weft.ref<tensor<3xf64>>, tensor<3xf64>) -> ()
    "weft.write_ref"(%cell, %2) : (!weft.ref<tensor<3xf64>>, tensor<3xf64>) -> ()
    "weft.raise_if"(%c) {error = "ValueError", message = "no"} : (tensor<i1>) -> ()
    %3 = "weft.add"(%2, %2) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    "weft.write_ref"(%ref, %3) : (!weft.ref<tensor<3xf64>>, tensor<3xf64>) -> ()
  }
  %4 = "weft.read_ref"(%ref) : (!weft.ref<tensor<3xf64>>) -> tensor<3xf64>
  %5 = "weft.read_ref"(%cell) : (!weft.ref<tensor<3xf64>>) -> tensor<3xf64>
  return %4, %5 : tensor<3xf64>, tensor<3xf64>
}

// -----

// Loops in loops, and a cell that lives in the outer one.
// CHECK-LABEL: func.func @nested
// CHECK-NOT: weft.alloc_ref
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %arg0)
// CHECK-NEXT: %[[I:.*]]:2 = scf.for {{.*}} iter_args(%[[B:.*]] = %[[A]], %[[D:.*]] = %[[A]])
// CHECK-NEXT:   %[[E:.*]] = "weft.add"(%[[B]], %[[D]])
// CHECK-NEXT:   scf.yield %[[E]], %[[B]]
// CHECK: scf.yield %[[I]]#0
func.func @nested(%x: tensor<3xf64>, %n: index) -> tensor<3xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %outer = "weft.alloc_ref"(%x) : (tensor<3xf64>) -> !weft.ref<tensor<3xf64>>
  scf.for %i = %c0 to %n step %c1 {
    %0 = "weft.read_ref"(%outer) : (!weft.ref<tensor<3xf64>>) -> tensor<3xf64>
    %inner = "weft.alloc_ref"(%0) : (tensor<3xf64>) -> !weft.ref<tensor<3xf64>>
    scf.for %j = %c0 to %n step %c1 {
      %1 = "weft.read_ref"(%outer) : (!weft.ref<tensor<3xf64>>) -> tensor<3xf64>
      %2 = "weft.read_ref"(%inner) : (!weft.ref<tensor<3xf64>>) -> tensor<3xf64>
      %3 = "weft.add"(%1, %2) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
      "weft.write_ref"(%outer, %3) : (!weft.ref<tensor<3xf64>>, tensor<3xf64>) -> ()
      "weft.write_ref"(%inner, %1) : (!weft.ref<tensor<3xf64>>, tensor<3xf64>) -> ()
    }
  }
  %4 = "weft.read_ref"(%outer) : (!weft.ref<tensor<3xf64>>) -> tensor<3xf64>
  return %4 : tensor<3xf64>
}

// -----

// An argument that is only read in a loop is a plain tensor.
// CHECK-LABEL: func.func @only_read
// CHECK-SAME: (%{{.*}}: tensor<3xf64>, %{{.*}}: i1)
// CHECK-NOT: weft.read_ref
func.func @only_read(%ref: !weft.ref<tensor<3xf64>>, %c: i1) -> tensor<3xf64> {
  %r = scf.if %c -> (tensor<3xf64>) {
    %0 = "weft.read_ref"(%ref) : (!weft.ref<tensor<3xf64>>) -> tensor<3xf64>
    scf.yield %0 : tensor<3xf64>
  } else {
    %0 = "weft.read_ref"(%ref) : (!weft.ref<tensor<3xf64>>) -> tensor<3xf64>
    %1 = "weft.negative"(%0) : (tensor<3xf64>) -> tensor<3xf64>
    scf.yield %1 : tensor<3xf64>
  }
  return %r : tensor<3xf64>
}

// -----

// Extents of an argument are asked for once, in front, though it is read in every iteration: no write changes them.
// CHECK-LABEL: func.func @extents
// CHECK-NEXT: %[[X:.*]] = "weft.read_ref"(%arg0)
// CHECK-NEXT: %[[N:.*]] = "weft.dim"(%[[X]]) {axis = 0 : i64}
// CHECK: scf.for
// CHECK-NEXT: %[[Y:.*]] = "weft.read_ref"(%arg0)
// CHECK-NEXT: "weft.raise_if"(%arg1, %[[N]])
// CHECK: return %[[N]]
func.func @extents(%ref: !weft.ref<tensor<?xf64>>, %c: tensor<i1>, %n: index) -> tensor<i64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %0 = "weft.read_ref"(%ref) : (!weft.ref<tensor<?xf64>>) -> tensor<?xf64>
    %1 = "weft.dim"(%0) {axis = 0 : i64} : (tensor<?xf64>) -> tensor<i64>
    "weft.raise_if"(%c, %1) {error = "ValueError", message = "{0}"} : (tensor<i1>, tensor<i64>) -> ()
    %2 = "weft.negative"(%0) : (tensor<?xf64>) -> tensor<?xf64>
    "weft.write_ref"(%ref, %2) : (!weft.ref<tensor<?xf64>>, tensor<?xf64>) -> ()
  }
  %3 = "weft.read_ref"(%ref) : (!weft.ref<tensor<?xf64>>) -> tensor<?xf64>
  %4 = "weft.dim"(%3) {axis = 0 : i64} : (tensor<?xf64>) -> tensor<i64>
  return %4 : tensor<i64>
}

// -----

// A read that one branch alone uses moves into it, and there in front of what asks: a write behind it in the same branch
// would have the array copied in each iteration.
// CHECK-LABEL: func.func @sunk
// CHECK: scf.for
// CHECK-NOT: weft.read_ref
// CHECK: scf.if
// CHECK: } else {
// CHECK-NEXT: %[[READ:.*]] = "weft.read_ref"
// CHECK-NEXT: "weft.gather"(%[[READ]]
// CHECK: "weft.write_ref"
func.func @sunk(%cell: !weft.ref<tensor<8xf64>>, %n: index, %skip: i1, %place: tensor<i64>, %bad: tensor<i1>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %array = "weft.read_ref"(%cell) : (!weft.ref<tensor<8xf64>>) -> tensor<8xf64>
    scf.if %skip {
    } else {
      %0 = "weft.gather"(%array, %place) {axes = array<i64: 0>, position = 0 : i64} : (tensor<8xf64>, tensor<i64>) -> tensor<f64>
      %1 = "weft.add"(%0, %0) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      %2 = "weft.scatter"(%array, %1, %place) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<8xf64>, tensor<f64>, tensor<i64>) -> tensor<8xf64>
      "weft.write_ref"(%cell, %2) : (!weft.ref<tensor<8xf64>>, tensor<8xf64>) -> ()
      "weft.raise_if"(%bad) {error = "ValueError", message = "bad"} : (tensor<i1>) -> ()
    }
  }
  return
}

// -----

// A read stays where both branches use it, or where it is written between the read and the branch.
// CHECK-LABEL: func.func @kept
// CHECK: scf.for
// CHECK-NEXT: "weft.read_ref"
// CHECK: scf.if
func.func @kept(%cell: !weft.ref<tensor<8xf64>>, %n: index, %c: i1, %place: tensor<i64>, %bad: tensor<i1>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %array = "weft.read_ref"(%cell) : (!weft.ref<tensor<8xf64>>) -> tensor<8xf64>
    scf.if %c {
      %0 = "weft.add"(%array, %array) : (tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
      "weft.write_ref"(%cell, %0) : (!weft.ref<tensor<8xf64>>, tensor<8xf64>) -> ()
      "weft.raise_if"(%bad) {error = "ValueError", message = "bad"} : (tensor<i1>) -> ()
    } else {
      %0 = "weft.multiply"(%array, %array) : (tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
      "weft.write_ref"(%cell, %0) : (!weft.ref<tensor<8xf64>>, tensor<8xf64>) -> ()
    }
  }
  return
}

// -----

// CHECK-LABEL: func.func @written_between
// CHECK: scf.for
// CHECK-NEXT: %[[READ:.*]] = "weft.read_ref"
// CHECK: "weft.write_ref"
// CHECK: scf.if
// CHECK: "weft.multiply"(%[[READ]]
func.func @written_between(%cell: !weft.ref<tensor<8xf64>>, %n: index, %c: i1, %bad: tensor<i1>) -> tensor<8xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = "weft.constant"() {value = dense<0.0> : tensor<8xf64>} : () -> tensor<8xf64>
  %sum = scf.for %i = %zero to %n step %one iter_args(%last = %start) -> tensor<8xf64> {
    %array = "weft.read_ref"(%cell) : (!weft.ref<tensor<8xf64>>) -> tensor<8xf64>
    "weft.write_ref"(%cell, %last) : (!weft.ref<tensor<8xf64>>, tensor<8xf64>) -> ()
    "weft.raise_if"(%bad) {error = "ValueError", message = "bad"} : (tensor<i1>) -> ()
    %next = scf.if %c -> tensor<8xf64> {
      %0 = "weft.multiply"(%array, %array) : (tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
      scf.yield %0 : tensor<8xf64>
    } else {
      scf.yield %last : tensor<8xf64>
    }
    scf.yield %next : tensor<8xf64>
  }
  return %sum : tensor<8xf64>
}
