// RUN: weft-opt %s --weft-partition="mesh=d:2 rank=1" --split-input-file | filecheck %s

// Elements of a long array at many places: ranks ask each other for them, and send them back.
// CHECK-LABEL: func.func @read
// CHECK: "weft.all_reduce"({{.*}}) {over = "d", reduction = "max"} : (tensor<i64>)
// CHECK: "weft.all_to_all"({{.*}}) {over = "d"} : (tensor<2x?x1xi64>)
// CHECK: "weft.all_to_all"({{.*}}) {over = "d"} : (tensor<2x?xf64>)
// CHECK-NOT: weft.all_gather
// CHECK: return {{.*}} : tensor<10000xf64>
func.func @read(%x: tensor<20000xf64> {weft.sharding = "[{d}]"}, %i: tensor<20000xi64> {weft.sharding = "[{d}]"}) -> tensor<20000xf64> {
  %0 = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<20000xf64>, tensor<20000xi64>) -> tensor<20000xf64>
  return %0 : tensor<20000xf64>
}

// -----

// What is written goes to those whose places they are; zeros are split for it.
// CHECK-LABEL: func.func @written
// CHECK-COUNT-2: "weft.all_to_all"
// CHECK-NOT: weft.all_gather
// CHECK: return {{.*}} : tensor<10000xf64>
func.func @written(%y: tensor<20000xf64> {weft.sharding = "[{d}]"}, %i: tensor<20000xi64> {weft.sharding = "[{d}]"}) -> tensor<20000xf64> {
  %zero = "weft.constant"() {value = dense<0.0> : tensor<20000xf64>} : () -> tensor<20000xf64>
  %0 = "weft.scatter"(%zero, %y, %i) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<20000xf64>, tensor<20000xf64>, tensor<20000xi64>) -> tensor<20000xf64>
  return %0 : tensor<20000xf64>
}

// -----

// A short array, and few places, are gathered; places that all ranks have are read where they are.
// CHECK-LABEL: func.func @short
// CHECK: "weft.all_gather"({{.*}}) {count = 2 : i64, over = "d"} : (tensor<20xf64>)
// CHECK: "weft.all_gather"({{.*}}) {count = 2 : i64, over = "d"} : (tensor<10xi64>)
// CHECK-NOT: weft.all_to_all
// CHECK: return
func.func @short(%s: tensor<40xf64> {weft.sharding = "[{d}]"}, %x: tensor<20000xf64> {weft.sharding = "[{d}]"}, %i: tensor<20000xi64> {weft.sharding = "[{d}]"}, %j: tensor<20xi64> {weft.sharding = "[{d}]"}, %k: tensor<20000xi64>) -> (tensor<20000xf64>, tensor<20xf64>, tensor<20000xf64>) {
  %0 = "weft.gather"(%s, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<40xf64>, tensor<20000xi64>) -> tensor<20000xf64>
  %1 = "weft.gather"(%x, %j) {axes = array<i64: 0>, position = 0 : i64} : (tensor<20000xf64>, tensor<20xi64>) -> tensor<20xf64>
  %2 = "weft.gather"(%x, %k) {axes = array<i64: 0>, position = 0 : i64} : (tensor<20000xf64>, tensor<20000xi64>) -> tensor<20000xf64>
  return %0, %1, %2 : tensor<20000xf64>, tensor<20xf64>, tensor<20000xf64>
}
