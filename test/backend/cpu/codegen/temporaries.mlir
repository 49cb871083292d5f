// RUN: weft-opt %s --shrink-temporaries | filecheck %s --check-prefix=SHRUNK
// RUN: weft-opt %s --shrink-temporaries --place-temporaries | filecheck %s --check-prefix=PLACED

// What an iteration alone uses is as large as an iteration needs, and then lies on the stack.
// SHRUNK-LABEL: func.func @rows(
// SHRUNK-NOT:   memref<4x8xf32>
// SHRUNK:       scf.for
// SHRUNK-NEXT:    memref.alloc() {{.*}} : memref<8xf32>
// PLACED-LABEL: func.func @rows(
// PLACED:       memref.alloca() {{.*}} : memref<8xf32>
// PLACED:       scf.for
// PLACED-NOT:   memref.alloc()
// PLACED-NOT:   memref.dealloc
func.func @rows(%x: f32, %out: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %t = memref.alloc() : memref<4x8xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      memref.store %x, %t[%i, %j] : memref<4x8xf32>
    }
    scf.for %j = %c0 to %c8 step %c1 {
      %y = memref.load %t[%i, %j] : memref<4x8xf32>
      memref.store %y, %out[%j] : memref<8xf32>
    }
  }
  return
}

// What other iterations read stays as it is; large memory is freed at the end.
// SHRUNK-LABEL: func.func @whole(
// SHRUNK:       memref.alloc() : memref<4x8000xf32>
// PLACED-LABEL: func.func @whole(
// PLACED:       %[[T:.*]] = memref.alloc() : memref<4x8000xf32>
// PLACED:       memref.dealloc %[[T]]
// PLACED-NEXT:  return
func.func @whole(%x: f32, %out: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = memref.alloc() : memref<4x8000xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    memref.store %x, %t[%i, %i] : memref<4x8000xf32>
  }
  %y = memref.load %t[%c1, %c1] : memref<4x8000xf32>
  memref.store %y, %out[%c0] : memref<8xf32>
  return
}
