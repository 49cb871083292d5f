// RUN: weft-opt %s | filecheck %s
// RUN: weft-opt %s -o %t && filecheck %s --input-file=%t
// RUN: weft-opt - < %s | filecheck %s
// RUN: weft-opt < %s | filecheck %s
// RUN: weft-opt --o=%t --split-input-file %s && filecheck %s --input-file=%t --check-prefix=SPLIT

// CHECK: module
// CHECK: func.func @first
// CHECK-NOT: // -----
// CHECK: func.func @second
// SPLIT: module
// SPLIT: func.func @first
// SPLIT: // -----
// SPLIT-NEXT: module
// SPLIT: func.func @second
func.func @first() {
  return
}

// -----

func.func @second() {
  return
}
