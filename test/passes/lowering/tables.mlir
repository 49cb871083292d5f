// RUN: weft-opt %s --convert-weft-to-linalg | filecheck %s

// Slots are looked at, the first by the word itself, until one is empty or leads to the key.
// CHECK-LABEL: func.func @find
// CHECK: %[[WORD:.*]] = tensor.extract %arg2[] : tensor<i64>
// CHECK: arith.andi %[[WORD]]
// CHECK: scf.while
// CHECK: %[[PLACE:.*]] = tensor.extract %arg0[%{{.*}}] : tensor<?xi32>
// CHECK: arith.cmpi sge, %[[PLACE]], %{{.*}} : i32
// CHECK: %[[KEY:.*]] = tensor.extract %arg1[%{{.*}}] : tensor<?xi64>
// CHECK: arith.cmpi ne, %[[KEY]], %[[WORD]] : i64
// CHECK: scf.condition
// CHECK: arith.muli
// CHECK-NOT: tensor.insert
// CHECK: return
func.func @find(%slots: tensor<?xi32>, %keys: tensor<?xi64>, %word: tensor<i64>) -> tensor<i64> {
  %0 = "weft.table_find"(%slots, %keys, %word) : (tensor<?xi32>, tensor<?xi64>, tensor<i64>) -> tensor<i64>
  return %0 : tensor<i64>
}

// The words of a key lie side by side.
// CHECK-LABEL: func.func @find_pairs
// CHECK: arith.muli %{{.*}}, %{{.*}} : i64
// CHECK: scf.while
// CHECK: arith.muli %{{.*}}, %c2{{.*}} : index
// CHECK-COUNT-2: tensor.extract %arg1[%{{.*}}] : tensor<6xi64>
// CHECK: arith.ori
// CHECK: scf.condition
func.func @find_pairs(%slots: tensor<8xi32>, %keys: tensor<6xi64>, %a: tensor<i64>, %b: tensor<i64>) -> tensor<i64> {
  %0 = "weft.table_find"(%slots, %keys, %a, %b) : (tensor<8xi32>, tensor<6xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
  return %0 : tensor<i64>
}

// No key is compared where all are different.
// CHECK-LABEL: func.func @index
// CHECK: scf.for
// CHECK: scf.while
// CHECK-NOT: arith.cmpi ne
// CHECK: scf.condition
// CHECK: tensor.insert %{{.*}} into %{{.*}} : tensor<?xi32>
// CHECK: return
func.func @index(%slots: tensor<?xi32>, %keys: tensor<?xi64>, %count: tensor<i64>) -> tensor<?xi32> {
  %0 = "weft.table_index"(%slots, %keys, %count) {width = 1} : (tensor<?xi32>, tensor<?xi64>, tensor<i64>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}
