// RUN: weft-opt %s --weft-to-linalg --version-stretches | filecheck %s
// RUN: weft-opt %s --weft-to-linalg --version-stretches --outline-kernels | filecheck %s --check-prefix=KERNELS

// CHECK-NOT: weft.stretch

// One decision for all arrays that a kernel reads; where all agree it reads them as they are.
// CHECK-LABEL: func.func @sum
// CHECK: %[[EQUAL:.*]] = arith.andi
// CHECK-NEXT: %[[R:.*]] = scf.if %[[EQUAL]]
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 :
// CHECK: } else {
// CHECK: %[[X:.*]] = linalg.generic
// CHECK: arith.minsi
// CHECK: tensor.extract %arg0
// CHECK: %[[Y:.*]] = linalg.generic
// CHECK: tensor.extract %arg1
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[Y]] :
// CHECK: return %[[R]]
// KERNELS-LABEL: func.func @sum
// KERNELS: scf.if
// KERNELS: call @[[FAST:kernel_[0-9]*]](%arg0, %arg1
// KERNELS: } else {
// KERNELS: call @[[REPEAT:kernel_[0-9]*]]({{.*}}%arg0
// KERNELS: call @[[REPEAT]]({{.*}}%arg1
func.func @sum(%x: tensor<?xf64>, %y: tensor<?xf64>, %n: tensor<i64>) -> tensor<f64> {
  %0 = "weft.stretch"(%x, %n) {shape = array<i64: -1>} : (tensor<?xf64>, tensor<i64>) -> tensor<?xf64>
  %1 = "weft.stretch"(%y, %n) {shape = array<i64: -1>} : (tensor<?xf64>, tensor<i64>) -> tensor<?xf64>
  %2 = "weft.multiply"(%0, %1) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %3 = "weft.sum"(%2) {axes = array<i64: 0>, keepdims = false} : (tensor<?xf64>) -> tensor<f64>
  return %3 : tensor<f64>
}

// Arrays are stretched where they are used, in loops.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for
// CHECK: scf.if
func.func @loop(%x: tensor<?xf64>, %y: tensor<?xf64>, %n: tensor<i64>, %a: index, %b: index) -> tensor<?xf64> {
  %0 = "weft.stretch"(%x, %n) {shape = array<i64: -1>} : (tensor<?xf64>, tensor<i64>) -> tensor<?xf64>
  %1 = scf.for %i = %a to %b step %a iter_args(%sum = %y) -> tensor<?xf64> {
    %2 = "weft.add"(%sum, %0) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    scf.yield %2 : tensor<?xf64>
  }
  return %1 : tensor<?xf64>
}

// What is returned is repeated, or copied.
// CHECK-LABEL: func.func @returned
// CHECK: scf.if
// CHECK-NEXT: tensor.cast %arg0 : tensor<?x3xf64> to tensor<4x3xf64>
// CHECK-NEXT: scf.yield
func.func @returned(%x: tensor<?x3xf64>) -> tensor<4x3xf64> {
  %0 = "weft.stretch"(%x) {shape = array<i64: 4, 3>} : (tensor<?x3xf64>) -> tensor<4x3xf64>
  return %0 : tensor<4x3xf64>
}

// Kernels that stretch nothing stay as they are.
// CHECK-LABEL: func.func @other
// CHECK-NOT: scf.if
func.func @other(%x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %0 = "weft.multiply"(%x, %y) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  return %0 : tensor<?xf64>
}

// A slice has the known size itself; it is read by the loops, and not copied in front of them.
// CHECK-LABEL: func.func @slice
// CHECK: scf.if
// CHECK: %[[S:.*]] = tensor.extract_slice %arg0[0, 1] [4, 2] [1, 1] : tensor<?x3xf64> to tensor<4x2xf64>
// CHECK-NOT: tensor.cast
// CHECK: linalg.generic {{.*}} ins(%[[S]],
// CHECK: } else {
func.func @slice(%x: tensor<?x3xf64>, %y: tensor<4x2xf64>, %n: tensor<i64>) -> tensor<4x2xf64> {
  %0 = "weft.dynamic_slice"(%x, %n) {start = array<i64: 0, 1>, start_axes = array<i64>, step = array<i64: 1, 1>, stop = array<i64: 0, 3>, stop_axes = array<i64: 0>} : (tensor<?x3xf64>, tensor<i64>) -> tensor<?x2xf64>
  %1 = "weft.stretch"(%0) {shape = array<i64: 4, 2>} : (tensor<?x2xf64>) -> tensor<4x2xf64>
  %2 = "weft.multiply"(%1, %y) : (tensor<4x2xf64>, tensor<4x2xf64>) -> tensor<4x2xf64>
  return %2 : tensor<4x2xf64>
}

// Where a loop stretches and what it makes is stretched again, nothing is asked of what moves into the branches.
// CHECK-LABEL: func.func @again
// CHECK-NOT: weft.stretch
// CHECK: scf.if
// CHECK-NOT: weft.stretch
// CHECK: return
func.func @again(%x: tensor<?x3xf64>, %y: tensor<?x3xf64>, %n: tensor<i64>, %m: tensor<i64>) -> tensor<?xf64> {
  %0 = "weft.stretch"(%x, %n) {shape = array<i64: -1, 3>} : (tensor<?x3xf64>, tensor<i64>) -> tensor<?x3xf64>
  %1 = "weft.exp"(%0) : (tensor<?x3xf64>) -> tensor<?x3xf64>
  %2 = "weft.stretch"(%1, %m) {shape = array<i64: -1, 3>} : (tensor<?x3xf64>, tensor<i64>) -> tensor<?x3xf64>
  %3 = "weft.stretch"(%y, %m) {shape = array<i64: -1, 3>} : (tensor<?x3xf64>, tensor<i64>) -> tensor<?x3xf64>
  %4 = "weft.multiply"(%2, %3) : (tensor<?x3xf64>, tensor<?x3xf64>) -> tensor<?x3xf64>
  %5 = "weft.sum"(%4) {axes = array<i64: 1>, keepdims = false} : (tensor<?x3xf64>) -> tensor<?xf64>
  return %5 : tensor<?xf64>
}
