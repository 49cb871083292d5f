// RUN: weft-opt %s --check-scratch --split-input-file | filecheck %s

// A kernel without memory gives back what it has, and ends; who calls it looks at the count of refusals.
module attributes {weft.sites = []} {
  // CHECK-LABEL: func.func @f(
  // CHECK-SAME:    %[[RECORD:[a-z0-9]+]]: memref<20xi64>) attributes {{{.*}}weft.scratch
  // CHECK:         %[[BEFORE:.*]] = call @weft_scratch_refusals()
  // CHECK:         memref.store %c0_i64, %[[RECORD]]
  // CHECK:         call @kernel_0
  // CHECK:         %[[NOW:.*]] = {{(func.)?}}call @weft_scratch_refusals()
  // CHECK:         %[[FAILED:.*]] = arith.cmpi ne, %[[NOW]], %[[BEFORE]]
  // CHECK:         scf.if %[[FAILED]] {
  // CHECK:           memref.store %c-2_i64, %[[RECORD]]
  // CHECK:           {{(func.)?}}call @weft_exit()
  func.func @f(%x: memref<4xf32>, %space: memref<0xi8>, %record: memref<20xi64>) attributes {weft.plan = {blocks = 0 : i64, calls = false, copies = 0 : i64, inputs = [tensor<4xf32>], on_heap = [], on_host = [], polls = false, results = [], sizes, workspace = 0 : i64, written = [0]}} {
    call @kernel_0(%x) : (memref<4xf32>) -> ()
    return
  }

  // CHECK-LABEL: func.func private @kernel_0
  // CHECK:         %[[FIRST:.*]] = memref.alloc() : memref<4xf32>
  // CHECK:         %[[ADDRESS:.*]] = memref.extract_aligned_pointer_as_index %[[FIRST]]
  // CHECK:         arith.cmpi eq, %[[ADDRESS]]
  // CHECK:         scf.if
  // CHECK-NOT:       memref.dealloc
  // CHECK:           {{(func.)?}}call @weft_exit()
  // CHECK:         memref.alloc() : memref<8xf32>
  // CHECK:         scf.if
  // CHECK:           memref.dealloc %[[FIRST]]
  // CHECK:           {{(func.)?}}call @weft_exit()
  // CHECK:         call @kernel_1
  // CHECK-NOT:     scf.if
  // CHECK:         return
  func.func private @kernel_0(%x: memref<4xf32>) {
    %first = memref.alloc() : memref<4xf32>
    %second = memref.alloc() : memref<8xf32>
    memref.dealloc %second : memref<8xf32>
    memref.dealloc %first : memref<4xf32>
    call @kernel_1(%x) : (memref<4xf32>) -> ()
    return
  }

  // CHECK-LABEL: func.func private @kernel_1
  // CHECK-NEXT:    return
  func.func private @kernel_1(%x: memref<4xf32>) {
    return
  }
}
