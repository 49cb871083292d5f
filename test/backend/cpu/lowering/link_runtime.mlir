// RUN: weft-opt %s --link-runtime --split-input-file | filecheck %s
// RUN: weft-opt %s --link-runtime=python=false --split-input-file | filecheck %s --check-prefix=FLAG

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

// -----

// Loops ask Python for interrupts, or look at a flag whose address is in the record.
// CHECK-LABEL: llvm.func @h(
// It is cold: what calls it stands behind the loops, whose values keep their registers.
// CHECK: llvm.func @weft_poll({{.*}}) -> i64 attributes {no_inline, passthrough = ["cold"]}
// CHECK: llvm.call @PyErr_CheckSignals
// FLAG-LABEL: llvm.func @h(
// FLAG-NOT: Py
// FLAG: llvm.func @weft_poll({{.*}}) -> i64 attributes {no_inline, passthrough = ["cold"]}
// FLAG: llvm.load volatile
// FLAG-NOT: llvm.call
llvm.func @weft_poll(!llvm.ptr, !llvm.ptr, i64, i64, i64, i64) -> i64
llvm.func @h() {
  llvm.return
}
