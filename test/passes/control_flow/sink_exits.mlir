// RUN: weft-opt %s --sink-exits --canonicalize --split-input-file | filecheck %s

// What the iteration writes that breaks off is written behind the loop, with what it knew: here a number that the loop
// does not leave otherwise.
// CHECK-LABEL: func.func @found
// CHECK-SAME:    (%[[X:.*]]: tensor<9xf64>, %[[A:.*]]: tensor<9xi64>
// CHECK:         %[[ZERO:.*]] = "weft.constant"() {value = dense<0>
// CHECK:         %[[LOOP:.*]]:{{.*}} = scf.while
// CHECK-NOT:       tensor<9xi64>
// CHECK:         do {
// CHECK-NOT:       weft.scatter
// CHECK:           scf.yield
// CHECK:         %[[ENDED:.*]] = "weft.equal"(%[[LOOP]]#{{.*}}, %{{.*}})
// CHECK:         %[[E:.*]] = tensor.extract %[[ENDED]][]
// CHECK:         %[[R:.*]] = scf.if %[[E]] -> (tensor<9xi64>) {
// CHECK:           %[[S:.*]] = "weft.scatter"(%[[A]], %[[LOOP]]#{{.*}}, %arg2)
// CHECK:           scf.yield %[[S]]
// CHECK:         } else {
// CHECK:           scf.yield %[[A]]
// CHECK:         return %[[R]]
func.func @found(%x: tensor<9xf64>, %a: tensor<9xi64>, %place: tensor<i64>, %n: tensor<i64>) -> tensor<9xi64> {
  %zero = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %half = "weft.constant"() {value = dense<0.5> : tensor<f64>} : () -> tensor<f64>
  %r:2 = scf.while (%k = %zero, %s = %zero, %t = %a) : (tensor<i64>, tensor<i64>, tensor<9xi64>) -> (tensor<i64>, tensor<9xi64>) {
    %0 = "weft.equal"(%s, %zero) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %1 = "weft.less"(%k, %n) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %2 = "weft.logical_and"(%0, %1) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %b = tensor.extract %2[] : tensor<i1>
    scf.condition(%b) %k, %t : tensor<i64>, tensor<9xi64>
  } do {
  ^bb0(%k: tensor<i64>, %t: tensor<9xi64>):
    %v = "weft.gather"(%x, %k) {axes = array<i64: 0>, position = 0 : i64} : (tensor<9xf64>, tensor<i64>) -> tensor<f64>
    %c = "weft.greater"(%v, %half) : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %b = tensor.extract %c[] : tensor<i1>
    %s = "weft.select"(%c, %one, %zero) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %w = scf.if %b -> (tensor<9xi64>) {
      %u = "weft.scatter"(%t, %k, %place) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<9xi64>, tensor<i64>, tensor<i64>) -> tensor<9xi64>
      scf.yield %u : tensor<9xi64>
    } else {
      scf.yield %t : tensor<9xi64>
    }
    %next = "weft.add"(%k, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    scf.yield %next, %s, %w : tensor<i64>, tensor<i64>, tensor<9xi64>
  }
  return %r#1 : tensor<9xi64>
}

// -----

// Not so where the loop goes on afterwards,
// CHECK-LABEL: func.func @goes_on
// CHECK:         do {
// CHECK:           weft.scatter
// CHECK:           scf.yield
// CHECK-NOT:     scf.if
func.func @goes_on(%a: tensor<9xi64>, %place: tensor<i64>, %n: tensor<i64>) -> tensor<9xi64> {
  %zero = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %r:2 = scf.while (%k = %zero, %s = %zero, %t = %a) : (tensor<i64>, tensor<i64>, tensor<9xi64>) -> (tensor<i64>, tensor<9xi64>) {
    %1 = "weft.less"(%k, %n) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %b = tensor.extract %1[] : tensor<i1>
    scf.condition(%b) %k, %t : tensor<i64>, tensor<9xi64>
  } do {
  ^bb0(%k: tensor<i64>, %t: tensor<9xi64>):
    %c = "weft.greater"(%k, %place) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %b = tensor.extract %c[] : tensor<i1>
    %s = "weft.select"(%c, %one, %zero) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %w = scf.if %b -> (tensor<9xi64>) {
      %u = "weft.scatter"(%t, %k, %place) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<9xi64>, tensor<i64>, tensor<i64>) -> tensor<9xi64>
      scf.yield %u : tensor<9xi64>
    } else {
      scf.yield %t : tensor<9xi64>
    }
    %next = "weft.add"(%k, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    scf.yield %next, %s, %w : tensor<i64>, tensor<i64>, tensor<9xi64>
  }
  return %r#1 : tensor<9xi64>
}

// -----

// nor where another iteration reads the array,
// CHECK-LABEL: func.func @reads
// CHECK:         do {
// CHECK:           weft.gather
// CHECK:           weft.scatter
// CHECK:           scf.yield
// CHECK-NOT:     scf.if
func.func @reads(%a: tensor<9xi64>, %place: tensor<i64>, %n: tensor<i64>) -> tensor<9xi64> {
  %zero = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %r:2 = scf.while (%k = %zero, %s = %zero, %t = %a) : (tensor<i64>, tensor<i64>, tensor<9xi64>) -> (tensor<i64>, tensor<9xi64>) {
    %0 = "weft.equal"(%s, %zero) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %1 = "weft.less"(%k, %n) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %2 = "weft.logical_and"(%0, %1) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %b = tensor.extract %2[] : tensor<i1>
    scf.condition(%b) %k, %t : tensor<i64>, tensor<9xi64>
  } do {
  ^bb0(%k: tensor<i64>, %t: tensor<9xi64>):
    %v = "weft.gather"(%t, %k) {axes = array<i64: 0>, position = 0 : i64} : (tensor<9xi64>, tensor<i64>) -> tensor<i64>
    %c = "weft.greater"(%v, %place) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %b = tensor.extract %c[] : tensor<i1>
    %s = "weft.select"(%c, %one, %zero) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %w = scf.if %b -> (tensor<9xi64>) {
      %u = "weft.scatter"(%t, %k, %place) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<9xi64>, tensor<i64>, tensor<i64>) -> tensor<9xi64>
      scf.yield %u : tensor<9xi64>
    } else {
      scf.yield %t : tensor<9xi64>
    }
    %next = "weft.add"(%k, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    scf.yield %next, %s, %w : tensor<i64>, tensor<i64>, tensor<9xi64>
  }
  return %r#1 : tensor<9xi64>
}

// -----

// nor where the status is the same when the branch is not taken.
// CHECK-LABEL: func.func @any_status
// CHECK:         do {
// CHECK:           weft.scatter
// CHECK:           scf.yield
// CHECK-NOT:     scf.if
func.func @any_status(%a: tensor<9xi64>, %place: tensor<i64>, %other: tensor<i64>) -> tensor<9xi64> {
  %zero = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %r:2 = scf.while (%k = %zero, %s = %zero, %t = %a) : (tensor<i64>, tensor<i64>, tensor<9xi64>) -> (tensor<i64>, tensor<9xi64>) {
    %0 = "weft.equal"(%s, %zero) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %b = tensor.extract %0[] : tensor<i1>
    scf.condition(%b) %k, %t : tensor<i64>, tensor<9xi64>
  } do {
  ^bb0(%k: tensor<i64>, %t: tensor<9xi64>):
    %c = "weft.greater"(%k, %place) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %b = tensor.extract %c[] : tensor<i1>
    %s = "weft.select"(%c, %one, %other) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %w = scf.if %b -> (tensor<9xi64>) {
      %u = "weft.scatter"(%t, %k, %place) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<9xi64>, tensor<i64>, tensor<i64>) -> tensor<9xi64>
      scf.yield %u : tensor<9xi64>
    } else {
      scf.yield %t : tensor<9xi64>
    }
    %next = "weft.add"(%k, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    scf.yield %next, %s, %w : tensor<i64>, tensor<i64>, tensor<9xi64>
  }
  return %r#1 : tensor<9xi64>
}
