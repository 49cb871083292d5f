// RUN: weft-opt %s --buffers-to-loops --loops-to-llvm | filecheck %s

// Kernels promise that their arguments do not overlap; copies are loops, not calls of a runtime library.
// CHECK-NOT: memrefCopy
// CHECK-LABEL: llvm.func @kernel
// CHECK-SAME: %arg0: !llvm.ptr {llvm.noalias}
// CHECK-SAME: prefer_vector_width
// CHECK-NOT: llvm.call
// CHECK: llvm.return
func.func private @kernel(%a: memref<6x8xf64>, %o: memref<6x4xf64>) {
  %x = bufferization.to_tensor %a restrict : memref<6x8xf64> to tensor<6x8xf64>
  %s = tensor.extract_slice %x[0, 0] [6, 4] [1, 2] : tensor<6x8xf64> to tensor<6x4xf64>
  bufferization.materialize_in_destination %s in restrict writable %o : (tensor<6x4xf64>, memref<6x4xf64>) -> ()
  return
}

// Rounding to bfloat16 is integer arithmetic: the C library has no function for it.
// CHECK-LABEL: llvm.func @round
// CHECK-NOT: fptrunc
// CHECK: llvm.lshr
func.func @round(%x: f32) -> bf16 {
  %0 = arith.truncf %x : f32 to bf16
  return %0 : bf16
}
