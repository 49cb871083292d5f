// RUN: weft-opt %s --weft-fold --cse --thread-branches --canonicalize --split-input-file | filecheck %s

// A status that one branch leaves decides the second branch: an early return is if and else.
// CHECK-LABEL: func.func @early_return
// CHECK: %[[R:.*]] = scf.if
// CHECK: "weft.square"
// CHECK: } else {
// CHECK-NOT: scf.if
// CHECK: "weft.negative"
// CHECK-NOT: scf.if
// CHECK: return
func.func @early_return(%x: tensor<4xf64>, %c: tensor<i1>) -> tensor<4xf64> {
  %zero = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %b = tensor.extract %c[] : tensor<i1>
  %first:2 = scf.if %b -> (tensor<i64>, tensor<4xf64>) {
    %0 = "weft.square"(%x) : (tensor<4xf64>) -> tensor<4xf64>
    scf.yield %one, %0 : tensor<i64>, tensor<4xf64>
  } else {
    scf.yield %zero, %x : tensor<i64>, tensor<4xf64>
  }
  %go = "weft.equal"(%first#0, %zero) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %bb = tensor.extract %go[] : tensor<i1>
  %second = scf.if %bb -> tensor<4xf64> {
    %0 = "weft.negative"(%first#1) : (tensor<4xf64>) -> tensor<4xf64>
    scf.yield %0 : tensor<4xf64>
  } else {
    scf.yield %first#1 : tensor<4xf64>
  }
  return %second : tensor<4xf64>
}

// -----

// Two early returns: the status of the first is known where it returned, and comes from the second otherwise.
// CHECK-LABEL: func.func @two_returns
// CHECK: scf.if
// CHECK: "weft.square"
// CHECK: } else {
// CHECK: "weft.isnan"
// CHECK: scf.if
// CHECK: "weft.negative"
// CHECK: } else {
// CHECK: "weft.floor"
// CHECK-NOT: scf.if
// CHECK: return
func.func @two_returns(%x: tensor<f64>, %c: tensor<i1>) -> tensor<f64> {
  %zero = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %b = tensor.extract %c[] : tensor<i1>
  %first:2 = scf.if %b -> (tensor<i64>, tensor<f64>) {
    %0 = "weft.square"(%x) : (tensor<f64>) -> tensor<f64>
    scf.yield %one, %0 : tensor<i64>, tensor<f64>
  } else {
    scf.yield %zero, %x : tensor<i64>, tensor<f64>
  }
  %go = "weft.equal"(%first#0, %zero) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %gob = tensor.extract %go[] : tensor<i1>
  %second:2 = scf.if %gob -> (tensor<i64>, tensor<f64>) {
    %d = "weft.isnan"(%x) : (tensor<f64>) -> tensor<i1>
    %db = tensor.extract %d[] : tensor<i1>
    %inner:2 = scf.if %db -> (tensor<i64>, tensor<f64>) {
      %0 = "weft.negative"(%x) : (tensor<f64>) -> tensor<f64>
      scf.yield %one, %0 : tensor<i64>, tensor<f64>
    } else {
      scf.yield %zero, %x : tensor<i64>, tensor<f64>
    }
    scf.yield %inner#0, %inner#1 : tensor<i64>, tensor<f64>
  } else {
    scf.yield %first#0, %first#1 : tensor<i64>, tensor<f64>
  }
  %last = "weft.equal"(%second#0, %zero) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %lastb = tensor.extract %last[] : tensor<i1>
  %third = scf.if %lastb -> tensor<f64> {
    %0 = "weft.floor"(%x) : (tensor<f64>) -> tensor<f64>
    scf.yield %0 : tensor<f64>
  } else {
    scf.yield %second#1 : tensor<f64>
  }
  return %third : tensor<f64>
}

// -----

// Branches on one condition become one branch, and what stands between them moves.
// CHECK-LABEL: func.func @same_condition
// CHECK: "weft.exp"
// CHECK-COUNT-1: scf.if
// CHECK-NOT: scf.if
func.func @same_condition(%x: tensor<4xf64>, %c: tensor<i1>) -> (tensor<4xf64>, tensor<4xf64>) {
  %b = tensor.extract %c[] : tensor<i1>
  %p = scf.if %b -> tensor<4xf64> {
    %0 = "weft.square"(%x) : (tensor<4xf64>) -> tensor<4xf64>
    scf.yield %0 : tensor<4xf64>
  } else {
    scf.yield %x : tensor<4xf64>
  }
  %e = "weft.exp"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  %q = scf.if %b -> tensor<4xf64> {
    %0 = "weft.add"(%e, %p) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    scf.yield %0 : tensor<4xf64>
  } else {
    scf.yield %e : tensor<4xf64>
  }
  return %p, %q : tensor<4xf64>, tensor<4xf64>
}

// -----

// Branches with nothing known stay, and so do branches with an effect between them.
// CHECK-LABEL: func.func @unrelated
// CHECK-COUNT-2: scf.if
func.func @unrelated(%x: tensor<4xf64>, %c: tensor<i1>, %d: tensor<i1>) -> tensor<4xf64> {
  %b = tensor.extract %c[] : tensor<i1>
  %e = tensor.extract %d[] : tensor<i1>
  %p = scf.if %b -> tensor<4xf64> {
    %0 = "weft.square"(%x) : (tensor<4xf64>) -> tensor<4xf64>
    scf.yield %0 : tensor<4xf64>
  } else {
    scf.yield %x : tensor<4xf64>
  }
  %q = scf.if %e -> tensor<4xf64> {
    %0 = "weft.exp"(%p) : (tensor<4xf64>) -> tensor<4xf64>
    scf.yield %0 : tensor<4xf64>
  } else {
    scf.yield %p : tensor<4xf64>
  }
  return %q : tensor<4xf64>
}

// CHECK-LABEL: func.func @effect_between
// CHECK: scf.if
// CHECK: weft.raise_if
// CHECK: scf.if
func.func @effect_between(%x: tensor<4xf64>, %c: tensor<i1>, %d: tensor<i1>) -> tensor<4xf64> {
  %b = tensor.extract %c[] : tensor<i1>
  scf.if %b {
    "weft.raise_if"(%c) {error = "ValueError", message = "first"} : (tensor<i1>) -> ()
  }
  "weft.raise_if"(%d) {error = "ValueError", message = "second"} : (tensor<i1>) -> ()
  %p = scf.if %b -> tensor<4xf64> {
    %0 = "weft.square"(%x) : (tensor<4xf64>) -> tensor<4xf64>
    scf.yield %0 : tensor<4xf64>
  } else {
    scf.yield %x : tensor<4xf64>
  }
  return %p : tensor<4xf64>
}

// -----

// As the frontend records it: for i in range(5): if x[i] > y: return s; s += 2 * x[i]
// CHECK-LABEL: func.func @search
// CHECK-NOT: weft.equal
// CHECK-COUNT-4: scf.if
// CHECK-NOT: weft.equal
// CHECK: return
func.func @search(%arg0: tensor<5xf64>, %arg1: tensor<f64>) -> tensor<f64> {
  %0 = "weft.slice"(%arg0) {start = array<i64: 0>, step = array<i64: 1>, stop = array<i64: 1>} : (tensor<5xf64>) -> tensor<1xf64>
  %1 = "weft.squeeze"(%0) {axes = array<i64: 0>} : (tensor<1xf64>) -> tensor<f64>
  %2 = "weft.greater"(%1, %arg1) : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %extracted = tensor.extract %2[] : tensor<i1>
  %3:3 = scf.if %extracted -> (tensor<i64>, tensor<i1>, tensor<f64>) {
    %19 = "weft.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
    %20 = "weft.constant"() {value = dense<false> : tensor<i1>} : () -> tensor<i1>
    %21 = "weft.constant"() {value = dense<0.000000e+00> : tensor<f64>} : () -> tensor<f64>
    scf.yield %19, %20, %21 : tensor<i64>, tensor<i1>, tensor<f64>
  } else {
    %19 = "weft.slice"(%arg0) {start = array<i64: 0>, step = array<i64: 1>, stop = array<i64: 1>} : (tensor<5xf64>) -> tensor<1xf64>
    %20 = "weft.squeeze"(%19) {axes = array<i64: 0>} : (tensor<1xf64>) -> tensor<f64>
    %21 = "weft.constant"() {value = dense<2.000000e+00> : tensor<f64>} : () -> tensor<f64>
    %22 = "weft.multiply"(%20, %21) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %23 = "weft.constant"() {value = dense<0.000000e+00> : tensor<f64>} : () -> tensor<f64>
    %24 = "weft.add"(%23, %22) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %25 = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
    %26 = "weft.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
    scf.yield %25, %26, %24 : tensor<i64>, tensor<i1>, tensor<f64>
  }
  %4 = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %5 = "weft.equal"(%3#0, %4) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %extracted_0 = tensor.extract %5[] : tensor<i1>
  %6:5 = scf.if %extracted_0 -> (tensor<i64>, tensor<i64>, tensor<i1>, tensor<f64>, tensor<f64>) {
    %19 = "weft.slice"(%arg0) {start = array<i64: 1>, step = array<i64: 1>, stop = array<i64: 2>} : (tensor<5xf64>) -> tensor<1xf64>
    %20 = "weft.squeeze"(%19) {axes = array<i64: 0>} : (tensor<1xf64>) -> tensor<f64>
    %21 = "weft.greater"(%20, %arg1) : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %extracted_5 = tensor.extract %21[] : tensor<i1>
    %22:4 = scf.if %extracted_5 -> (tensor<i64>, tensor<i1>, tensor<f64>, tensor<f64>) {
      %24 = "weft.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
      %25 = "weft.constant"() {value = dense<false> : tensor<i1>} : () -> tensor<i1>
      scf.yield %24, %25, %3#2, %3#2 : tensor<i64>, tensor<i1>, tensor<f64>, tensor<f64>
    } else {
      %24 = "weft.slice"(%arg0) {start = array<i64: 1>, step = array<i64: 1>, stop = array<i64: 2>} : (tensor<5xf64>) -> tensor<1xf64>
      %25 = "weft.squeeze"(%24) {axes = array<i64: 0>} : (tensor<1xf64>) -> tensor<f64>
      %26 = "weft.constant"() {value = dense<2.000000e+00> : tensor<f64>} : () -> tensor<f64>
      %27 = "weft.multiply"(%25, %26) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      %28 = "weft.add"(%3#2, %27) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      %29 = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
      %30 = "weft.constant"() {value = dense<0.000000e+00> : tensor<f64>} : () -> tensor<f64>
      scf.yield %29, %3#1, %30, %28 : tensor<i64>, tensor<i1>, tensor<f64>, tensor<f64>
    }
    %23 = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
    scf.yield %22#0, %23, %22#1, %22#2, %22#3 : tensor<i64>, tensor<i64>, tensor<i1>, tensor<f64>, tensor<f64>
  } else {
    %19 = "weft.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
    %20 = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
    %21 = "weft.constant"() {value = dense<0.000000e+00> : tensor<f64>} : () -> tensor<f64>
    scf.yield %19, %20, %3#1, %21, %3#2 : tensor<i64>, tensor<i64>, tensor<i1>, tensor<f64>, tensor<f64>
  }
  %7 = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %8 = "weft.equal"(%6#0, %7) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %extracted_1 = tensor.extract %8[] : tensor<i1>
  %9:5 = scf.if %extracted_1 -> (tensor<i64>, tensor<i64>, tensor<i1>, tensor<f64>, tensor<f64>) {
    %19 = "weft.slice"(%arg0) {start = array<i64: 2>, step = array<i64: 1>, stop = array<i64: 3>} : (tensor<5xf64>) -> tensor<1xf64>
    %20 = "weft.squeeze"(%19) {axes = array<i64: 0>} : (tensor<1xf64>) -> tensor<f64>
    %21 = "weft.greater"(%20, %arg1) : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %extracted_5 = tensor.extract %21[] : tensor<i1>
    %22:4 = scf.if %extracted_5 -> (tensor<i64>, tensor<i1>, tensor<f64>, tensor<f64>) {
      %24 = "weft.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
      %25 = "weft.constant"() {value = dense<false> : tensor<i1>} : () -> tensor<i1>
      scf.yield %24, %25, %6#4, %6#4 : tensor<i64>, tensor<i1>, tensor<f64>, tensor<f64>
    } else {
      %24 = "weft.slice"(%arg0) {start = array<i64: 2>, step = array<i64: 1>, stop = array<i64: 3>} : (tensor<5xf64>) -> tensor<1xf64>
      %25 = "weft.squeeze"(%24) {axes = array<i64: 0>} : (tensor<1xf64>) -> tensor<f64>
      %26 = "weft.constant"() {value = dense<2.000000e+00> : tensor<f64>} : () -> tensor<f64>
      %27 = "weft.multiply"(%25, %26) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      %28 = "weft.add"(%6#4, %27) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      %29 = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
      scf.yield %29, %6#2, %6#3, %28 : tensor<i64>, tensor<i1>, tensor<f64>, tensor<f64>
    }
    %23 = "weft.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
    scf.yield %22#0, %23, %22#1, %22#2, %22#3 : tensor<i64>, tensor<i64>, tensor<i1>, tensor<f64>, tensor<f64>
  } else {
    %19 = "weft.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
    scf.yield %19, %6#1, %6#2, %6#3, %6#4 : tensor<i64>, tensor<i64>, tensor<i1>, tensor<f64>, tensor<f64>
  }
  %10 = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %11 = "weft.equal"(%9#0, %10) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %extracted_2 = tensor.extract %11[] : tensor<i1>
  %12:5 = scf.if %extracted_2 -> (tensor<i64>, tensor<i64>, tensor<i1>, tensor<f64>, tensor<f64>) {
    %19 = "weft.slice"(%arg0) {start = array<i64: 3>, step = array<i64: 1>, stop = array<i64: 4>} : (tensor<5xf64>) -> tensor<1xf64>
    %20 = "weft.squeeze"(%19) {axes = array<i64: 0>} : (tensor<1xf64>) -> tensor<f64>
    %21 = "weft.greater"(%20, %arg1) : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %extracted_5 = tensor.extract %21[] : tensor<i1>
    %22:4 = scf.if %extracted_5 -> (tensor<i64>, tensor<i1>, tensor<f64>, tensor<f64>) {
      %24 = "weft.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
      %25 = "weft.constant"() {value = dense<false> : tensor<i1>} : () -> tensor<i1>
      scf.yield %24, %25, %9#4, %9#4 : tensor<i64>, tensor<i1>, tensor<f64>, tensor<f64>
    } else {
      %24 = "weft.slice"(%arg0) {start = array<i64: 3>, step = array<i64: 1>, stop = array<i64: 4>} : (tensor<5xf64>) -> tensor<1xf64>
      %25 = "weft.squeeze"(%24) {axes = array<i64: 0>} : (tensor<1xf64>) -> tensor<f64>
      %26 = "weft.constant"() {value = dense<2.000000e+00> : tensor<f64>} : () -> tensor<f64>
      %27 = "weft.multiply"(%25, %26) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      %28 = "weft.add"(%9#4, %27) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      %29 = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
      scf.yield %29, %9#2, %9#3, %28 : tensor<i64>, tensor<i1>, tensor<f64>, tensor<f64>
    }
    %23 = "weft.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
    scf.yield %22#0, %23, %22#1, %22#2, %22#3 : tensor<i64>, tensor<i64>, tensor<i1>, tensor<f64>, tensor<f64>
  } else {
    %19 = "weft.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
    scf.yield %19, %9#1, %9#2, %9#3, %9#4 : tensor<i64>, tensor<i64>, tensor<i1>, tensor<f64>, tensor<f64>
  }
  %13 = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %14 = "weft.equal"(%12#0, %13) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %extracted_3 = tensor.extract %14[] : tensor<i1>
  %15:5 = scf.if %extracted_3 -> (tensor<i64>, tensor<i64>, tensor<i1>, tensor<f64>, tensor<f64>) {
    %19 = "weft.slice"(%arg0) {start = array<i64: 4>, step = array<i64: 1>, stop = array<i64: 5>} : (tensor<5xf64>) -> tensor<1xf64>
    %20 = "weft.squeeze"(%19) {axes = array<i64: 0>} : (tensor<1xf64>) -> tensor<f64>
    %21 = "weft.greater"(%20, %arg1) : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %extracted_5 = tensor.extract %21[] : tensor<i1>
    %22:4 = scf.if %extracted_5 -> (tensor<i64>, tensor<i1>, tensor<f64>, tensor<f64>) {
      %24 = "weft.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
      %25 = "weft.constant"() {value = dense<false> : tensor<i1>} : () -> tensor<i1>
      scf.yield %24, %25, %12#4, %12#4 : tensor<i64>, tensor<i1>, tensor<f64>, tensor<f64>
    } else {
      %24 = "weft.slice"(%arg0) {start = array<i64: 4>, step = array<i64: 1>, stop = array<i64: 5>} : (tensor<5xf64>) -> tensor<1xf64>
      %25 = "weft.squeeze"(%24) {axes = array<i64: 0>} : (tensor<1xf64>) -> tensor<f64>
      %26 = "weft.constant"() {value = dense<2.000000e+00> : tensor<f64>} : () -> tensor<f64>
      %27 = "weft.multiply"(%25, %26) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      %28 = "weft.add"(%12#4, %27) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      %29 = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
      scf.yield %29, %12#2, %12#3, %28 : tensor<i64>, tensor<i1>, tensor<f64>, tensor<f64>
    }
    %23 = "weft.constant"() {value = dense<4> : tensor<i64>} : () -> tensor<i64>
    scf.yield %22#0, %23, %22#1, %22#2, %22#3 : tensor<i64>, tensor<i64>, tensor<i1>, tensor<f64>, tensor<f64>
  } else {
    %19 = "weft.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
    scf.yield %19, %12#1, %12#2, %12#3, %12#4 : tensor<i64>, tensor<i64>, tensor<i1>, tensor<f64>, tensor<f64>
  }
  %16 = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %17 = "weft.equal"(%15#0, %16) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %extracted_4 = tensor.extract %17[] : tensor<i1>
  %18:2 = scf.if %extracted_4 -> (tensor<i1>, tensor<f64>) {
    %19 = "weft.constant"() {value = dense<false> : tensor<i1>} : () -> tensor<i1>
    scf.yield %19, %15#4 : tensor<i1>, tensor<f64>
  } else {
    scf.yield %15#2, %15#3 : tensor<i1>, tensor<f64>
  }
  return %18#1 : tensor<f64>
}
