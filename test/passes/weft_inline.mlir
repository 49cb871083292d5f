// RUN: weft-opt %s --weft-inline --symbol-dce | filecheck %s
// RUN: weft-opt %s --weft-inline --mlir-print-debuginfo | filecheck %s --check-prefix=LOCATION

// CHECK-NOT: @square
// CHECK-NOT: @quartic
func.func private @square(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "weft.multiply"(%x, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func private @quartic(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = call @square(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %1 = call @square(%0) : (tensor<3xf32>) -> tensor<3xf32>
  return %1, %x : tensor<3xf32>, tensor<3xf32>
}

// Calls in what was inlined are inlined, too.
// CHECK-LABEL: func.func @nested
// CHECK-SAME: (%[[X:.*]]: tensor<3xf32>)
// CHECK-NEXT: %[[A:.*]] = "weft.multiply"(%[[X]], %[[X]])
// CHECK-NEXT: %[[B:.*]] = "weft.multiply"(%[[A]], %[[A]])
// CHECK-NEXT: %[[C:.*]] = "weft.add"(%[[B]], %[[X]])
// CHECK-NEXT: return %[[C]]
// LOCATION-LABEL: func.func @nested
// LOCATION: "weft.multiply"{{.*}} loc(#[[AT:.*]])
// LOCATION: #[[AT]] = loc(callsite({{.*}} at
func.func @nested(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0:2 = call @quartic(%x) : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %1 = "weft.add"(%0#0, %0#1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// Cells are passed on.
func.func private @store(%ref: !weft.ref<tensor<3xf32>>, %x: tensor<3xf32>) {
  "weft.write_ref"(%ref, %x) : (!weft.ref<tensor<3xf32>>, tensor<3xf32>) -> ()
  return
}
// CHECK-LABEL: func.func @cells
// CHECK-SAME: (%[[REF:.*]]: !weft.ref<tensor<3xf32>>, %[[X:.*]]: tensor<3xf32>)
// CHECK-NEXT: "weft.write_ref"(%[[REF]], %[[X]])
// CHECK-NEXT: return
func.func @cells(%ref: !weft.ref<tensor<3xf32>>, %x: tensor<3xf32>) {
  call @store(%ref, %x) : (!weft.ref<tensor<3xf32>>, tensor<3xf32>) -> ()
  return
}

// A call in a region is inlined there.
// CHECK-LABEL: func.func @in_region
// CHECK: scf.if
// CHECK-NEXT: "weft.multiply"
// CHECK-NEXT: scf.yield
func.func @in_region(%x: tensor<3xf32>, %condition: i1) -> tensor<3xf32> {
  %0 = scf.if %condition -> tensor<3xf32> {
    %1 = func.call @square(%x) : (tensor<3xf32>) -> tensor<3xf32>
    scf.yield %1 : tensor<3xf32>
  } else {
    scf.yield %x : tensor<3xf32>
  }
  return %0 : tensor<3xf32>
}

// Recursion, functions without a body and public functions are called.
// CHECK-LABEL: func.func private @forever
// CHECK: call @forever
func.func private @forever(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = call @forever(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func private @elsewhere(%x: tensor<3xf32>) -> tensor<3xf32>
// CHECK-LABEL: func.func @stays
// CHECK: call @forever
// CHECK: call @elsewhere
// CHECK: call @nested
func.func @stays(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = call @forever(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %1 = call @elsewhere(%0) : (tensor<3xf32>) -> tensor<3xf32>
  %2 = call @nested(%1) : (tensor<3xf32>) -> tensor<3xf32>
  return %2 : tensor<3xf32>
}

// Functions that call each other are recursive: nothing of them is inlined, but what they call otherwise is.
// CHECK-LABEL: func.func private @ping
// CHECK: scf.if
// CHECK-NEXT: call @pong
// CHECK: "weft.multiply"
// CHECK-LABEL: func.func private @pong
// CHECK: call @ping
// CHECK-LABEL: func.func @calls_ping
// CHECK-NEXT: call @ping
func.func private @ping(%x: tensor<3xf32>, %c: i1) -> tensor<3xf32> {
  %0 = scf.if %c -> tensor<3xf32> {
    %1 = func.call @pong(%x, %c) : (tensor<3xf32>, i1) -> tensor<3xf32>
    scf.yield %1 : tensor<3xf32>
  } else {
    %1 = func.call @square(%x) : (tensor<3xf32>) -> tensor<3xf32>
    scf.yield %1 : tensor<3xf32>
  }
  return %0 : tensor<3xf32>
}
func.func private @pong(%x: tensor<3xf32>, %c: i1) -> tensor<3xf32> {
  %0 = call @ping(%x, %c) : (tensor<3xf32>, i1) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func @calls_ping(%x: tensor<3xf32>, %c: i1) -> tensor<3xf32> {
  %0 = call @ping(%x, %c) : (tensor<3xf32>, i1) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// A body with regions is inlined with what they use from outside.
// CHECK-LABEL: func.func @loops
// CHECK-SAME: (%[[X:.*]]: tensor<3xf32>, %[[N:.*]]: index)
// CHECK: scf.for {{.*}} to %[[N]] {{.*}} iter_args(%[[A:.*]] = %[[X]])
// CHECK-NEXT: "weft.add"(%[[A]], %[[X]])
func.func private @add_often(%x: tensor<3xf32>, %n: index) -> tensor<3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<3xf32> {
    %1 = "weft.add"(%a, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    scf.yield %1 : tensor<3xf32>
  }
  return %0 : tensor<3xf32>
}
func.func @loops(%x: tensor<3xf32>, %n: index) -> tensor<3xf32> {
  %0 = call @add_often(%x, %n) : (tensor<3xf32>, index) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// A function that is marked to stay is called.
// CHECK-LABEL: func.func @calls_kept
// CHECK: call @kept
func.func private @kept(%x: tensor<3xf32>) -> tensor<3xf32> attributes {weft.stays} {
  %0 = "weft.add"(%x, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func @calls_kept(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = call @kept(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
