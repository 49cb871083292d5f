// RUN: weft-opt %s --weft-differentiate --cse --weft-simplify | filecheck %s

// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[X:.*]]: tensor<3xf64>)
// CHECK-NEXT: %[[COS:.*]] = "weft.cos"(%[[X]])
// CHECK-NEXT: return %[[COS]]
func.func @chain(%x: tensor<3xf64>) -> tensor<3xf64> {
  %one = "weft.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %v = "weft.independent"(%x) {number = 0 : i64, tape = 0 : i64} : (tensor<3xf64>) -> tensor<3xf64>
  %s = "weft.sin"(%v) : (tensor<3xf64>) -> tensor<3xf64>
  %y = "weft.sum"(%s) {axes = array<i64: 0>, keepdims = false} : (tensor<3xf64>) -> tensor<f64>
  %g = "weft.gradient"(%y, %one, %v) : (tensor<f64>, tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  return %g : tensor<3xf64>
}

// What does not depend on x has no part in it.
// CHECK-LABEL: func.func @unconnected
// CHECK: %[[ZERO:.*]] = "weft.constant"() {value = dense<0.
// CHECK: %[[ZEROS:.*]] = "weft.broadcast_to"(%[[ZERO]])
// CHECK: return %[[ZEROS]]
func.func @unconnected(%x: tensor<3xf64>) -> tensor<3xf64> {
  %one = "weft.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %v = "weft.independent"(%x) {number = 0 : i64, tape = 0 : i64} : (tensor<3xf64>) -> tensor<3xf64>
  %w = "weft.stop_gradient"(%v) : (tensor<3xf64>) -> tensor<3xf64>
  %y = "weft.sum"(%w) {axes = array<i64: 0>, keepdims = false} : (tensor<3xf64>) -> tensor<f64>
  %g = "weft.gradient"(%y, %one, %v) : (tensor<f64>, tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  return %g : tensor<3xf64>
}

// What a tape that has paused reads is a constant for it, and for no other: d(x * x) is x here, and 2 x there.
// CHECK-LABEL: func.func @paused
// CHECK-SAME: (%[[X:.*]]: tensor<f64>)
// CHECK-NOT: weft.pause
// CHECK: %[[TWICE:.*]] = "weft.add"(%[[X]], %[[X]])
// CHECK: return %[[X]], %[[TWICE]]
func.func @paused(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %one = "weft.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %u = "weft.independent"(%x) {number = 0 : i64, tape = 7 : i64} : (tensor<f64>) -> tensor<f64>
  %v = "weft.independent"(%u) {number = 1 : i64, tape = 8 : i64} : (tensor<f64>) -> tensor<f64>
  %p = "weft.pause"(%v) {tape = 8 : i64} : (tensor<f64>) -> tensor<f64>
  %y = "weft.multiply"(%v, %p) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %g = "weft.gradient"(%y, %one, %v) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  %h = "weft.gradient"(%y, %one, %u) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g, %h : tensor<f64>, tensor<f64>
}

// Regions that do not meet are written, not added; the one that meets both is added.
// CHECK-LABEL: func.func @parts
// CHECK: "weft.slice_update"
// CHECK-NOT: weft.slice"
// CHECK: "weft.slice_update"
// CHECK: "weft.slice"
// CHECK: "weft.add"
// CHECK: "weft.slice_update"
// CHECK: return
func.func @parts(%x: tensor<4xf64>, %c: tensor<2xf64>) -> tensor<4xf64> {
  %v = "weft.independent"(%x) {number = 0 : i64, tape = 0 : i64} : (tensor<4xf64>) -> tensor<4xf64>
  %m = "weft.slice"(%v) {start = array<i64: 1>, stop = array<i64: 3>, step = array<i64: 1>} : (tensor<4xf64>) -> tensor<2xf64>
  %a = "weft.slice"(%v) {start = array<i64: 0>, stop = array<i64: 2>, step = array<i64: 1>} : (tensor<4xf64>) -> tensor<2xf64>
  %b = "weft.slice"(%v) {start = array<i64: 2>, stop = array<i64: 4>, step = array<i64: 1>} : (tensor<4xf64>) -> tensor<2xf64>
  %s = "weft.add"(%m, %a) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %y = "weft.add"(%s, %b) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %g = "weft.gradient"(%y, %c, %v) : (tensor<2xf64>, tensor<2xf64>, tensor<4xf64>) -> tensor<4xf64>
  return %g : tensor<4xf64>
}

// What is read of a cotangent is read before its place is cleared.
// CHECK-LABEL: func.func @written
// CHECK-SAME: (%{{.*}}: tensor<4xf64>, %[[C:.*]]: tensor<4xf64>)
// CHECK: "weft.slice"(%[[C]])
// CHECK: "weft.slice_update"(%[[C]]
func.func @written(%x: tensor<4xf64>, %c: tensor<4xf64>) -> tensor<4xf64> {
  %v = "weft.independent"(%x) {number = 0 : i64, tape = 0 : i64} : (tensor<4xf64>) -> tensor<4xf64>
  %m = "weft.slice"(%v) {start = array<i64: 1>, stop = array<i64: 3>, step = array<i64: 1>} : (tensor<4xf64>) -> tensor<2xf64>
  %s = "weft.sin"(%m) : (tensor<2xf64>) -> tensor<2xf64>
  %y = "weft.slice_update"(%v, %s) {start = array<i64: 0>, stop = array<i64: 2>, step = array<i64: 1>} : (tensor<4xf64>, tensor<2xf64>) -> tensor<4xf64>
  %g = "weft.gradient"(%y, %c, %v) : (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  return %g : tensor<4xf64>
}

// A module that asks for nothing stays as it is.
// CHECK-LABEL: func.func @plain
// CHECK-NEXT: "weft.sin"
// CHECK-NEXT: return
func.func @plain(%x: tensor<3xf64>) -> tensor<3xf64> {
  %s = "weft.sin"(%x) : (tensor<3xf64>) -> tensor<3xf64>
  return %s : tensor<3xf64>
}

// Two values with their cotangents are one sweep.
// CHECK-LABEL: func.func @pairs
// CHECK-SAME: (%[[X:.*]]: tensor<f64>, %[[C:.*]]: tensor<f64>, %[[D:.*]]: tensor<2xf64>)
// CHECK: %[[SUM:.*]] = "weft.sum"(%[[D]])
// CHECK: %[[TOTAL:.*]] = "weft.{{add|subtract}}"
// CHECK-NOT: weft.pairs
// CHECK: return
func.func @pairs(%x: tensor<f64>, %c: tensor<f64>, %d: tensor<2xf64>) -> tensor<f64> {
  %zero = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %v = "weft.independent"(%x) {number = 0 : i64, tape = 0 : i64} : (tensor<f64>) -> tensor<f64>
  %y = "weft.negative"(%v) : (tensor<f64>) -> tensor<f64>
  %z = "weft.broadcast_to"(%v) {shape = array<i64: 2>} : (tensor<f64>) -> tensor<2xf64>
  %p = "weft.pairs"(%y, %c, %zero) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  %q = "weft.pairs"(%z, %d, %p) : (tensor<2xf64>, tensor<2xf64>, tensor<f64>) -> tensor<f64>
  %g = "weft.gradient"(%q, %zero, %v) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// The cotangent of an independent value goes on to the one that it was made of.
// CHECK-LABEL: func.func @nested
// CHECK: %[[G:.*]] = "weft.multiply"
// CHECK: %[[H:.*]] = "weft.{{multiply|negative}}"
// CHECK: return %[[G]], %[[H]]
func.func @nested(%x: tensor<f64>, %c: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %v = "weft.independent"(%x) {number = 0 : i64, tape = 0 : i64} : (tensor<f64>) -> tensor<f64>
  %n = "weft.negative"(%v) : (tensor<f64>) -> tensor<f64>
  %w = "weft.independent"(%n) {number = 1 : i64, tape = 0 : i64} : (tensor<f64>) -> tensor<f64>
  %y = "weft.sin"(%w) : (tensor<f64>) -> tensor<f64>
  %g = "weft.gradient"(%y, %c, %w) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  %h = "weft.gradient"(%y, %c, %v) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g, %h : tensor<f64>, tensor<f64>
}

// What was read behind an update goes into the cotangent that this leaves, not into an array of zeros.
// CHECK-LABEL: func.func @read_behind
// CHECK: "weft.scatter"
// CHECK: %[[LEFT:.*]] = "weft.scatter"
// CHECK-NOT: weft.broadcast_to
// CHECK: "weft.gather"(%[[LEFT]]
// CHECK-NEXT: "weft.add"
// CHECK-NEXT: %[[BOTH:.*]] = "weft.scatter"(%[[LEFT]]
// CHECK-NEXT: return %[[BOTH]]
func.func @read_behind(%x: tensor<9xf64>, %u: tensor<f64>, %i: tensor<i64>, %c: tensor<9xf64>) -> tensor<9xf64> {
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %v = "weft.independent"(%x) {number = 0 : i64, tape = 0 : i64} : (tensor<9xf64>) -> tensor<9xf64>
  %q = "weft.scatter"(%v, %u, %i) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<9xf64>, tensor<f64>, tensor<i64>) -> tensor<9xf64>
  %j = "weft.add"(%i, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %o = "weft.gather"(%v, %j) {axes = array<i64: 0>, position = 0 : i64} : (tensor<9xf64>, tensor<i64>) -> tensor<f64>
  %y = "weft.multiply"(%q, %o) : (tensor<9xf64>, tensor<f64>) -> tensor<9xf64>
  %g = "weft.gradient"(%y, %c, %v) : (tensor<9xf64>, tensor<9xf64>, tensor<9xf64>) -> tensor<9xf64>
  return %g : tensor<9xf64>
}
