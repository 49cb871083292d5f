// RUN: weft-opt %s --split-parallel-loops | filecheck %s

// A long loop becomes a function of a range of its iterations, and a call that shares them. Constants and views are made
// in the function again; numbers and memory are passed.
// CHECK-LABEL: func.func @long.loop_0(
// CHECK-SAME: %[[BEGIN:[a-z0-9]+]]: index, %[[END:[a-z0-9]+]]: index, %[[A:[a-z0-9]+]]: memref<1000x1000xf32>, %[[FACTOR:[a-z0-9]+]]: f32)
// CHECK: %[[VIEW:.*]] = memref.collapse_shape %[[A]]
// CHECK: scf.for
// CHECK: memref.load %[[VIEW]]
// CHECK: arith.mulf %{{.*}}, %[[FACTOR]]
// CHECK: func.func private @long.loop_0.parallel(index, index, memref<1000x1000xf32>, f32)
// CHECK-LABEL: func.func @long(
// CHECK: call @long.loop_0.parallel(%c1000000{{.*}}, %c20000, %arg0, %arg1)
// CHECK-NOT: scf.for
// CHECK: return
func.func @long(%a: memref<1000x1000xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000000 : index
  %v = memref.collapse_shape %a [[0, 1]] : memref<1000x1000xf32> into memref<1000000xf32>
  scf.for %i = %c0 to %n step %c1 {
    %0 = memref.load %v[%i] : memref<1000000xf32>
    %1 = arith.mulf %0, %x : f32
    memref.store %1, %v[%i] : memref<1000000xf32>
  } {weft.parallel}
  return
}

// What takes less than it takes to wake a thread stays where it is, and so does what nobody says is parallel, and what
// carries a value from one iteration to the next.
// CHECK-LABEL: func.func @short(
// CHECK-COUNT-2: scf.for
// CHECK-NOT: call
// CHECK: return
func.func @short(%a: memref<1000000xf32>, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000 : index
  %many = arith.constant 1000000 : index
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %a[%i] : memref<1000000xf32>
  } {weft.parallel}
  %sum = scf.for %i = %c0 to %many step %c1 iter_args(%s = %x) -> f32 {
    %0 = memref.load %a[%i] : memref<1000000xf32>
    %1 = arith.addf %s, %0 : f32
    scf.yield %1 : f32
  } {weft.parallel}
  return %sum : f32
}

// CHECK-LABEL: func.func @unmarked(
// CHECK: scf.for
// CHECK-NOT: call
// CHECK: return
func.func @unmarked(%a: memref<1000000xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %many = arith.constant 1000000 : index
  scf.for %i = %c0 to %many step %c1 {
    memref.store %x, %a[%i] : memref<1000000xf32>
  }
  return
}

// Where the run tells how long a loop is, it tells how it runs. The steps of an iteration count, too.
// CHECK-LABEL: func.func @unknown(
// CHECK: arith.muli %{{.*}}, %dim_0 : index
// CHECK: arith.divui %c100000{{.*}}, %{{.*}} : index
// CHECK: arith.cmpi sge
// CHECK: scf.if
// CHECK: call @unknown.loop_0.parallel(
// CHECK: else
// CHECK: call @unknown.loop_0(
// CHECK: return
func.func @unknown(%a: memref<?x?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %a, %c0 : memref<?x?xf32>
  %dim = memref.dim %a, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %dim step %c1 {
      memref.store %x, %a[%i, %j] : memref<?x?xf32>
    } {weft.parallel}
  } {weft.parallel}
  return
}

// A loop of few iterations cannot be shared evenly: the long ones inside are shared, and the loop around them stays.
// CHECK-LABEL: func.func @inner.loop_0(
// CHECK-LABEL: func.func @inner(
// CHECK: scf.for %{{.*}} = %c0 to %c3
// CHECK: call @inner.loop_0.parallel(
// CHECK: return
func.func @inner(%a: memref<3x1000000xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %many = arith.constant 1000000 : index
  scf.for %i = %c0 to %c3 step %c1 {
    scf.for %j = %c0 to %many step %c1 {
      memref.store %x, %a[%i, %j] : memref<3x1000000xf32>
    } {weft.parallel}
  } {weft.parallel}
  return
}

// Memory that is made in the loop belongs to an iteration; memory that is not known to be different is not passed on.
// CHECK-LABEL: func.func @scratch.loop_0(
// CHECK: scf.for
// CHECK: memref.alloc()
// CHECK-LABEL: func.func @scratch(
// CHECK-NOT: memref.alloc()
// CHECK: return
func.func @scratch(%a: memref<1000x1000xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000 : index
  scf.for %i = %c0 to %n step %c1 {
    %s = memref.alloc() : memref<1000xf32>
    scf.for %j = %c0 to %n step %c1 {
      memref.store %x, %s[%j] : memref<1000xf32>
      %0 = memref.load %s[%j] : memref<1000xf32>
      memref.store %0, %a[%i, %j] : memref<1000x1000xf32>
    }
  } {weft.parallel}
  return
}

// CHECK-LABEL: func.func @carried(
// CHECK-NOT: call
// CHECK: return
func.func @carried(%a: memref<1000000xf32>, %b: memref<1000000xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000000 : index
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%u = %a, %v = %b) -> (memref<1000000xf32>, memref<1000000xf32>) {
    scf.for %i = %c0 to %n step %c1 {
      memref.store %x, %u[%i] : memref<1000000xf32>
    } {weft.parallel}
    scf.yield %v, %u : memref<1000000xf32>, memref<1000000xf32>
  }
  return
}

// A loop that adds row after row, where nothing else is done, goes along: threads share the columns. Who has the last
// columns does those that are left. Pieces are equal ones: the grain is negative.
// CHECK-LABEL: func.func @rows.loop_0(
// CHECK-SAME: %[[BEGIN:[a-z0-9]+]]: index, %[[END:[a-z0-9]+]]: index
// CHECK: %[[FIRST:.*]] = arith.muli %[[BEGIN]], %c8
// CHECK: %[[LAST:.*]] = arith.muli %[[END]], %c8
// CHECK: scf.for %[[ROW:.*]] = %c0{{.*}} to %c1000
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c8
// CHECK: memref.load %{{.*}}[%[[ROW]], %{{.*}}]
// CHECK: arith.cmpi eq, %[[END]], %{{.*}}
// CHECK: scf.if
// CHECK: scf.for
// CHECK-LABEL: func.func @rows(
// CHECK-NOT: scf.for
// CHECK: %[[GRAIN:.*]] = arith.subi %c0{{.*}}, %c{{[0-9]+.*}}
// CHECK: call @rows.loop_0.parallel(%c1000{{.*}}, %[[GRAIN]]
// CHECK: return
func.func @rows(%a: memref<1000x8003xf32>, %o: memref<8003xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %rows = arith.constant 1000 : index
  %whole = arith.constant 8000 : index
  %all = arith.constant 8003 : index
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %whole step %c8 {
      %0 = memref.load %a[%i, %j] : memref<1000x8003xf32>
      %1 = memref.load %o[%j] : memref<8003xf32>
      %2 = arith.addf %0, %1 : f32
      memref.store %2, %o[%j] : memref<8003xf32>
    } {weft.parallel}
    scf.for %j = %whole to %all step %c1 {
      %0 = memref.load %a[%i, %j] : memref<1000x8003xf32>
      %1 = memref.load %o[%j] : memref<8003xf32>
      %2 = arith.addf %0, %1 : f32
      memref.store %2, %o[%j] : memref<8003xf32>
    } {weft.parallel}
  }
  return
}

// Not so where a row is written to a place of its own, which may be that of another row one column further.
// CHECK-LABEL: func.func @places(
// CHECK: scf.for
// CHECK: memref.subview
// CHECK: scf.for
// CHECK-NOT: places.loop_0.parallel
// CHECK: return
func.func @places(%a: memref<1000x1000xf32>, %o: memref<8000xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 1000 : index
  scf.for %i = %c0 to %rows step %c1 {
    %v = memref.subview %o[%i] [1000] [1] : memref<8000xf32> to memref<1000xf32, strided<[1], offset: ?>>
    scf.for %j = %c0 to %rows step %c1 {
      %0 = memref.load %a[%i, %j] : memref<1000x1000xf32>
      memref.store %0, %v[%j] : memref<1000xf32, strided<[1], offset: ?>>
    } {weft.parallel}
  }
  return
}
