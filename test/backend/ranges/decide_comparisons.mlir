// RUN: weft-opt %s --split-input-file --decide-comparisons --canonicalize | filecheck %s

// What a condition says of a counter holds in the body: it is not negative, as it begins with 0, and below the extent.
// CHECK-LABEL: func.func @counted
// CHECK:         scf.while (%[[I:.*]] = %c0
// CHECK:           arith.cmpi slt, %[[I]]
// CHECK:         ^bb0(%[[J:.*]]: index):
// CHECK-NOT:       arith.cmpi
// CHECK-NOT:       arith.select
// CHECK:           memref.load %arg0[%[[J]]]
func.func @counted(%x: memref<100xi64>, %y: memref<i64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %size = arith.constant 100 : index
  %r = scf.while (%i = %zero) : (index) -> index {
    %c = arith.cmpi slt, %i, %size : index
    scf.condition(%c) %i : index
  } do {
  ^bb0(%i: index):
    %negative = arith.cmpi slt, %i, %zero : index
    %behind = arith.addi %i, %size : index
    %place = arith.select %negative, %behind, %i : index
    %inside = arith.cmpi ult, %place, %size : index
    %kept = arith.select %inside, %place, %zero : index
    %e = memref.load %x[%kept] : memref<100xi64>
    memref.store %e, %y[] : memref<i64>
    %next = arith.addi %i, %one : index
    scf.yield %next : index
  } attributes {weft.interruptible}
  return
}

// -----

// Not so when it begins with what the caller passes, or goes up to the extent.
// CHECK-LABEL: func.func @begun_anywhere
// CHECK:         ^bb0(
// CHECK:           arith.cmpi slt, %{{.*}}, %c0
// CHECK:           arith.select
// CHECK:           arith.cmpi ult
// CHECK:           arith.select
func.func @begun_anywhere(%x: memref<100xi64>, %y: memref<i64>, %start: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %size = arith.constant 100 : index
  %r = scf.while (%i = %start) : (index) -> index {
    %c = arith.cmpi sle, %i, %size : index
    scf.condition(%c) %i : index
  } do {
  ^bb0(%i: index):
    %negative = arith.cmpi slt, %i, %zero : index
    %behind = arith.addi %i, %size : index
    %place = arith.select %negative, %behind, %i : index
    %inside = arith.cmpi ult, %place, %size : index
    %kept = arith.select %inside, %place, %zero : index
    %e = memref.load %x[%kept] : memref<100xi64>
    memref.store %e, %y[] : memref<i64>
    %next = arith.addi %i, %one : index
    scf.yield %next : index
  } attributes {weft.interruptible}
  return
}

// -----

// A counter that wraps around may be anything.
// CHECK-LABEL: func.func @wraps_around
// CHECK:         scf.for
// CHECK:           arith.cmpi slt
func.func @wraps_around(%y: memref<i1>, %n: index) {
  %zero = arith.constant 0 : index
  %step = arith.constant 4611686018427387904 : index
  scf.for %i = %zero to %n step %step {
    %negative = arith.cmpi slt, %i, %zero : index
    memref.store %negative, %y[] : memref<i1>
  } {weft.interruptible}
  return
}

// -----

// Behind a branch that ends the call its condition does not hold.
// CHECK-LABEL: func.func @checked
// CHECK:         scf.for
// CHECK:           %[[E:.*]] = memref.load
// CHECK:           %[[FAILS:.*]] = arith.cmpi uge, %[[E]]
// CHECK:           scf.if %[[FAILS]]
// CHECK:             call @weft_exit
// CHECK-NOT:       arith.cmpi
// CHECK:           memref.store %[[E]]
func.func @checked(%x: memref<100xindex>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %size = arith.constant 100 : index
  scf.for %i = %zero to %size step %one {
    %e = memref.load %x[%i] : memref<100xindex>
    %fails = arith.cmpi uge, %e, %size : index
    scf.if %fails {
      func.call @weft_exit() : () -> ()
    }
    %inside = arith.cmpi ult, %e, %size : index
    %kept = arith.select %inside, %e, %zero : index
    memref.store %kept, %x[%kept] : memref<100xindex>
  } {weft.interruptible}
  return
}
func.func private @weft_exit()

// -----

// A kernel is called with what its callers pass.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-NOT:     arith.cmpi
// CHECK:         return
func.func @calls(%x: memref<?xi64>) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %lower = arith.constant 0 : index
  %step = arith.constant 1 : index
  %upper = arith.constant 9 : index
  %r = scf.for %i = %lower to %upper step %step iter_args(%k = %one) -> (i64) {
    %next = func.call @kernel_0(%k, %x) : (i64, memref<?xi64>) -> i64
    scf.yield %next : i64
  } {weft.interruptible}
  return
}
func.func private @kernel_0(%k: i64, %x: memref<?xi64>) -> i64 {
  %one = arith.constant 1 : i64
  %seven = arith.constant 7 : i64
  %zero = arith.constant 0 : i64
  %place = arith.index_cast %k : i64 to index
  %negative = arith.cmpi slt, %k, %zero : i64
  %stored = arith.select %negative, %one, %k : i64
  memref.store %stored, %x[%place] : memref<?xi64>
  %sum = arith.addi %k, %one : i64
  %next = arith.andi %sum, %seven : i64
  return %next : i64
}

// -----

// Without a loop of the program nothing is looked at.
// CHECK-LABEL: func.func @straight
// CHECK:         arith.cmpi
func.func @straight(%a: i64) -> i1 {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %bit = arith.andi %a, %one : i64
  %c = arith.cmpi slt, %bit, %zero : i64
  return %c : i1
}

// -----

// An index between a start and an end, whatever they are: it is below the end, and that of a loop up to the counter also.
// CHECK-LABEL: func.func @part
// CHECK:         scf.for %{{.*}} = %c0
// CHECK:         scf.for %[[J:.*]] = %c0
// CHECK:           %[[A:.*]] = arith.addi %{{.*}}, %[[J]]
// CHECK-NOT:       arith.cmpi
// CHECK:           memref.store %{{.*}}, %arg0[%[[A]]]
// CHECK:           scf.for %[[K:.*]] = %c0
// CHECK:             %[[B:.*]] = arith.addi %{{.*}}, %[[K]]
// CHECK:             %[[C:.*]] = arith.addi %[[B]], %c1
// CHECK-NOT:         arith.cmpi
// CHECK:             memref.store %{{.*}}, %arg0[%[[C]]]
func.func @part(%x: memref<100xi64>, %n: i64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %size = arith.constant 100 : index
  %mark = arith.constant 7 : i64
  scf.for %i = %zero to %size step %one {
    %start = arith.addi %i, %one : index
    %length = arith.subi %size, %start : index
    %count = arith.maxsi %length, %zero : index
    scf.for %j = %zero to %count step %one {
      %a = arith.addi %start, %j : index
      %first = arith.cmpi ult, %a, %size : index
      %p = arith.select %first, %a, %zero : index
      memref.store %mark, %x[%p] : memref<100xi64>
      scf.for %k = %zero to %j step %one {
        %b = arith.addi %start, %k : index
        %c = arith.addi %b, %one : index
        %second = arith.cmpi ult, %c, %size : index
        %q = arith.select %second, %c, %zero : index
        memref.store %mark, %x[%q] : memref<100xi64>
      }
    }
  } {weft.interruptible}
  return
}

// -----

// The length is that to another end, or the index one further: it may be the size.
// CHECK-LABEL: func.func @one_further
// CHECK:         scf.for %{{.*}} = %c0
// CHECK:           arith.cmpi ult
// CHECK:           memref.store
// CHECK:           arith.cmpi ult
// CHECK:           memref.store
func.func @one_further(%x: memref<100xi64>, %n: i64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %size = arith.constant 100 : index
  %behind = arith.constant 101 : index
  %mark = arith.constant 7 : i64
  scf.for %i = %zero to %size step %one {
    %start = arith.addi %i, %one : index
    %length = arith.subi %size, %start : index
    %longer = arith.subi %behind, %start : index
    scf.for %j = %zero to %length step %one {
      %a = arith.addi %start, %j : index
      %b = arith.addi %a, %one : index
      %first = arith.cmpi ult, %b, %size : index
      %p = arith.select %first, %b, %zero : index
      memref.store %mark, %x[%p] : memref<100xi64>
    }
    scf.for %j = %zero to %longer step %one {
      %a = arith.addi %start, %j : index
      %first = arith.cmpi ult, %a, %size : index
      %p = arith.select %first, %a, %zero : index
      memref.store %mark, %x[%p] : memref<100xi64>
    }
  } {weft.interruptible}
  return
}

// -----

// The difference may wrap around.
// CHECK-LABEL: func.func @length_wraps_around
// CHECK:         scf.for %{{.*}} = %c0
// CHECK:           arith.cmpi slt
// CHECK:           memref.store
func.func @length_wraps_around(%x: memref<100xi64>, %start: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %size = arith.constant 100 : index
  %mark = arith.constant 7 : i64
  %length = arith.subi %size, %start : index
  scf.for %j = %zero to %length step %one {
    %a = arith.addi %start, %j : index
    %first = arith.cmpi slt, %a, %size : index
    %p = arith.select %first, %a, %zero : index
    %negative = arith.cmpi slt, %p, %zero : index
    %q = arith.select %negative, %zero, %p : index
    memref.store %mark, %x[%q] : memref<100xi64>
  } {weft.interruptible}
  return
}

// -----

// A counter up to an extent, in pieces as loops are that look for signals, is below it; so is what is one less.
// CHECK-LABEL: func.func @pieces
// CHECK:         scf.for %[[P:.*]] = %c0
// CHECK:           scf.for %[[I:.*]] = %[[P]]
// CHECK-NOT:         arith.cmpi
// CHECK:             memref.load %arg0[%[[I]]]
func.func @pieces(%x: memref<?xi64>, %y: memref<i64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %piece = arith.constant 65536 : index
  %size = memref.dim %x, %zero : memref<?xi64>
  scf.for %p = %zero to %size step %piece {
    %left = arith.subi %size, %p : index
    %more = arith.cmpi sgt, %left, %piece : index
    %length = arith.select %more, %piece, %left : index
    %end = arith.addi %p, %length : index
    %stop = arith.minsi %size, %end : index
    scf.for %i = %p to %stop step %one {
      %negative = arith.cmpi slt, %i, %zero : index
      %behind = arith.addi %i, %size : index
      %place = arith.select %negative, %behind, %i : index
      %inside = arith.cmpi ult, %place, %size : index
      %kept = arith.select %inside, %place, %zero : index
      %e = memref.load %x[%kept] : memref<?xi64>
      memref.store %e, %y[] : memref<i64>
    } {weft.interruptible}
  } {weft.interruptible}
  return
}

// -----

// Neighbours of a counter: up to the last but one, the next one is inside of the array.
// CHECK-LABEL: func.func @neighbours
// CHECK:         scf.for
// CHECK-NOT:       arith.cmpi
// CHECK:           memref.load
func.func @neighbours(%x: memref<?xi64>, %y: memref<i64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %size = memref.dim %x, %zero : memref<?xi64>
  %last = arith.subi %size, %one : index
  scf.for %i = %zero to %last step %one {
    %next = arith.addi %i, %one : index
    %inside = arith.cmpi ult, %next, %size : index
    %kept = arith.select %inside, %next, %zero : index
    %e = memref.load %x[%kept] : memref<?xi64>
    memref.store %e, %y[] : memref<i64>
  } {weft.interruptible}
  return
}

// -----

// Two further may be outside, and so may be a place in another array.
// CHECK-LABEL: func.func @further
// CHECK:         scf.for
// CHECK:           arith.cmpi ult
// CHECK:           arith.cmpi ult
func.func @further(%x: memref<?xi64>, %z: memref<?xi64>, %y: memref<2xi1>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %size = memref.dim %x, %zero : memref<?xi64>
  %other = memref.dim %z, %zero : memref<?xi64>
  %last = arith.subi %size, %one : index
  scf.for %i = %zero to %last step %one {
    %next = arith.addi %i, %two : index
    %inside = arith.cmpi ult, %next, %size : index
    memref.store %inside, %y[%zero] : memref<2xi1>
    %fits = arith.cmpi ult, %i, %other : index
    memref.store %fits, %y[%one] : memref<2xi1>
  } {weft.interruptible}
  return
}

// -----

// An extent that was made smaller by more than there is wraps around to a large number; from a negative start, the
// counter is no large number.
// CHECK-LABEL: func.func @wrapped_limit
// CHECK:         scf.for
// CHECK:           arith.cmpi slt
// CHECK:           arith.cmpi ult
func.func @wrapped_limit(%x: memref<?xi64>, %y: memref<2xi1>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %minus = arith.constant -5 : index
  %size = memref.dim %x, %zero : memref<?xi64>
  %less = arith.subi %n, %one : index
  scf.for %i = %zero to %less step %one {
    %inside = arith.cmpi slt, %i, %n : index
    memref.store %inside, %y[%zero] : memref<2xi1>
  } {weft.interruptible}
  scf.for %i = %minus to %size step %one {
    %fits = arith.cmpi ult, %i, %size : index
    memref.store %fits, %y[%one] : memref<2xi1>
  } {weft.interruptible}
  return
}

// -----

// Upstream's passes unmark loops that carried memory.
// CHECK-LABEL: func.func @unmarked
// CHECK:         scf.while (%[[I:.*]] = %c0
// CHECK:           arith.cmpi slt, %[[I]]
// CHECK:         ^bb0(%[[J:.*]]: index):
// CHECK-NOT:       arith.cmpi
// CHECK-NOT:       arith.select
// CHECK:           memref.load %arg0[%[[J]]]
func.func @unmarked(%x: memref<100xi64>, %y: memref<i64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %size = arith.constant 100 : index
  %r = scf.while (%i = %zero) : (index) -> index {
    %c = arith.cmpi slt, %i, %size : index
    scf.condition(%c) %i : index
  } do {
  ^bb0(%i: index):
    %negative = arith.cmpi slt, %i, %zero : index
    %behind = arith.addi %i, %size : index
    %place = arith.select %negative, %behind, %i : index
    %inside = arith.cmpi ult, %place, %size : index
    %kept = arith.select %inside, %place, %zero : index
    %e = memref.load %x[%kept] : memref<100xi64>
    memref.store %e, %y[] : memref<i64>
    %next = arith.addi %i, %one : index
    scf.yield %next : index
  }
  return
}
