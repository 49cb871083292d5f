// RUN: weft-opt %s --target=x86-64-v4 --vectorize-outer-loops | filecheck %s --check-prefixes=CHECK,WIDE
// RUN: weft-opt %s --target=x86-64-v3 --vectorize-outer-loops | filecheck %s --check-prefixes=CHECK,NARROW
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
