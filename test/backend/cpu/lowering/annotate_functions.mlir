// RUN: weft-opt %s --target=x86-64-v3 --annotate-functions | filecheck %s

// Arrays do not overlap, and vectors are as wide as the target's registers.
// CHECK-LABEL: llvm.func @f(%arg0: !llvm.ptr {llvm.noalias}, %arg1: i64)
// CHECK-SAME: prefer_vector_width = "256"
llvm.func @f(%a: !llvm.ptr, %n: i64) {
  llvm.return
}

// Nothing is known of what is defined elsewhere, but that scratch memory is new.
// CHECK: llvm.func @elsewhere(!llvm.ptr)
// CHECK-NOT: prefer_vector_width
// CHECK: llvm.func @_mlir_memref_to_llvm_aligned_alloc(i64, i64) -> (!llvm.ptr {llvm.noalias})
llvm.func @elsewhere(!llvm.ptr)
llvm.func @_mlir_memref_to_llvm_aligned_alloc(i64, i64) -> !llvm.ptr
