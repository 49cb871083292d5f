// RUN: weft-opt %s --target=x86-64-v3 --fence-streams | filecheck %s
// RUN: weft-opt %s --target=aarch64 --fence-streams | filecheck %s --check-prefix=ARM

// CHECK-LABEL: func.func @streams(
// CHECK-NOT:   weft.streams
// CHECK:       llvm.call_intrinsic "llvm.x86.sse.sfence"
// CHECK-NEXT:  return
// ARM-NOT:     llvm.call_intrinsic
func.func @streams() attributes {weft.streams} {
  return
}

// CHECK-LABEL: func.func @plain(
// CHECK-NEXT:  return
func.func @plain() {
  return
}
