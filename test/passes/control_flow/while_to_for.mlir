// RUN: weft-opt %s --while-to-for --canonicalize --cse --split-input-file | filecheck %s

// `while i < n: x, i = x * x, i + 1` from 0 runs n times; the counter comes from the induction variable.
// CHECK-LABEL: func.func @count_up
// CHECK-SAME: (%[[X:.*]]: tensor<?xf64>, %[[N:.*]]: tensor<i64>)
// CHECK-NOT: scf.while
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[S:.*]] = tensor.extract %[[N]][]
// CHECK-DAG: %[[TRIPS:.*]] = arith.index_cast %[[S]]
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
// CHECK: %[[R:.*]] = scf.for %[[K:.*]] = %[[ZERO]] to %[[TRIPS]] step %[[ONE]] iter_args(%[[A:.*]] = %[[X]])
// CHECK: %[[CAST:.*]] = arith.index_cast %[[K]] : index to i64
// CHECK: %[[I:.*]] = tensor.from_elements %[[CAST]] : tensor<i64>
// CHECK-NEXT: %[[F:.*]] = "weft.cast"(%[[I]])
// CHECK-NEXT: "weft.multiply"(%[[A]], %[[F]])
// CHECK: return %[[R]]
func.func @count_up(%x: tensor<?xf64>, %n: tensor<i64>) -> (tensor<?xf64>, tensor<i64>) {
  %zero = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %r:2 = scf.while (%i = %zero, %a = %x) : (tensor<i64>, tensor<?xf64>) -> (tensor<?xf64>, tensor<i64>) {
    %c = "weft.less"(%i, %n) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %b = tensor.extract %c[] : tensor<i1>
    scf.condition(%b) %a, %i : tensor<?xf64>, tensor<i64>
  } do {
  ^bb0(%a: tensor<?xf64>, %i: tensor<i64>):
    %i1 = "weft.add"(%one, %i) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %f = "weft.cast"(%i) {dtype = f64} : (tensor<i64>) -> tensor<f64>
    %a1 = "weft.multiply"(%a, %f) : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
    scf.yield %i1, %a1 : tensor<i64>, tensor<?xf64>
  }
  return %r#0, %r#1 : tensor<?xf64>, tensor<i64>
}

// -----

// All comparisons, on either side, up and down.
// CHECK-LABEL: func.func @down
// CHECK-NOT: scf.while
// CHECK: scf.for
func.func @down(%start: tensor<i64>, %n: tensor<i64>, %x: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  %two = "weft.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %r:2 = scf.while (%i = %start, %a = %x) : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>) {
    %c = "weft.less"(%n, %i) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %b = tensor.extract %c[] : tensor<i1>
    scf.condition(%b) %i, %a : tensor<i64>, tensor<i64>
  } do {
  ^bb0(%i: tensor<i64>, %a: tensor<i64>):
    %i1 = "weft.subtract"(%i, %two) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %a1 = "weft.add"(%a, %i) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    scf.yield %i1, %a1 : tensor<i64>, tensor<i64>
  }
  return %r#0, %r#1 : tensor<i64>, tensor<i64>
}

// CHECK-LABEL: func.func @inclusive
// CHECK-NOT: scf.while
// CHECK: scf.for
func.func @inclusive(%start: tensor<i64>, %n: tensor<i64>, %x: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  %three = "weft.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %r:2 = scf.while (%i = %start, %a = %x) : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>) {
    %c = "weft.less_equal"(%i, %n) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %b = tensor.extract %c[] : tensor<i1>
    scf.condition(%b) %i, %a : tensor<i64>, tensor<i64>
  } do {
  ^bb0(%i: tensor<i64>, %a: tensor<i64>):
    %i1 = "weft.add"(%i, %three) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %a1 = "weft.add"(%a, %i) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    scf.yield %i1, %a1 : tensor<i64>, tensor<i64>
  }
  return %r#0, %r#1 : tensor<i64>, tensor<i64>
}

// CHECK-LABEL: func.func @unequal
// CHECK-NOT: scf.while
// CHECK: scf.for
func.func @unequal(%n: tensor<ui8>, %x: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  %m = "weft.cast"(%n) {dtype = i64} : (tensor<ui8>) -> tensor<i64>
  %zero = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %down = "weft.constant"() {value = dense<-1> : tensor<i64>} : () -> tensor<i64>
  %r:2 = scf.while (%i = %m, %a = %x) : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>) {
    %c = "weft.not_equal"(%i, %zero) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %b = tensor.extract %c[] : tensor<i1>
    scf.condition(%b) %i, %a : tensor<i64>, tensor<i64>
  } do {
  ^bb0(%i: tensor<i64>, %a: tensor<i64>):
    %i1 = "weft.add"(%i, %down) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %a1 = "weft.add"(%a, %i) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    scf.yield %i1, %a1 : tensor<i64>, tensor<i64>
  }
  return %r#0, %r#1 : tensor<i64>, tensor<i64>
}

// -----

// A flag that a break sets keeps the loop, and so does a bound that changes.
// CHECK-LABEL: func.func @break
// CHECK: scf.while
func.func @break(%n: tensor<i64>, %x: tensor<i64>) -> tensor<i64> {
  %zero = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %go = "weft.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %r:2 = scf.while (%i = %zero, %f = %go) : (tensor<i64>, tensor<i1>) -> (tensor<i64>, tensor<i1>) {
    %c = "weft.less"(%i, %n) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %d = "weft.logical_and"(%c, %f) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %b = tensor.extract %d[] : tensor<i1>
    scf.condition(%b) %i, %f : tensor<i64>, tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %f: tensor<i1>):
    %i1 = "weft.add"(%i, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %f1 = "weft.not_equal"(%i, %x) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    scf.yield %i1, %f1 : tensor<i64>, tensor<i1>
  }
  return %r#0 : tensor<i64>
}

// CHECK-LABEL: func.func @changing_bound
// CHECK: scf.while
func.func @changing_bound(%n: tensor<i64>) -> tensor<i64> {
  %zero = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %r:2 = scf.while (%i = %zero, %m = %n) : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>) {
    %c = "weft.less"(%i, %m) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %b = tensor.extract %c[] : tensor<i1>
    scf.condition(%b) %i, %m : tensor<i64>, tensor<i64>
  } do {
  ^bb0(%i: tensor<i64>, %m: tensor<i64>):
    %i1 = "weft.add"(%i, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %m1 = "weft.subtract"(%m, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    scf.yield %i1, %m1 : tensor<i64>, tensor<i64>
  }
  return %r#0 : tensor<i64>
}
