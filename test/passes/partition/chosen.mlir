// RUN: weft-opt %s --weft-partition='mesh=d:2 rank=1' | filecheck %s

// A rank chooses of its own block, and what it has is what only the run tells.
// CHECK-LABEL: func.func @chosen
// CHECK-NOT: weft.all_gather
// CHECK: %[[PLACES:.*]]:2 = "weft.nonzero"(%arg1) : (tensor<4xi1>) -> (tensor<4xi64>, tensor<i64>)
// CHECK: %[[OWN:.*]] = "weft.dynamic_slice"(%[[PLACES]]#0, %[[PLACES]]#1)
// CHECK: "weft.gather"(%arg0, %{{.*}}) {{.*}} : (tensor<4xf64>, tensor<?xi64>) -> tensor<?xf64>
// CHECK-NOT: weft.all_gather
// CHECK: return %{{.*}} : tensor<?xf64>
func.func @chosen(%x: tensor<8xf64> {weft.sharding = "[{\"d\"}]"}, %m: tensor<8xi1> {weft.sharding = "[{\"d\"}]"}) -> tensor<?xf64> {
  %p:2 = "weft.nonzero"(%m) : (tensor<8xi1>) -> (tensor<8xi64>, tensor<i64>)
  %i = "weft.dynamic_slice"(%p#0, %p#1) {start = array<i64: 0>, start_axes = array<i64>, step = array<i64: 1>, stop = array<i64: 0>, stop_axes = array<i64: 0>} : (tensor<8xi64>, tensor<i64>) -> tensor<?xi64>
  %y = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<8xf64>, tensor<?xi64>) -> tensor<?xf64>
  return %y : tensor<?xf64>
}

// Who asks for the places behind the last one has to have the whole condition.
// CHECK-LABEL: func.func @all_places
// CHECK: weft.all_gather
// CHECK: "weft.nonzero"(%{{.*}}) : (tensor<8xi1>) -> (tensor<8xi64>, tensor<i64>)
func.func @all_places(%m: tensor<8xi1> {weft.sharding = "[{\"d\"}]"}) -> tensor<8xi64> {
  %p:2 = "weft.nonzero"(%m) : (tensor<8xi1>) -> (tensor<8xi64>, tensor<i64>)
  return %p#0 : tensor<8xi64>
}

// Long arrays are sorted by pairs of ranks: the second of two keeps the upper half.
// CHECK-LABEL: func.func @sorted
// CHECK: "weft.sort"(%arg0) {{.*}} : (tensor<8192xf64>) -> tensor<8192xf64>
// CHECK: weft.send_receive
// CHECK: weft.send_receive
// CHECK: "weft.sort"(%{{.*}}) {{.*}} : (tensor<16384xf64>) -> tensor<16384xf64>
// CHECK-NOT: weft.all_gather
// CHECK: return %{{.*}} : tensor<8192xf64>
func.func @sorted(%x: tensor<16384xf64> {weft.sharding = "[{\"d\"}]"}) -> tensor<16384xf64> {
  %y = "weft.sort"(%x) {axis = 0 : i64, descending = false} : (tensor<16384xf64>) -> tensor<16384xf64>
  return %y : tensor<16384xf64>
}

// Short ones are gathered.
// CHECK-LABEL: func.func @short
// CHECK: weft.all_gather
// CHECK: "weft.sort"(%{{.*}}) {{.*}} : (tensor<8xf64>) -> tensor<8xf64>
func.func @short(%x: tensor<8xf64> {weft.sharding = "[{\"d\"}]"}) -> tensor<8xf64> {
  %y = "weft.sort"(%x) {axis = 0 : i64, descending = false} : (tensor<8xf64>) -> tensor<8xf64>
  return %y : tensor<8xf64>
}
