// RUN: weft-opt %s --join-number-kernels | filecheck %s

// What reads an array of one element that lies where a number is stored goes on behind it.
// CHECK-LABEL: func.func @alias(
// CHECK: call @kernel_0(
// CHECK: call @kernel_1(
module attributes {weft.sites = []} {
  func.func @alias(%x: memref<4xf64>, %arena: memref<192xi8>, %record: memref<20xi64>)
    attributes {weft.plan = {blocks = 0 : i64, calls = false, copies = 0 : i64, inputs = [tensor<4xf64>], on_heap = [], on_host = [], polls = false, results = [], sizes, workspace = 192 : i64, written = []}} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %first = memref.view %arena[%c64][] : memref<192xi8> to memref<f64>
    %number = memref.view %arena[%c0][] : memref<192xi8> to memref<f64>
    call @kernel_0(%first, %number) : (memref<f64>, memref<f64>) -> ()
    %array = memref.view %arena[%c0][] : memref<192xi8> to memref<1xf64>
    %y = memref.view %arena[%c128][] : memref<192xi8> to memref<f64>
    call @kernel_1(%array, %y) : (memref<1xf64>, memref<f64>) -> ()
    return
  }
  func.func private @kernel_0(%x: memref<f64>, %y: memref<f64>) attributes {weft.side = "device", weft.reason = "there"} {
    %0 = bufferization.to_tensor %x restrict : memref<f64> to tensor<f64>
    %1 = tensor.extract %0[] : tensor<f64>
    %2 = arith.addf %1, %1 : f64
    %3 = tensor.from_elements %2 : tensor<f64>
    bufferization.materialize_in_destination %3 in restrict writable %y : (tensor<f64>, memref<f64>) -> ()
    return
  }
  func.func private @kernel_1(%x: memref<1xf64>, %y: memref<f64>) attributes {weft.side = "device", weft.reason = "there"} {
    %c0 = arith.constant 0 : index
    %0 = bufferization.to_tensor %x restrict : memref<1xf64> to tensor<1xf64>
    %1 = tensor.extract %0[%c0] : tensor<1xf64>
    %3 = tensor.from_elements %1 : tensor<f64>
    bufferization.materialize_in_destination %3 in restrict writable %y : (tensor<f64>, memref<f64>) -> ()
    return
  }
}
