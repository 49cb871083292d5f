// RUN: weft-opt %s --simplify-carried-values --canonicalize --cse --split-input-file | filecheck %s

// A sum that nothing reads is not computed; what never changes is not carried (upstream's part).
// CHECK-LABEL: func.func @unused
// CHECK-SAME: (%[[X:.*]]: tensor<?xf64>, %[[Y:.*]]: tensor<?xf64>, %[[N:.*]]: tensor<i64>)
// CHECK: scf.for %{{.*}} iter_args(%[[A:.*]] = %[[X]]) -> (tensor<?xf64>) {
// CHECK-NEXT: %[[R:.*]] = "weft.multiply"(%[[A]], %[[Y]])
// CHECK-NEXT: scf.yield %[[R]]
func.func @unused(%x: tensor<?xf64>, %y: tensor<?xf64>, %n: tensor<i64>) -> tensor<?xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %s = tensor.extract %n[] : tensor<i64>
  %m = arith.index_cast %s : i64 to index
  %r:3 = scf.for %k = %zero to %m step %one iter_args(%a = %x, %sum = %y, %same = %y) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
    %0 = "weft.add"(%sum, %a) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %1 = "weft.multiply"(%a, %same) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    scf.yield %1, %0, %same : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
  }
  return %r#0 : tensor<?xf64>
}

// -----

// The same in a while loop, where two values may need each other only.
// CHECK-LABEL: func.func @unused_in_while
// CHECK: scf.while (%[[I:.*]] = %{{.*}}) : (tensor<i64>) -> tensor<i64> {
// CHECK-NOT: "weft.multiply"
// CHECK: return
func.func @unused_in_while(%x: tensor<?xf64>, %n: tensor<i64>) -> tensor<i64> {
  %zero = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %r:3 = scf.while (%i = %zero, %a = %x, %b = %x) : (tensor<i64>, tensor<?xf64>, tensor<?xf64>) -> (tensor<i64>, tensor<?xf64>, tensor<?xf64>) {
    %c = "weft.less"(%i, %n) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %d = tensor.extract %c[] : tensor<i1>
    scf.condition(%d) %i, %b, %a : tensor<i64>, tensor<?xf64>, tensor<?xf64>
  } do {
  ^bb0(%i: tensor<i64>, %b: tensor<?xf64>, %a: tensor<?xf64>):
    %i1 = "weft.add"(%i, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %a1 = "weft.add"(%b, %a) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %b1 = "weft.multiply"(%b, %a) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    scf.yield %i1, %a1, %b1 : tensor<i64>, tensor<?xf64>, tensor<?xf64>
  }
  return %r#0 : tensor<i64>
}

// -----

// Two counters that begin and step alike are one.
// CHECK-LABEL: func.func @twice
// CHECK: %[[R:.*]]:2 = scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>) {
// CHECK-COUNT-2: "weft.add"
// CHECK-NOT: "weft.add"
// CHECK: return %[[R]]#0, %[[R]]#0, %[[R]]#1
func.func @twice(%n: tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<i64>) {
  %zero = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %r:3 = scf.while (%i = %zero, %j = %zero, %s = %zero) : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<i64>) {
    %c = "weft.less"(%j, %n) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %d = tensor.extract %c[] : tensor<i1>
    scf.condition(%d) %i, %j, %s : tensor<i64>, tensor<i64>, tensor<i64>
  } do {
  ^bb0(%i: tensor<i64>, %j: tensor<i64>, %s: tensor<i64>):
    %i1 = "weft.add"(%i, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %j1 = "weft.add"(%j, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %s1 = "weft.add"(%s, %j1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    scf.yield %i1, %j1, %s1 : tensor<i64>, tensor<i64>, tensor<i64>
  }
  return %r#0, %r#1, %r#2 : tensor<i64>, tensor<i64>, tensor<i64>
}

// -----

// Two equal values in a loop that counts; a third begins alike but steps otherwise.
// CHECK-LABEL: func.func @twice_in_for
// CHECK: %[[R:.*]]:2 = scf.for
// CHECK: return %[[R]]#0, %[[R]]#0, %[[R]]#1
func.func @twice_in_for(%n: tensor<i64>, %x: tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %s = tensor.extract %n[] : tensor<i64>
  %m = arith.index_cast %s : i64 to index
  %r:3 = scf.for %k = %zero to %m step %one iter_args(%a = %x, %b = %x, %c = %x) -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) {
    %0 = "weft.sin"(%a) : (tensor<3xf64>) -> tensor<3xf64>
    %1 = "weft.sin"(%b) : (tensor<3xf64>) -> tensor<3xf64>
    %2 = "weft.cos"(%b) : (tensor<3xf64>) -> tensor<3xf64>
    scf.yield %0, %1, %2 : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
  }
  return %r#0, %r#1, %r#2 : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
}

// -----

// What a check, or the test, needs stays; values that differ later are two.
// CHECK-LABEL: func.func @needed
// CHECK: scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (tensor<i64>, tensor<i64>)
// CHECK: weft.raise_if
// CHECK: return
func.func @needed(%n: tensor<i64>) {
  %zero = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %two = "weft.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %r:2 = scf.while (%i = %zero, %j = %zero) : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>) {
    %c = "weft.less"(%i, %n) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %d = tensor.extract %c[] : tensor<i1>
    scf.condition(%d) %i, %j : tensor<i64>, tensor<i64>
  } do {
  ^bb0(%i: tensor<i64>, %j: tensor<i64>):
    %i1 = "weft.add"(%i, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %j1 = "weft.add"(%j, %two) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %c = "weft.greater"(%j1, %n) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "weft.raise_if"(%c) {error = "ValueError", message = "no"} : (tensor<i1>) -> ()
    scf.yield %i1, %j1 : tensor<i64>, tensor<i64>
  }
  return
}
