// RUN: weft-opt %s --lower-exits --split-input-file | filecheck %s

// An exit returns; nothing behind it is reached.
// CHECK-NOT:   weft_exit
// CHECK-LABEL: llvm.func @f(
// CHECK:         llvm.cond_br %arg0, ^bb1, ^bb2
// CHECK:       ^bb1:
// CHECK-NEXT:    %[[ANY:.*]] = llvm.mlir.poison : i64
// CHECK-NEXT:    llvm.return %[[ANY]]
// CHECK:       ^bb2:
// CHECK-NEXT:    llvm.return %arg1
llvm.func @weft_exit()
llvm.func @f(%failed: i1, %n: i64) -> i64 {
  llvm.cond_br %failed, ^bb1, ^bb2
^bb1:
  llvm.call @weft_exit() : () -> ()
  llvm.br ^bb2
^bb2:
  llvm.return %n : i64
}

// -----

// Other calls are calls.
// CHECK-LABEL: llvm.func @g(
// CHECK-NEXT:    llvm.call @other()
llvm.func @other()
llvm.func @g() {
  llvm.call @other() : () -> ()
  llvm.return
}
