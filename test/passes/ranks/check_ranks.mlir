// RUN: weft-opt %s --check-ranks | filecheck %s

// What is the same on all ranks meets what is not: from there on it is a value of each rank, made once.
// CHECK-LABEL: func.func @shared
// CHECK: %[[W:.*]] = "weft.independent"
// CHECK-NEXT: %[[V:.*]] = "weft.vary"(%[[W]]) {over = ""}
// CHECK-NEXT: %[[Y:.*]] = "weft.multiply"(%[[V]], %arg1)
// CHECK-NEXT: %[[Z:.*]] = "weft.add"(%[[Y]], %[[V]])
// CHECK-NEXT: "weft.all_reduce"(%[[Z]])
// CHECK: "weft.gradient"({{.*}}, %[[W]])
func.func @shared(%p: tensor<2xf64>, %x: tensor<2xf64>) -> tensor<2xf64> {
  %r = "weft.replicated"(%p) {over = ""} : (tensor<2xf64>) -> tensor<2xf64>
  %w = "weft.independent"(%r) {number = 1 : i64, tape = 0 : i64} : (tensor<2xf64>) -> tensor<2xf64>
  %y = "weft.multiply"(%w, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %z = "weft.add"(%y, %w) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %s = "weft.all_reduce"(%z) {reduction = "sum", over = ""} : (tensor<2xf64>) -> tensor<2xf64>
  %g = "weft.gradient"(%s, %s, %w) : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %g : tensor<2xf64>
}

// Along one axis of the mesh alone.
// CHECK-LABEL: func.func @one_axis
// CHECK: "weft.vary"({{.*}}) {over = "rows"}
func.func @one_axis(%p: tensor<2xf64>, %x: tensor<2xf64>) -> tensor<2xf64> {
  %r = "weft.replicated"(%p) {over = "rows"} : (tensor<2xf64>) -> tensor<2xf64>
  %w = "weft.independent"(%r) {number = 1 : i64, tape = 0 : i64} : (tensor<2xf64>) -> tensor<2xf64>
  %y = "weft.multiply"(%w, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %s = "weft.all_reduce"(%y) {reduction = "sum", over = "rows"} : (tensor<2xf64>) -> tensor<2xf64>
  %g = "weft.gradient"(%s, %s, %w) : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %g : tensor<2xf64>
}

// What a loop carries becomes different in it, though it was the same before.
// CHECK-LABEL: func.func @carried
// CHECK: %[[W:.*]] = "weft.independent"
// CHECK-NEXT: %[[V:.*]] = "weft.vary"(%[[W]])
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[V]])
func.func @carried(%p: tensor<2xf64>, %x: tensor<2xf64>, %n: index) -> tensor<2xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = "weft.replicated"(%p) {over = ""} : (tensor<2xf64>) -> tensor<2xf64>
  %w = "weft.independent"(%r) {number = 1 : i64, tape = 0 : i64} : (tensor<2xf64>) -> tensor<2xf64>
  %y = scf.for %i = %zero to %n step %one iter_args(%c = %w) -> (tensor<2xf64>) {
    %next = "weft.multiply"(%c, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    scf.yield %next : tensor<2xf64>
  }
  %s = "weft.all_reduce"(%y) {reduction = "sum", over = ""} : (tensor<2xf64>) -> tensor<2xf64>
  %g = "weft.gradient"(%s, %s, %w) : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %g : tensor<2xf64>
}

// A rank's own: nothing is summed.
// CHECK-LABEL: func.func @own
// CHECK-NOT: weft.vary
func.func @own(%p: tensor<2xf64>, %x: tensor<2xf64>) -> tensor<2xf64> {
  %r = "weft.local"(%p) {over = ""} : (tensor<2xf64>) -> tensor<2xf64>
  %w = "weft.independent"(%r) {number = 1 : i64, tape = 0 : i64} : (tensor<2xf64>) -> tensor<2xf64>
  %y = "weft.multiply"(%w, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %s = "weft.all_reduce"(%y) {reduction = "sum", over = ""} : (tensor<2xf64>) -> tensor<2xf64>
  %g = "weft.gradient"(%s, %s, %w) : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %g : tensor<2xf64>
}

// No derivative is asked for.
// CHECK-LABEL: func.func @no_gradient
// CHECK-NOT: weft.vary
func.func @no_gradient(%p: tensor<2xf64>, %x: tensor<2xf64>) -> tensor<2xf64> {
  %w = "weft.replicated"(%p) {over = ""} : (tensor<2xf64>) -> tensor<2xf64>
  %y = "weft.multiply"(%w, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %s = "weft.all_reduce"(%y) {reduction = "sum", over = ""} : (tensor<2xf64>) -> tensor<2xf64>
  return %s : tensor<2xf64>
}

// Numbers of the caller, and what was reduced, decide the same on all ranks.
// CHECK-LABEL: func.func @decided
// CHECK-COUNT-3: weft.all_reduce
func.func @decided(%x: tensor<2xf64>, %n: tensor<i64>) -> tensor<2xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %word = tensor.extract %n[] : tensor<i64>
  %count = arith.index_cast %word : i64 to index
  %all = scf.for %i = %zero to %count step %one iter_args(%c = %x) -> (tensor<2xf64>) {
    %next = "weft.all_reduce"(%c) {reduction = "sum", over = ""} : (tensor<2xf64>) -> tensor<2xf64>
    scf.yield %next : tensor<2xf64>
  }
  %i = arith.constant 0 : index
  %largest = "weft.all_reduce"(%x) {reduction = "max", over = ""} : (tensor<2xf64>) -> tensor<2xf64>
  %element = tensor.extract %largest[%i] : tensor<2xf64>
  %limit = arith.constant 1.0 : f64
  %is_large = arith.cmpf ogt, %element, %limit : f64
  %y = scf.if %is_large -> (tensor<2xf64>) {
    %made = "weft.all_reduce"(%all) {reduction = "sum", over = ""} : (tensor<2xf64>) -> tensor<2xf64>
    scf.yield %made : tensor<2xf64>
  } else {
    scf.yield %all : tensor<2xf64>
  }
  return %y : tensor<2xf64>
}
