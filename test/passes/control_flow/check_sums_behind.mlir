// RUN: weft-opt %s --check-sums-behind --split-input-file | filecheck %s

// A sum of some of the numbers of an array: it is carried in units of 2**32, too, and checked behind the loop.
// CHECK-LABEL: func.func @some(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<100xi64>, %[[START:[a-z0-9]+]]: tensor<i64>
// CHECK: %[[UNITS:[a-z0-9]+]] = "weft.right_shift"(%[[START]]
// CHECK: %[[SUMS:[a-z0-9]+]]:2 = scf.for {{.*}} iter_args(%[[TOTAL:[a-z0-9]+]] = %[[START]], %[[HIGH:[a-z0-9]+]] = %[[UNITS]])
// CHECK-NOT: weft.raise_if
// CHECK: %[[SUM:[a-z0-9]+]] = "weft.add"(%[[TOTAL]], %[[NUMBER:[a-z0-9]+]])
// CHECK: %[[PART:[a-z0-9]+]] = "weft.right_shift"(%[[NUMBER]]
// CHECK: %[[MORE:[a-z0-9]+]] = "weft.add"(%[[HIGH]], %[[PART]])
// CHECK: %[[PARTS:[a-z0-9]+]] = "weft.select"(%[[TAKEN:[a-z0-9]+]], %[[MORE]], %[[HIGH]])
// CHECK: %[[CHOSEN:[a-z0-9]+]] = "weft.select"(%[[TAKEN]], %[[SUM]], %[[TOTAL]])
// CHECK: scf.yield %[[CHOSEN]], %[[PARTS]]
// CHECK: %[[LAST:[a-z0-9]+]] = "weft.right_shift"(%[[SUMS]]#0
// CHECK: "weft.subtract"(%[[LAST]], %[[SUMS]]#1)
// CHECK-NOT: weft.greater_equal
// CHECK: "weft.raise_if"({{.*}}a sum of ints has more than 64 bits
// CHECK: return %[[SUMS]]#0
func.func @some(%x: tensor<100xi64>, %start: tensor<i64>) -> tensor<i64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %zero = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %sum = scf.for %i = %c0 to %c100 step %c1 iter_args(%total = %start) -> (tensor<i64>) {
    %0 = arith.index_cast %i : index to i64
    %1 = tensor.from_elements %0 : tensor<i64>
    %2 = "weft.gather"(%x, %1) {axes = array<i64: 0>, position = 0 : i64} : (tensor<100xi64>, tensor<i64>) -> tensor<i64>
    %3 = "weft.greater"(%2, %zero) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %4 = "weft.add_overflows"(%total, %2) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %5 = "weft.logical_and"(%3, %4) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    "weft.raise_if"(%5, %total, %2) {error = "PythonNumberError", message = "{} + {}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
    %6 = "weft.add"(%total, %2) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %7 = "weft.select"(%3, %6, %total) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    scf.yield %7 : tensor<i64>
  }
  return %sum : tensor<i64>
}

// -----

// Of a loop that runs as often as the program says it is asked, too, whether that is 2**31 times.
// CHECK-LABEL: func.func @unknown
// CHECK: scf.for
// CHECK-NOT: weft.raise_if
// CHECK: weft.subtract"(
// CHECK: scf.yield
// CHECK: "weft.greater_equal"(
// CHECK: weft.raise_if
func.func @unknown(%n: tensor<i64>, %x: tensor<i64>, %start: tensor<i64>) -> tensor<i64> {
  %number = tensor.extract %n[] : tensor<i64>
  %trips = arith.index_cast %number : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %i = %c0 to %trips step %c1 iter_args(%total = %start) -> (tensor<i64>) {
    %0 = "weft.subtract_overflows"(%total, %x) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "weft.raise_if"(%0) {error = "PythonNumberError", message = "long"} : (tensor<i1>) -> ()
    %1 = "weft.subtract"(%total, %x) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    scf.yield %1 : tensor<i64>
  }
  return %sum : tensor<i64>
}

// -----

// What the loop asks for elsewhere is checked there: a sum that another number follows, or that is taken from a number.
// CHECK-LABEL: func.func @asked
// CHECK: scf.for
// CHECK: weft.add_overflows
// CHECK-NEXT: weft.raise_if
// CHECK: weft.subtract_overflows
// CHECK-NEXT: weft.raise_if
// CHECK: scf.yield
// CHECK-NOT: weft.raise_if
// CHECK: return
func.func @asked(%n: tensor<i64>, %x: tensor<i64>, %start: tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<i64>) {
  %number = tensor.extract %n[] : tensor<i64>
  %trips = arith.index_cast %number : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sums:3 = scf.for %i = %c0 to %trips step %c1 iter_args(%total = %start, %last = %start, %turned = %start) -> (tensor<i64>, tensor<i64>, tensor<i64>) {
    %0 = "weft.add_overflows"(%total, %x) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "weft.raise_if"(%0) {error = "PythonNumberError", message = "long"} : (tensor<i1>) -> ()
    %1 = "weft.add"(%total, %x) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %2 = "weft.maximum"(%last, %1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %3 = "weft.subtract_overflows"(%x, %turned) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "weft.raise_if"(%3) {error = "PythonNumberError", message = "long"} : (tensor<i1>) -> ()
    %4 = "weft.subtract"(%x, %turned) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    scf.yield %1, %2, %4 : tensor<i64>, tensor<i64>, tensor<i64>
  }
  return %sums#0, %sums#1, %sums#2 : tensor<i64>, tensor<i64>, tensor<i64>
}
