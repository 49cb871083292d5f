// RUN: weft-opt %s --stamp-kernels --split-input-file | filecheck %s

// Calls of kernels, and of what tasks call, are noted with names and lines.
module attributes {weft.stamped} {
  // CHECK-LABEL: llvm.func @f(
  // CHECK-NEXT:    %[[BEGIN:.*]] = llvm.call @weft_stamp_begin() : () -> i64
  // CHECK-NEXT:    llvm.call @kernel_0(
  // CHECK-NEXT:    %[[NAME:.*]] = llvm.mlir.addressof @weft_stamp_0 : !llvm.ptr
  // CHECK-NEXT:    llvm.call @weft_stamp_end(%[[NAME]], %[[BEGIN]]) : (!llvm.ptr, i64) -> ()
  // CHECK-NEXT:    llvm.call @other() : () -> ()
  // CHECK-NEXT:    llvm.return
  llvm.func @f(%x: !llvm.ptr) {
    llvm.call @kernel_0(%x) : (!llvm.ptr) -> () loc("model.py":3:5)
    llvm.call @other() : () -> ()
    llvm.return
  }
  llvm.func @other() {
    llvm.return
  }
  llvm.func @kernel_0(%x: !llvm.ptr) {
    llvm.return
  }
  llvm.func @kernel_0.loop_0(%begin: i64, %end: i64) {
    llvm.return loc("model.py":4:1)
  }
  // CHECK-LABEL: llvm.func @kernel_0.loop_0.task(
  // CHECK-NEXT:    llvm.call @weft_stamp_begin
  // CHECK-NEXT:    llvm.call @kernel_0.loop_0(
  // CHECK-NEXT:    llvm.mlir.addressof @weft_stamp_1
  // CHECK-NEXT:    llvm.call @weft_stamp_end
  llvm.func @kernel_0.loop_0.task(%begin: i64, %end: i64, %operands: !llvm.ptr) {
    llvm.call @kernel_0.loop_0(%begin, %end) : (i64, i64) -> ()
    llvm.return
  }
  // CHECK:         llvm.mlir.global internal constant @weft_stamp_0("kernel_0 model.py:3\00")
  // CHECK:         llvm.mlir.global internal constant @weft_stamp_1("kernel_0.loop_0 model.py:4\00")
}

// -----

// Nobody asks for it.
module {
  // CHECK-LABEL: llvm.func @g(
  // CHECK-NEXT:    llvm.call @kernel_1
  // CHECK-NEXT:    llvm.return
  // CHECK-NOT:   weft_stamp
  llvm.func @g(%x: !llvm.ptr) {
    llvm.call @kernel_1(%x) : (!llvm.ptr) -> ()
    llvm.return
  }
  llvm.func @kernel_1(%x: !llvm.ptr) {
    llvm.return
  }
}
