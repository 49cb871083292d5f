// RUN: weft-opt %s --link-shared-loops --split-input-file | filecheck %s

// CHECK: llvm.func @weft_parallel_for(!llvm.ptr, i64, i64, !llvm.ptr)
// CHECK: llvm.func @loop.parallel(%arg0: i64, %arg1: i64, %arg2: !llvm.ptr) {
// CHECK:   llvm.mlir.addressof @loop.task
// CHECK:   llvm.call @weft_parallel_for
// CHECK: llvm.func @loop.task(%arg0: i64, %arg1: i64, %arg2: !llvm.ptr) {
// CHECK:   llvm.call @loop(%arg0, %arg1,
llvm.func @loop(%begin: i64, %end: i64, %a: !llvm.ptr) {
  llvm.return
}
llvm.func @loop.parallel(i64, i64, !llvm.ptr)

// -----

// CHECK-LABEL: llvm.func @alone(
// CHECK-NOT: weft_parallel_for
llvm.func @alone(%begin: i64, %end: i64, %a: !llvm.ptr) {
  llvm.return
}
