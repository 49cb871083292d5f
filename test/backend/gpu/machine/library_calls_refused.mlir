// RUN: not weft-opt %s --write-library-calls --split-input-file 2>&1 | filecheck %s

// CHECK: an argument of a library is in memory: run --plan-buffers before --write-library-calls
module attributes {weft.sites = []} {
  func.func private @kernel_0(%x: tensor<4xcomplex<f64>>, %y: memref<4xcomplex<f64>>) {
    %0 = bufferization.to_tensor %y restrict writable : memref<4xcomplex<f64>> to tensor<4xcomplex<f64>>
    %1:2 = "weft.call_library"(%x, %0) {routine = "cufft.fft", updated = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>) -> (tensor<4xcomplex<f64>>, tensor<i64>)
    bufferization.materialize_in_destination %1#0 in restrict writable %y : (tensor<4xcomplex<f64>>, memref<4xcomplex<f64>>) -> ()
    return
  }
}

// -----

// CHECK: the result of a library is stored to memory: run --plan-buffers before --write-library-calls
module attributes {weft.sites = []} {
  func.func private @kernel_0(%x: memref<4xcomplex<f64>>) -> tensor<4xcomplex<f64>> {
    %0 = bufferization.to_tensor %x restrict : memref<4xcomplex<f64>> to tensor<4xcomplex<f64>>
    %1:2 = "weft.call_library"(%0, %0) {routine = "cufft.fft", updated = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>) -> (tensor<4xcomplex<f64>>, tensor<i64>)
    return %1#0 : tensor<4xcomplex<f64>>
  }
}

// -----

// CHECK: an argument of a library is memory without gaps
module attributes {weft.sites = []} {
  func.func private @kernel_0(%x: memref<4xcomplex<f64>, strided<[2]>>, %y: memref<4xcomplex<f64>>) {
    %0 = bufferization.to_tensor %x restrict : memref<4xcomplex<f64>, strided<[2]>> to tensor<4xcomplex<f64>>
    %1 = bufferization.to_tensor %y restrict writable : memref<4xcomplex<f64>> to tensor<4xcomplex<f64>>
    %2:2 = "weft.call_library"(%0, %1) {routine = "cufft.fft", updated = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>) -> (tensor<4xcomplex<f64>>, tensor<i64>)
    bufferization.materialize_in_destination %2#0 in restrict writable %y : (tensor<4xcomplex<f64>>, memref<4xcomplex<f64>>) -> ()
    return
  }
}
