// RUN: weft-opt %s --keep-rolled --split-input-file | filecheck %s

// LLVM may write out nine rounds, and an inner loop alone; a loop around a long one stays a loop.
// CHECK-LABEL: func.func private @short(
// CHECK-NOT:   {loop_annotation
// CHECK-LABEL: func.func private @long(
// CHECK:       scf.for
// CHECK-NEXT:    scf.for
// CHECK:         }
// CHECK-NEXT:  } {loop_annotation = #
func.func private @short(%m: memref<3x3xf64>) attributes {weft.inline = false, weft.loops = "counted"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    scf.for %j = %c0 to %c3 step %c1 {
      %x = memref.load %m[%j, %i] : memref<3x3xf64>
      memref.store %x, %m[%i, %j] : memref<3x3xf64>
    }
  }
  return
}
func.func private @long(%v: memref<16xf64>, %m: memref<16x256xf64>) attributes {weft.inline = false, weft.loops = "counted"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  scf.for %i = %c0 to %c16 step %c1 {
    scf.for %j = %c0 to %c256 step %c1 {
      %x = memref.load %v[%i] : memref<16xf64>
      memref.store %x, %m[%i, %j] : memref<16x256xf64>
    }
  }
  return
}

// -----

// What is inlined counts as if it stood there; what is not is one operation, and no loop.
// CHECK-LABEL: func.func @around_inlined(
// CHECK:         call @inlined
// CHECK-NEXT:  } {loop_annotation = #
// CHECK-LABEL: func.func @around_calls(
// CHECK-NOT:   {loop_annotation
func.func @around_inlined(%m: memref<256xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    func.call @inlined(%m) : (memref<256xf64>) -> ()
  }
  return
}
func.func @around_calls(%m: memref<256xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    func.call @alone(%m) : (memref<256xf64>) -> ()
  }
  return
}
func.func private @inlined(%m: memref<256xf64>) attributes {weft.inline = true, weft.loops = "counted"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  scf.for %j = %c0 to %c256 step %c1 {
    %x = memref.load %m[%j] : memref<256xf64>
    memref.store %x, %m[%c0] : memref<256xf64>
  }
  return
}
func.func private @alone(%m: memref<256xf64>) attributes {weft.inline = false} {
  return
}

// -----

// How often the inner loop runs is not known: it may be long. Nor is known whether a function that calls itself has one.
// CHECK-LABEL: func.func private @unknown(
// CHECK:       } {loop_annotation = #
// CHECK-LABEL: func.func private @recursive(
// CHECK:       } {loop_annotation = #
func.func private @unknown(%v: memref<4xf64>, %n: index) attributes {weft.inline = false, weft.loops = "counted"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %x = memref.load %v[%i] : memref<4xf64>
      memref.store %x, %v[%c0] : memref<4xf64>
    }
  }
  return
}
func.func private @recursive(%v: memref<4xf64>) attributes {weft.inline = true, weft.loops = "other"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    func.call @recursive(%v) : (memref<4xf64>) -> ()
  }
  return
}
