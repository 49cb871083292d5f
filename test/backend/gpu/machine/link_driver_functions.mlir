// RUN: weft-opt %s --link-driver-functions --split-input-file | filecheck %s

// What is called is defined, with what that calls, and nothing else.
// CHECK-DAG: llvm.func @cuMemcpyDtoHAsync_v2(!llvm.ptr, i64, i64, !llvm.ptr) -> i32
// CHECK-DAG: llvm.func @cuStreamSynchronize(!llvm.ptr) -> i32
// CHECK-DAG: llvm.func internal @weft_device_fail(
// CHECK-DAG: llvm.func internal @weft_device_read(
// CHECK-NOT: @cuLaunchKernel
module {
  llvm.func @weft_device_read(i64, i64, i64, i64)
  llvm.func @f(%n: i64) {
    llvm.call @weft_device_read(%n, %n, %n, %n) : (i64, i64, i64, i64) -> ()
    llvm.return
  }
}

// -----

// What counts the runs of kernels of the host asks nothing of the driver.
// CHECK: llvm.func internal @weft_device_trip(
module {
  llvm.func @weft_device_trip(i64, i64, i64)
  // CHECK-NOT: @cu
}

// -----

// CHECK: module {
// CHECK-NEXT: llvm.func @elsewhere()
// CHECK-NEXT: }
module {
  llvm.func @elsewhere()
}

// -----

// A block for which there is no room is asked for again, once what was freed is given back.
// CHECK-LABEL: llvm.func internal @weft_device_allocate(
// CHECK: llvm.call @cuMemAllocFromPoolAsync
// CHECK: llvm.cond_br %{{.*}}, ^[[AGAIN:.*]], ^[[DONE:.*]](
// CHECK: ^[[AGAIN]]:
// CHECK: llvm.call @cuStreamSynchronize
// CHECK: llvm.call @cuMemPoolTrimTo
// CHECK: llvm.call @cuMemAllocFromPoolAsync
// CHECK-NOT: @cuMemAllocFromPoolAsync
// CHECK: llvm.br ^[[DONE]](
module {
  llvm.func @weft_device_reserve(i64, i64, i64, i64) -> i1
  llvm.func @grow(%n: i64) {
    %there = llvm.call @weft_device_reserve(%n, %n, %n, %n) : (i64, i64, i64, i64) -> i1
    llvm.return
  }
}
