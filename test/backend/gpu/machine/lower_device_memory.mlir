// RUN: weft-opt %s --lower-device-memory --canonicalize --cse | filecheck %s

// CHECK: module attributes {weft.constants = [@f_constant_0]
module attributes {weft.sites = []} {
  // CHECK: func.func @f(%[[X:.*]]: memref<4xf64>, %[[Y:.*]]: memref<4xf64>, %{{.*}}: memref<f64>, %[[SPACE:.*]]: memref<64xi8>, %[[RECORD:.*]]: memref<20xi64>)
  func.func @f(%x: memref<4xf64>, %y: memref<4xf64>, %r: memref<f64>, %space: memref<64xi8>, %record: memref<20xi64>) attributes {weft.plan = {blocks = 0 : i64, calls = false, copies = 0 : i64, inputs = [tensor<4xf64>, tensor<4xf64>], on_heap = [], polls = false, results = [tensor<f64>], sizes, workspace = 64 : i64, written = [1], on_host = []}} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    // CHECK: memref.alloca() : memref<f64>
    %constant = memref.get_global @f_constant_0 : memref<4xf64>
    // A copy is queued, and the call ends where the driver refuses it.
    // CHECK: call @weft_device_copy(
    // CHECK: scf.if
    // CHECK-NEXT: func.call @weft_exit()
    memref.copy %x, %y : memref<4xf64> to memref<4xf64>
    // A constant is where the device has it.
    // CHECK: call @weft_device_constant(
    // CHECK: %[[THERE:.*]] = memref.view
    // CHECK: call @kernel_0(%[[X]], %[[THERE]], %[[Y]])
    func.call @kernel_0(%x, %constant, %y) : (memref<4xf64>, memref<4xf64>, memref<4xf64>) -> ()
    // So is what views it.
    // CHECK: %[[VIEWED:.*]] = memref.cast %{{.*}} : memref<4xf64> to memref<?xf64>
    // CHECK: call @kernel_1(%[[VIEWED]])
    %viewed = memref.cast %constant : memref<4xf64> to memref<?xf64>
    func.call @kernel_1(%viewed) : (memref<?xf64>) -> ()
    // The host reads one element, and writes one.
    // CHECK: call @weft_device_read(
    %v = memref.load %x[%c2] : memref<4xf64>
    %view = memref.view %space[%c0][] : memref<64xi8> to memref<f64>
    // CHECK: call @weft_device_write(
    memref.store %v, %view[] : memref<f64>
    // What the host owns, it uses as before.
    // CHECK: memref.store %{{.*}}, %[[RECORD]][
    %c5 = arith.constant 5 : i64
    memref.store %c5, %record[%c2] : memref<20xi64>
    return
  }
  memref.global "private" constant @f_constant_0 : memref<4xf64> = dense<[1.0, 2.0, 3.0, 4.0]> {alignment = 64 : i64}
  func.func private @kernel_0(memref<4xf64>, memref<4xf64>, memref<4xf64>)
  func.func private @kernel_1(memref<?xf64>)
}
