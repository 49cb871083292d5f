// RUN: weft-opt %s --check-scratch=of-loops=true | filecheck %s
// RUN: weft-opt %s --check-scratch | filecheck %s --check-prefix=NUMPY

// A loop that counts where it gets no memory ends the call; those of NumPy do not count.
module attributes {weft.sites = []} {
  func.func private @weft_loop.numpy.linalg._umath_linalg.det.d.d(i64, i64, i64) -> i64

  // CHECK-LABEL: func.func @f(
  // CHECK-SAME:    %[[RECORD:[a-z0-9]+]]: memref<20xi64>) attributes {{{.*}}weft.scratch
  // CHECK:         %[[BEFORE:.*]] = call @weft_scratch_refusals()
  // CHECK:         call @kernel_0
  // CHECK:         %[[NOW:.*]] = {{(func.)?}}call @weft_scratch_refusals()
  // CHECK:         arith.cmpi ne, %[[NOW]], %[[BEFORE]]
  // CHECK:           memref.store %c-2_i64, %[[RECORD]]
  // NUMPY-LABEL: func.func @f(
  // NUMPY-NOT:   weft_scratch_refusals
  func.func @f(%x: memref<4xf64>, %space: memref<0xi8>, %record: memref<20xi64>) attributes {weft.plan = {blocks = 0 : i64, calls = false, copies = 0 : i64, inputs = [tensor<4xf64>], on_heap = [], on_host = [], polls = false, results = [], sizes, workspace = 0 : i64, written = [0]}} {
    call @kernel_0(%x) : (memref<4xf64>) -> ()
    return
  }

  // CHECK-LABEL: func.func private @kernel_0
  // CHECK:         call @weft_loop.numpy.linalg._umath_linalg.det.d.d
  // CHECK:         call @weft_scratch_refusals()
  // CHECK:         call @weft_exit()
  func.func private @kernel_0(%x: memref<4xf64>) {
    %c0_i64 = arith.constant 0 : i64
    %status = call @weft_loop.numpy.linalg._umath_linalg.det.d.d(%c0_i64, %c0_i64, %c0_i64) : (i64, i64, i64) -> i64
    return
  }
}
