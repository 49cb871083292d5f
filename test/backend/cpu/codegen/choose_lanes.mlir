// RUN: weft-opt %s --target=x86-64-v4 --vectorize-outer-loops | filecheck %s --check-prefixes=CHECK,WIDE,FOUR
// RUN: weft-opt %s --target=x86-64-v3 --vectorize-outer-loops | filecheck %s --check-prefixes=CHECK,NARROW,FOUR
// RUN: weft-opt %s --target=x86-64-v2 --vectorize-outer-loops | filecheck %s --check-prefixes=CHECK,NARROW

// Vectors of 64-bit integers are shifted and multiplied by instructions of AVX-512 only: without, a step of each number
// takes less than that of a vector.

// CHECK-LABEL: func.func @halvings
// WIDE:          scf.while {{.*}} vector<16xi64>
// NARROW-NOT:    vector
// CHECK:         return
func.func @halvings(%count: index, %x: tensor<?xi64>) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%a = %x) -> (tensor<?xi64>) {
    %start = arith.index_cast %i : index to i64
    %w:2 = scf.while (%n = %start, %steps = %zero) : (i64, i64) -> (i64, i64) {
      %c = arith.cmpi sgt, %n, %zero : i64
      scf.condition(%c) %n, %steps : i64, i64
    } do {
    ^bb0(%n: i64, %steps: i64):
      %m = arith.shrsi %n, %one : i64
      %next = arith.addi %steps, %one : i64
      scf.yield %m, %next : i64, i64
    }
    %b = tensor.insert %w#1 into %a[%i] : tensor<?xi64>
    scf.yield %b : tensor<?xi64>
  }
  return %r : tensor<?xi64>
}

// Additions, comparisons and bits are instructions everywhere.

// CHECK-LABEL: func.func @bits
// CHECK:         scf.while {{.*}} vector<{{.*}}xi64>
// CHECK:         return
func.func @bits(%count: index, %x: tensor<?xi64>) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%a = %x) -> (tensor<?xi64>) {
    %start = arith.index_cast %i : index to i64
    %w:2 = scf.while (%n = %start, %steps = %zero) : (i64, i64) -> (i64, i64) {
      %c = arith.cmpi ne, %n, %zero : i64
      scf.condition(%c) %n, %steps : i64, i64
    } do {
    ^bb0(%n: i64, %steps: i64):
      %less = arith.subi %n, %one : i64
      %m = arith.andi %n, %less : i64
      %next = arith.addi %steps, %one : i64
      scf.yield %m, %next : i64, i64
    }
    %b = tensor.insert %w#1 into %a[%i] : tensor<?xi64>
    scf.yield %b : tensor<?xi64>
  }
  return %r : tensor<?xi64>
}

// So are shifts and products of 32 bits.

// CHECK-LABEL: func.func @products
// CHECK:         scf.while {{.*}} vector<{{.*}}xi32>
// CHECK:         return
func.func @products(%count: index, %x: tensor<?xi32>) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %most = arith.constant 1000 : i32
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%a = %x) -> (tensor<?xi32>) {
    %start = arith.index_cast %i : index to i32
    %w = scf.while (%n = %start) : (i32) -> i32 {
      %c = arith.cmpi slt, %n, %most : i32
      scf.condition(%c) %n : i32
    } do {
    ^bb0(%n: i32):
      %p = arith.muli %n, %three : i32
      %s = arith.shrsi %p, %one : i32
      %m = arith.addi %s, %one : i32
      scf.yield %m : i32
    }
    %b = tensor.insert %w into %a[%i] : tensor<?xi32>
    scf.yield %b : tensor<?xi32>
  }
  return %r : tensor<?xi32>
}

// Loops over integers that must not wrap carry a flag: bytes, for which vectors of 64 bits are packed and widened again
// where machines have no masks. Doublings take more so than one after another; work on floats does not where four
// go in a vector.

// CHECK-LABEL: func.func @checked
// WIDE:          scf.while {{.*}} vector<16xi64>
// NARROW-NOT:    vector
// CHECK:         return
func.func @checked(%count: index, %x: tensor<?xi64>) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %good = arith.constant 0 : i8
  %one = arith.constant 1 : i64
  %most = arith.constant 4611686018427387903 : i64
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%a = %x) -> (tensor<?xi64>) {
    %start = arith.index_cast %i : index to i64
    %w:2 = scf.while (%n = %start, %flag = %good) : (i64, i8) -> (i64, i8) {
      %c = arith.cmpi sgt, %n, %one : i64
      %fine = arith.cmpi eq, %flag, %good : i8
      %on = arith.andi %c, %fine : i1
      scf.condition(%on) %n, %flag : i64, i8
    } do {
    ^bb0(%n: i64, %flag: i8):
      %m = arith.addi %n, %n : i64
      %over = arith.cmpi sgt, %n, %most : i64
      %failed = arith.cmpi ne, %flag, %good : i8
      %either = arith.ori %failed, %over : i1
      %next = arith.extui %either : i1 to i8
      scf.yield %m, %next : i64, i8
    }
    %b = tensor.insert %w#0 into %a[%i] : tensor<?xi64>
    scf.yield %b : tensor<?xi64>
  }
  return %r : tensor<?xi64>
}

// CHECK-LABEL: func.func @checked_floats
// FOUR:          scf.while {{.*}} vector<{{.*}}xf64>
// CHECK:         return
func.func @checked_floats(%count: index, %x: tensor<?xf64>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %good = arith.constant 0 : i8
  %one = arith.constant 1.0 : f64
  %half = arith.constant 0.5 : f64
  %most = arith.constant 1.0e9 : f64
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%a = %x) -> (tensor<?xf64>) {
    %start = tensor.extract %x[%i] : tensor<?xf64>
    %w:2 = scf.while (%n = %start, %flag = %good) : (f64, i8) -> (f64, i8) {
      %c = arith.cmpf ogt, %n, %one : f64
      %fine = arith.cmpi eq, %flag, %good : i8
      %on = arith.andi %c, %fine : i1
      scf.condition(%on) %n, %flag : f64, i8
    } do {
    ^bb0(%n: f64, %flag: i8):
      %p = arith.mulf %n, %n : f64
      %q = arith.addf %p, %half : f64
      %s = arith.divf %q, %n : f64
      %t = arith.subf %s, %half : f64
      %m = arith.mulf %t, %half : f64
      %over = arith.cmpf ogt, %m, %most : f64
      %next = arith.extui %over : i1 to i8
      scf.yield %m, %next : f64, i8
    }
    %b = tensor.insert %w#0 into %a[%i] : tensor<?xf64>
    scf.yield %b : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}
