// RUN: weft-opt %s --convert-weft-to-linalg --canonicalize --cse | filecheck %s

// CHECK: #[[PERMUTED:.*]] = affine_map<(d0, d1, d2) -> (d1, d2, d0)>

// CHECK-LABEL: func.func @transpose
// CHECK: linalg.generic {indexing_maps = [#[[PERMUTED]], #{{.*}}], iterator_types = ["parallel", "parallel", "parallel"]}
func.func @transpose(%x: tensor<2x3x?xf32>) -> tensor<?x2x3xf32> {
  %0 = "weft.transpose"(%x) {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x?xf32>) -> tensor<?x2x3xf32>
  return %0 : tensor<?x2x3xf32>
}

// Axes of extent 1 come and go without a detour over one axis.
// CHECK-LABEL: func.func @unit_axes
// CHECK: %[[MERGED:.*]] = tensor.collapse_shape %arg0 {{\[}}[0, 1], [2]] : tensor<?x1x3xf32> into tensor<?x3xf32>
// CHECK: tensor.expand_shape %[[MERGED]] {{\[}}[0], [1, 2]] output_shape [%{{.*}}, 3, 1] : tensor<?x3xf32> into tensor<?x3x1xf32>
func.func @unit_axes(%x: tensor<?x1x3xf32>, %n: tensor<i64>) -> tensor<?x3x1xf32> {
  %0 = "weft.reshape"(%x, %n) {shape = array<i64: -1, 3, 1>} : (tensor<?x1x3xf32>, tensor<i64>) -> tensor<?x3x1xf32>
  return %0 : tensor<?x3x1xf32>
}

// CHECK-LABEL: func.func @reshape
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %arg0 {{\[}}[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
// CHECK: tensor.expand_shape %[[FLAT]] {{\[}}[0, 1]] output_shape [2, %{{.*}}] : tensor<?xf32> into tensor<2x?xf32>
func.func @reshape(%x: tensor<?x4xf32>, %n: tensor<i64>) -> tensor<2x?xf32> {
  %0 = "weft.reshape"(%x, %n) {shape = array<i64: 2, -1>} : (tensor<?x4xf32>, tensor<i64>) -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}

// What the type knows of the size that an operand gives is known.
// CHECK-LABEL: func.func @reshape_to_known
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %arg0 {{\[}}[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
// CHECK: tensor.expand_shape %[[FLAT]] {{\[}}[0, 1]] output_shape [3, 4] : tensor<12xf32> into tensor<3x4xf32>
func.func @reshape_to_known(%x: tensor<4x3xf32>, %n: tensor<i64>) -> tensor<3x4xf32> {
  %0 = "weft.reshape"(%x, %n) {shape = array<i64: 3, -1>} : (tensor<4x3xf32>, tensor<i64>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// One element is a scalar.
// CHECK-LABEL: func.func @squeeze_all
// CHECK: %[[ELEMENT:.*]] = tensor.extract %arg0[%c0, %c0]
// CHECK: tensor.from_elements %[[ELEMENT]] : tensor<f32>
func.func @squeeze_all(%x: tensor<1x1xf32>) -> tensor<f32> {
  %0 = "weft.squeeze"(%x) {axes = array<i64: 0, 1>} : (tensor<1x1xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// What was joined is not moved again when it is joined to more.
// CHECK-LABEL: func.func @joins
// CHECK: %[[RESULT:.*]] = tensor.empty() : tensor<9xf32>
// CHECK-NEXT: %[[A:.*]] = tensor.insert_slice %arg0 into %[[RESULT]][0] [2] [1]
// CHECK-NEXT: %[[B:.*]] = tensor.insert_slice %arg1 into %[[A]][2] [3] [1]
// CHECK-NEXT: %[[C:.*]] = tensor.insert_slice %arg2 into %[[B]][5] [4] [1]
// CHECK-NEXT: return %[[C]]
func.func @joins(%x: tensor<2xf32>, %y: tensor<3xf32>, %z: tensor<4xf32>) -> tensor<9xf32> {
  %0 = "weft.concat"(%x, %y) {axis = 0} : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  %1 = "weft.concat"(%0, %z) {axis = 0} : (tensor<5xf32>, tensor<4xf32>) -> tensor<9xf32>
  return %1 : tensor<9xf32>
}

// What was computed is copied as it is: only joins are looked into.
// CHECK-LABEL: func.func @join_of_computed
// CHECK: linalg.generic
// CHECK: tensor.empty() : tensor<4xf32>
// CHECK-COUNT-2: tensor.insert_slice
// CHECK-NOT: tensor.insert_slice
func.func @join_of_computed(%x: tensor<2xf32>) -> tensor<4xf32> {
  %0 = "weft.negative"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "weft.concat"(%0, %x) {axis = 0} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @stack
// CHECK: tensor.insert_slice %arg0 into %{{.*}}[0, 1] [3, 1] [1, 1] : tensor<3xi8> into tensor<3x2xi8>
func.func @stack(%x: tensor<3xi1>) -> tensor<3x2xi1> {
  %0 = "weft.stack"(%x, %x) {axis = 1} : (tensor<3xi1>, tensor<3xi1>) -> tensor<3x2xi1>
  return %0 : tensor<3x2xi1>
}

// What is around the operand is filled, not what it will cover.
// CHECK-LABEL: func.func @pad
// CHECK: %[[BEFORE:.*]] = linalg.fill {{.*}} -> tensor<1xf32>
// CHECK: tensor.insert_slice %[[BEFORE]] into %{{.*}}[0] [1] [1]
// CHECK: %[[BEHIND:.*]] = linalg.fill {{.*}} -> tensor<2xf32>
// CHECK: tensor.insert_slice %[[BEHIND]] into %{{.*}}[%{{.*}}] [2] [1]
// CHECK-NOT: linalg.fill
// CHECK: tensor.insert_slice %arg0 into %{{.*}}[1] [%{{.*}}] [1] : tensor<?xf32> into tensor<?xf32>
func.func @pad(%x: tensor<?xf32>, %v: tensor<f32>) -> tensor<?xf32> {
  %0 = "weft.pad"(%x, %v) {low = array<i64: 1>, high = array<i64: 2>} : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// The operand is copied, and only what is around it is read by place; every element of the corners once.
// CHECK-LABEL: func.func @extend
// CHECK: tensor.insert_slice %arg0 into %{{.*}}[1, 1] [3, 4] [1, 1]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [1, 6] [1, 1]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[4, 0] [1, 6] [1, 1]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[1, 0] [3, 1] [1, 1]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[1, 5] [3, 1] [1, 1]
func.func @extend(%x: tensor<3x4xf32>) -> tensor<5x6xf32> {
  %0 = "weft.extend"(%x) {low = array<i64: 1, 1>, high = array<i64: 1, 1>, mode = "edge"} : (tensor<3x4xf32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// An axis of unknown size may be empty, and stays so.
// CHECK-LABEL: func.func @extend_unknown
// CHECK-NOT: tensor.insert_slice
// CHECK: return
func.func @extend_unknown(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = "weft.extend"(%x) {low = array<i64: 1>, high = array<i64: 1>, mode = "edge"} : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Copies are spread over an axis of their own, which is merged afterwards.
// CHECK-LABEL: func.func @repeat
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<2x3xf32>) outs(%{{.*}} : tensor<2x3x4xf32>)
// CHECK: tensor.collapse_shape %{{.*}} {{\[}}[0], [1, 2]] : tensor<2x3x4xf32> into tensor<2x12xf32>
func.func @repeat(%x: tensor<2x3xf32>) -> tensor<2x12xf32> {
  %0 = "weft.repeat"(%x) {count = 4, axis = 1} : (tensor<2x3xf32>) -> tensor<2x12xf32>
  return %0 : tensor<2x12xf32>
}

// Each element has a run of its own, which ends where the result does; zeros are what is left.
// CHECK-LABEL: func.func @repeat_each
// CHECK: scf.for
// CHECK: %[[COUNT:.*]] = arith.maxsi
// CHECK: arith.minsi %[[COUNT]]
// CHECK: scf.for
// CHECK: tensor.insert
// CHECK: scf.for
// CHECK: tensor.insert
func.func @repeat_each(%x: tensor<3xf32>, %counts: tensor<3xi64>, %n: tensor<i64>) -> tensor<?xf32> {
  %0 = "weft.repeat_each"(%x, %counts, %n) {shape = array<i64: -1>} : (tensor<3xf32>, tensor<3xi64>, tensor<i64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @nothing_to_do
// CHECK-NEXT: return %arg0
func.func @nothing_to_do(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = "weft.transpose"(%x) {permutation = array<i64: 0, 1>} : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %1 = "weft.reshape"(%0) {shape = array<i64: 4, 2>} : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %2 = "weft.roll"(%1) {shift = 8, axis = 0} : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %3 = "weft.broadcast_to"(%2) {shape = array<i64: 4, 2>} : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %3 : tensor<4x2xf32>
}

// What may have to be repeated is left to the backend; what is known to be 1 is repeated by the loops that read it.
// CHECK-LABEL: func.func @stretched
// CHECK: %[[S:.*]] = "weft.stretch"(%arg0, %arg1) {shape = array<i64: -1, 1>} : (tensor<?x1xi8>, tensor<i64>) -> tensor<?x1xi8>
// CHECK: linalg.generic {{.*}} ins(%[[S]] :
func.func @stretched(%x: tensor<?x1xi1>, %n: tensor<i64>, %m: tensor<i64>) -> tensor<?x?xi1> {
  %0 = "weft.stretch"(%x, %n, %m) {shape = array<i64: -1, -1>} : (tensor<?x1xi1>, tensor<i64>, tensor<i64>) -> tensor<?x?xi1>
  return %0 : tensor<?x?xi1>
}
