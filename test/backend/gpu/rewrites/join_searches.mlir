// RUN: weft-opt %s --join-searches --split-input-file | filecheck %s

// The search is a reduction before the nest, and the condition chooses what it made.
// CHECK-DAG: #[[PLACE:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[NUMBER:.*]] = affine_map<(d0, d1) -> ()>
// CHECK-LABEL: func.func @searched(
// CHECK-SAME: %[[INDICES:.*]]: tensor<?x?xi32>, %[[SIGN:.*]]: tensor<i32>, %[[SIZE:.*]]: tensor<i64>
// CHECK: %[[START:.*]] = linalg.fill ins(%c9223372036854775807_i64 : i64)
// CHECK: %[[LEAST:.*]] = linalg.generic {indexing_maps = [#[[PLACE]], #[[NUMBER]], #[[NUMBER]]], iterator_types = ["reduction", "reduction"]} ins(%[[INDICES]], %[[SIZE]] : tensor<?x?xi32>, tensor<i64>) outs(%[[START]] : tensor<i64>)
// CHECK: ^bb0(%[[INDEX:.*]]: i32, %[[EXTENT:.*]]: i64, %[[SO_FAR:.*]]: i64):
// CHECK-DAG: linalg.index 0
// CHECK-DAG: linalg.index 1
// CHECK-DAG: arith.subi %{{.*}}, %[[EXTENT]] : i64
// CHECK-DAG: arith.extsi %[[INDEX]] : i32 to i64
// CHECK: arith.minsi %[[SO_FAR]]
// CHECK: %[[FOUND:.*]] = tensor.extract %[[LEAST]][] : tensor<i64>
// CHECK: linalg.generic
// CHECK: arith.select %{{.*}}, %[[FOUND]], %c9223372036854775807_i64
// CHECK-NOT: scf.
func.func @searched(%indices: tensor<?x?xi32>, %sign: tensor<i32>, %size: tensor<i64>) -> tensor<i64> {
  %none = arith.constant 9223372036854775807 : i64
  %zero = arith.constant 0 : i64
  %no = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %indices, %c0 : tensor<?x?xi32>
  %columns = tensor.dim %indices, %c1 : tensor<?x?xi32>
  %empty = tensor.empty() : tensor<i64>
  %found = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%sign, %size : tensor<i32>, tensor<i64>) outs(%empty : tensor<i64>) {
  ^bb0(%s: i32, %extent: i64, %out: i64):
    %may_be = arith.cmpi slt, %s, %no : i32
    %place = scf.if %may_be -> (i64) {
      %lowest = arith.subi %zero, %extent : i64
      %first = scf.for %i = %c0 to %rows step %c1 iter_args(%row = %none) -> (i64) {
        %inner = scf.for %j = %c0 to %columns step %c1 iter_args(%so_far = %row) -> (i64) {
          %before = arith.muli %i, %columns : index
          %at = arith.addi %before, %j : index
          %element = tensor.extract %indices[%i, %j] : tensor<?x?xi32>
          %wide = arith.extsi %element : i32 to i64
          %below = arith.cmpi slt, %wide, %lowest : i64
          %here = arith.index_cast %at : index to i64
          %candidate = arith.select %below, %here, %none : i64
          %least = arith.minsi %so_far, %candidate : i64
          scf.yield %least : i64
        }
        scf.yield %inner : i64
      }
      scf.yield %first : i64
    } else {
      scf.yield %none : i64
    }
    linalg.yield %place : i64
  } -> tensor<i64>
  return %found : tensor<i64>
}

// -----

// What is read elsewhere than at the place of the loop may not be there where the condition says that it is not
// asked for; a loop that is shorter than its array is left alone, and so is what depends on the order.
// CHECK-LABEL: func.func @left_alone(
// CHECK-NOT: iterator_types = ["reduction"]
// CHECK-COUNT-3: scf.for
func.func @left_alone(%x: tensor<8xi64>, %sign: tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<i64>) {
  %zero = arith.constant 0 : i64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %empty = tensor.empty() : tensor<i64>
  %found:3 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%sign : tensor<i64>) outs(%empty, %empty, %empty : tensor<i64>, tensor<i64>, tensor<i64>) {
  ^bb0(%s: i64, %out: i64, %out_0: i64, %out_1: i64):
    %may_be = arith.cmpi slt, %s, %zero : i64
    %made:3 = scf.if %may_be -> (i64, i64, i64) {
      %elsewhere = scf.for %i = %c0 to %c8 step %c1 iter_args(%so_far = %zero) -> (i64) {
        %at = arith.addi %i, %c7 : index
        %element = tensor.extract %x[%at] : tensor<8xi64>
        %sum = arith.addi %so_far, %element : i64
        scf.yield %sum : i64
      }
      %short = scf.for %i = %c0 to %c7 step %c1 iter_args(%so_far = %zero) -> (i64) {
        %element = tensor.extract %x[%i] : tensor<8xi64>
        %sum = arith.addi %so_far, %element : i64
        scf.yield %sum : i64
      }
      %ordered = scf.for %i = %c0 to %c8 step %c1 iter_args(%so_far = %zero) -> (i64) {
        %element = tensor.extract %x[%i] : tensor<8xi64>
        %difference = arith.subi %element, %so_far : i64
        scf.yield %difference : i64
      }
      scf.yield %elsewhere, %short, %ordered : i64, i64, i64
    } else {
      scf.yield %zero, %zero, %zero : i64, i64, i64
    }
    linalg.yield %made#0, %made#1, %made#2 : i64, i64, i64
  } -> (tensor<i64>, tensor<i64>, tensor<i64>)
  return %found#0, %found#1, %found#2 : tensor<i64>, tensor<i64>, tensor<i64>
}
