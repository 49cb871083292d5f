// RUN: weft-opt %s --stretch-operands | filecheck %s

// A chain of elementwise ops works on stretched arrays; what is broadcast anyway is not stretched.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[X:.*]]: tensor<?xf64>, %[[Y:.*]]: tensor<1xf64>, %[[C:.*]]: tensor<f64>, %[[N:.*]]: tensor<i64>)
// CHECK-NEXT: %[[A:.*]] = "weft.stretch"(%[[X]], %[[N]]) {shape = array<i64: -1>}
// CHECK-NEXT: %[[B:.*]] = "weft.multiply"(%[[A]], %[[C]])
// CHECK-NEXT: %[[D:.*]] = "weft.add"(%[[B]], %[[Y]])
// CHECK-NEXT: %[[E:.*]] = "weft.cast"(%[[D]]) {dtype = f32}
// CHECK-NEXT: return %[[E]]
func.func @chain(%x: tensor<?xf64>, %y: tensor<1xf64>, %c: tensor<f64>, %n: tensor<i64>) -> tensor<?xf32> {
  %0 = "weft.multiply"(%x, %c) : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
  %1 = "weft.add"(%0, %y) : (tensor<?xf64>, tensor<1xf64>) -> tensor<?xf64>
  %2 = "weft.cast"(%1) {dtype = f32} : (tensor<?xf64>) -> tensor<?xf32>
  %3 = "weft.stretch"(%2, %n) {shape = array<i64: -1>} : (tensor<?xf32>, tensor<i64>) -> tensor<?xf32>
  return %3 : tensor<?xf32>
}

// Every operand is stretched along the axes that it has, to extents that are known, too; twice is once.
// CHECK-LABEL: func.func @axes
// CHECK-SAME: (%[[X:.*]]: tensor<?x?xf64>, %[[Y:.*]]: tensor<?xf64>, %[[N:.*]]: tensor<i64>, %[[M:.*]]: tensor<i64>)
// CHECK-DAG: %[[A:.*]] = "weft.stretch"(%[[X]], %[[N]]) {shape = array<i64: -1, 5>}
// CHECK-DAG: %[[B:.*]] = "weft.stretch"(%[[Y]]) {shape = array<i64: 5>}
// CHECK: %[[C:.*]] = "weft.add"(%[[A]], %[[B]])
// CHECK-NEXT: return %[[C]]
func.func @axes(%x: tensor<?x?xf64>, %y: tensor<?xf64>, %n: tensor<i64>, %m: tensor<i64>) -> tensor<?x5xf64> {
  %0 = "weft.stretch"(%y, %m) {shape = array<i64: -1>} : (tensor<?xf64>, tensor<i64>) -> tensor<?xf64>
  %1 = "weft.add"(%x, %0) : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?x?xf64>
  %2 = "weft.stretch"(%1, %n) {shape = array<i64: -1, 5>} : (tensor<?x?xf64>, tensor<i64>) -> tensor<?x5xf64>
  return %2 : tensor<?x5xf64>
}

// An extent that is asked for is no use of the elements; two users that stretch alike are one.
// CHECK-LABEL: func.func @alike
// CHECK: "weft.stretch"(%arg0, %arg1)
// CHECK: %[[A:.*]] = "weft.exp"
// CHECK-NEXT: %[[B:.*]] = "weft.multiply"(%[[A]], %[[A]])
// CHECK-NEXT: return %[[B]]
func.func @alike(%x: tensor<?xf64>, %n: tensor<i64>) -> (tensor<?xf64>, tensor<i64>) {
  %0 = "weft.exp"(%x) : (tensor<?xf64>) -> tensor<?xf64>
  %1 = "weft.dim"(%0) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
  %2 = "weft.stretch"(%0, %n) {shape = array<i64: -1>} : (tensor<?xf64>, tensor<i64>) -> tensor<?xf64>
  %3 = "weft.stretch"(%0, %n) {shape = array<i64: -1>} : (tensor<?xf64>, tensor<i64>) -> tensor<?xf64>
  %4 = "weft.multiply"(%2, %3) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  return %4, %1 : tensor<?xf64>, tensor<i64>
}

// What is used as it is, too, is computed once; so is what is stretched to two extents.
// CHECK-LABEL: func.func @used
// CHECK-NEXT: %[[A:.*]] = "weft.exp"(%arg0)
// CHECK-NEXT: "weft.stretch"(%[[A]], %arg1)
// CHECK: %[[B:.*]] = "weft.sqrt"(%arg0)
// CHECK-NEXT: "weft.stretch"(%[[B]], %arg1)
// CHECK-NEXT: "weft.stretch"(%[[B]], %arg2)
func.func @used(%x: tensor<?xf64>, %n: tensor<i64>, %m: tensor<i64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %0 = "weft.exp"(%x) : (tensor<?xf64>) -> tensor<?xf64>
  %1 = "weft.stretch"(%0, %n) {shape = array<i64: -1>} : (tensor<?xf64>, tensor<i64>) -> tensor<?xf64>
  %2 = "weft.sqrt"(%x) : (tensor<?xf64>) -> tensor<?xf64>
  %3 = "weft.stretch"(%2, %n) {shape = array<i64: -1>} : (tensor<?xf64>, tensor<i64>) -> tensor<?xf64>
  %4 = "weft.stretch"(%2, %m) {shape = array<i64: -1>} : (tensor<?xf64>, tensor<i64>) -> tensor<?xf64>
  return %0, %1, %3, %4 : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}

// Nothing moves into a loop.
// CHECK-LABEL: func.func @loop
// CHECK-NEXT: "weft.exp"(%arg0)
// CHECK-NEXT: scf.for
func.func @loop(%x: tensor<?xf64>, %y: tensor<?xf64>, %n: tensor<i64>, %a: index, %b: index) -> tensor<?xf64> {
  %0 = "weft.exp"(%x) : (tensor<?xf64>) -> tensor<?xf64>
  %1 = scf.for %i = %a to %b step %a iter_args(%sum = %y) -> tensor<?xf64> {
    // CHECK-NEXT: "weft.stretch"(%{{.*}}, %arg2)
    %2 = "weft.stretch"(%0, %n) {shape = array<i64: -1>} : (tensor<?xf64>, tensor<i64>) -> tensor<?xf64>
    %3 = "weft.add"(%sum, %2) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    scf.yield %3 : tensor<?xf64>
  }
  return %1 : tensor<?xf64>
}

// What gives an extent is no array that is stretched.
// CHECK-LABEL: func.func @computed_extent
// CHECK-SAME: (%[[X:.*]]: tensor<?xf64>, %[[C:.*]]: tensor<i1>, %[[N:.*]]: tensor<i64>)
// CHECK-NEXT: %[[M:.*]] = "weft.select"(%[[C]], %[[N]], %[[N]])
// CHECK-NEXT: %[[A:.*]] = "weft.stretch"(%[[X]], %[[M]]) {shape = array<i64: -1>}
// CHECK-NEXT: %[[B:.*]] = "weft.multiply"(%[[A]], %[[A]])
// CHECK-NEXT: return %[[B]]
func.func @computed_extent(%x: tensor<?xf64>, %c: tensor<i1>, %n: tensor<i64>) -> tensor<?xf64> {
  %0 = "weft.select"(%c, %n, %n) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
  %1 = "weft.stretch"(%x, %0) {shape = array<i64: -1>} : (tensor<?xf64>, tensor<i64>) -> tensor<?xf64>
  %2 = "weft.multiply"(%1, %1) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  return %2 : tensor<?xf64>
}
