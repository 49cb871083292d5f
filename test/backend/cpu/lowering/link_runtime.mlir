// RUN: weft-opt %s --link-runtime --split-input-file | filecheck %s

// What is declared is defined, with what it calls.
// CHECK-LABEL: llvm.func @f(
// CHECK: llvm.func @weft_allocate(i64) -> !llvm.ptr
// CHECK: llvm.func @weft_release({{.*}}) {
// CHECK:   llvm.call @weft_free
llvm.func @weft_release(!llvm.ptr, !llvm.ptr, i64, i64, i64, i64)
llvm.func @f() {
  llvm.return
}

// -----

// CHECK-LABEL: llvm.func @g(
// CHECK-NOT: weft_
llvm.func @g() {
  llvm.return
}
