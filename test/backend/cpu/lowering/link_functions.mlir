// RUN: weft-opt %s --link-functions --split-input-file | filecheck %s

// Only the entry of the planned function is seen from outside; what that alone calls becomes a part of it.
module attributes {weft.sites = []} {
  // CHECK: llvm.func internal @f() attributes {always_inline
  llvm.func @f() attributes {weft.plan = {blocks = 0 : i64, calls = false, copies = 0 : i64, inputs = [], on_heap = [], polls = false, results = [], sizes, workspace = 0 : i64, written = [], on_host = []}} {
    llvm.return
  }
  // CHECK: llvm.func internal @inlined() attributes {always_inline
  llvm.func @inlined() attributes {weft.inline = true} {
    llvm.return
  }
  // CHECK: llvm.func internal @kernel_0() attributes {no_inline
  llvm.func @kernel_0() attributes {weft.inline = false} {
    llvm.return
  }
  // CHECK: llvm.func @elsewhere()
  llvm.func @elsewhere()
}

// -----

// A module that nobody planned is called as it is.
// CHECK: llvm.func @kernel() {
llvm.func @kernel() {
  llvm.return
}
