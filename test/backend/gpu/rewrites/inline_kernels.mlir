// RUN: weft-opt %s --inline-kernels | filecheck %s

// What a kernel calls is a part of it then; a kernel that the program calls, too, is kept.
// CHECK-LABEL: func.func @f(
// CHECK: call @kernel_1
// CHECK-NEXT: call @kernel_2
// CHECK-NOT: func.func private @kernel_0
// CHECK-LABEL: func.func private @kernel_1(
// CHECK-LABEL: func.func private @kernel_2(
// CHECK-SAME: %[[X:.*]]: memref<4xf64>, %[[Y:.*]]: memref<4xf64>
// CHECK: scf.for %[[I:.*]] =
// CHECK-NEXT: %[[NUMBER:.*]] = memref.load %[[X]][%[[I]]]
// CHECK-NEXT: memref.store %[[NUMBER]], %[[Y]][%[[I]]]
// CHECK-NEXT: memref.load %[[Y]][%[[I]]]
// CHECK-NOT: call
// CHECK-LABEL: func.func private @kernel_5(
// CHECK-SAME: %[[X:.*]]: memref<4xf64>
// CHECK: %[[NUMBER:.*]] = memref.load %[[X]]
// CHECK: memref.store %[[NUMBER]], %[[X]]
// CHECK-NOT: call
func.func @f(%x: memref<4xf64>, %y: memref<4xf64>) {
  %c0 = arith.constant 0 : index
  call @kernel_1(%x, %c0) : (memref<4xf64>, index) -> ()
  call @kernel_2(%x, %y) : (memref<4xf64>, memref<4xf64>) -> ()
  return
}
func.func private @kernel_0(%x: memref<4xf64>, %y: memref<4xf64>, %i: index) {
  %0 = memref.load %x[%i] : memref<4xf64>
  memref.store %0, %y[%i] : memref<4xf64>
  return
}
func.func private @kernel_1(%x: memref<4xf64>, %i: index) {
  %0 = memref.load %x[%i] : memref<4xf64>
  %1 = arith.addf %0, %0 : f64
  memref.store %1, %x[%i] : memref<4xf64>
  return
}
func.func private @kernel_2(%x: memref<4xf64>, %y: memref<4xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    func.call @kernel_0(%x, %y, %i) : (memref<4xf64>, memref<4xf64>, index) -> ()
    func.call @kernel_1(%y, %i) : (memref<4xf64>, index) -> ()
  }
  return
}

// A number that a kernel returns.
func.func private @kernel_4(%x: memref<4xf64>, %i: index) -> f64 {
  %0 = memref.load %x[%i] : memref<4xf64>
  return %0 : f64
}
func.func private @kernel_5(%x: memref<4xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = func.call @kernel_4(%x, %c0) : (memref<4xf64>, index) -> f64
  memref.store %0, %x[%c1] : memref<4xf64>
  return
}
