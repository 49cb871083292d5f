// RUN: weft-opt %s --optimize-control-flow --split-input-file | filecheck %s
// RUN: weft-opt %s --optimize-control-flow --split-input-file --mlir-pass-statistics -o %t 2>&1 | filecheck %s --check-prefix=STATISTICS

// STATISTICS: optimize-control-flow
// STATISTICS: branches replaced
// STATISTICS: loops replaced

// `for` with an early exit on a condition that is not there: all that is left is a loop that counts.
// CHECK-LABEL: func.func @chain
// CHECK-NOT: scf.while
// CHECK-NOT: scf.if
// CHECK: scf.for %{{.*}} iter_args(%[[A:.*]] = %{{.*}}) -> (tensor<f64>) {
// CHECK-NOT: scf.if
// CHECK: return
func.func @chain(%n: tensor<i64>, %x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %zero = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %false = "weft.constant"() {value = dense<false> : tensor<i1>} : () -> tensor<i1>
  %r:3 = scf.while (%i = %zero, %s = %zero, %a = %x) : (tensor<i64>, tensor<i64>, tensor<f64>) -> (tensor<i64>, tensor<i64>, tensor<f64>) {
    %m = "weft.add"(%n, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %c = "weft.less"(%i, %m) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %go = "weft.equal"(%s, %zero) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %d = "weft.logical_and"(%go, %c) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %b = tensor.extract %d[] : tensor<i1>
    scf.condition(%b) %i, %s, %a : tensor<i64>, tensor<i64>, tensor<f64>
  } do {
  ^bb0(%i: tensor<i64>, %s: tensor<i64>, %a: tensor<f64>):
    %never = tensor.extract %false[] : tensor<i1>
    %status = scf.if %never -> tensor<i64> {
      scf.yield %one : tensor<i64>
    } else {
      scf.yield %zero : tensor<i64>
    }
    %ok = "weft.equal"(%status, %zero) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %okb = tensor.extract %ok[] : tensor<i1>
    %rest:2 = scf.if %okb -> (tensor<i64>, tensor<f64>) {
      %p = "weft.greater"(%a, %y) : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %pb = tensor.extract %p[] : tensor<i1>
      %q = scf.if %pb -> tensor<f64> {
        %0 = "weft.subtract"(%a, %y) : (tensor<f64>, tensor<f64>) -> tensor<f64>
        scf.yield %0 : tensor<f64>
      } else {
        %0 = "weft.add"(%a, %y) : (tensor<f64>, tensor<f64>) -> tensor<f64>
        scf.yield %0 : tensor<f64>
      }
      %i1 = "weft.add"(%i, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      scf.yield %i1, %q : tensor<i64>, tensor<f64>
    } else {
      scf.yield %i, %a : tensor<i64>, tensor<f64>
    }
    scf.yield %rest#0, %status, %rest#1 : tensor<i64>, tensor<i64>, tensor<f64>
  }
  return %r#2 : tensor<f64>
}

// -----

// A program without branches and loops stays as it is, also what cse would merge.
// CHECK-LABEL: func.func @straight
// CHECK-COUNT-2: "weft.square"
func.func @straight(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %0 = "weft.square"(%x) : (tensor<f64>) -> tensor<f64>
  %1 = "weft.square"(%x) : (tensor<f64>) -> tensor<f64>
  return %0, %1 : tensor<f64>, tensor<f64>
}
