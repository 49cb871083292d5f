// RUN: weft-opt %s --weft-partition="mesh=d:2 rank=1" --split-input-file | filecheck %s

// A reduction over the split axis is combined; one over another axis is not.
// CHECK-LABEL: func.func @sums
// CHECK-SAME: tensor<5x3xf64>
// CHECK: %[[P:.*]] = "weft.sum"(%arg0) {axes = array<i64: 0>
// CHECK-NEXT: %[[T:.*]] = "weft.all_reduce"(%[[P]]) {over = "d", reduction = "sum"}
// CHECK-NEXT: %[[S:.*]] = "weft.sum"(%arg0) {axes = array<i64: 1>, keepdims = false} : (tensor<5x3xf64>) -> tensor<5xf64>
// CHECK-NEXT: return %[[T]], %[[S]] : tensor<3xf64>, tensor<5xf64>
func.func @sums(%x: tensor<9x3xf64> {weft.sharding = "[{d}, {}]"}) -> (tensor<3xf64>, tensor<9xf64>) {
  %0 = "weft.sum"(%x) {axes = array<i64: 0>, keepdims = false} : (tensor<9x3xf64>) -> tensor<3xf64>
  %1 = "weft.sum"(%x) {axes = array<i64: 1>, keepdims = false} : (tensor<9x3xf64>) -> tensor<9xf64>
  return %0, %1 : tensor<3xf64>, tensor<9xf64>
}

// -----

// Reductions that are ready together go as one; what needs their results comes behind.
// CHECK-LABEL: func.func @as_one
// CHECK: "weft.concat"
// CHECK: "weft.all_reduce"({{.*}}) {over = "d", reduction = "sum"} : (tensor<7xf64>)
// CHECK-NOT: weft.all_reduce
// CHECK: return
func.func @as_one(%x: tensor<8x3xf64> {weft.sharding = "[{d}, {}]"}, %y: tensor<8x4xf64> {weft.sharding = "[{d}, {}]"}) -> (tensor<3xf64>, tensor<4xf64>) {
  %0 = "weft.sum"(%x) {axes = array<i64: 0>, keepdims = false} : (tensor<8x3xf64>) -> tensor<3xf64>
  %1 = "weft.exp"(%0) : (tensor<3xf64>) -> tensor<3xf64>
  %2 = "weft.sum"(%y) {axes = array<i64: 0>, keepdims = false} : (tensor<8x4xf64>) -> tensor<4xf64>
  return %1, %2 : tensor<3xf64>, tensor<4xf64>
}

// -----

// One that needs the other's result does not.
// CHECK-LABEL: func.func @one_after_the_other
// CHECK: "weft.all_reduce"({{.*}}) {over = "d", reduction = "max"}
// CHECK: "weft.subtract"
// CHECK: "weft.all_reduce"({{.*}}) {over = "d", reduction = "sum"}
func.func @one_after_the_other(%x: tensor<8xf64> {weft.sharding = "[{d}]"}) -> tensor<f64> {
  %0 = "weft.max"(%x) {axes = array<i64: 0>, keepdims = false} : (tensor<8xf64>) -> tensor<f64>
  %1 = "weft.subtract"(%x, %0) : (tensor<8xf64>, tensor<f64>) -> tensor<8xf64>
  %2 = "weft.sum"(%1) {axes = array<i64: 0>, keepdims = false} : (tensor<8xf64>) -> tensor<f64>
  return %2 : tensor<f64>
}

// -----

// Slices that meet in the middle stay there: one exchange of an element to each side.
// CHECK-LABEL: func.func @neighbours
// CHECK-SAME: tensor<4xf64>
// CHECK-COUNT-2: "weft.send_receive"({{.*}} : (tensor<1xf64>)
// CHECK-NOT: weft.send_receive
// CHECK: return {{.*}} : tensor<3xf64>
func.func @neighbours(%x: tensor<8xf64> {weft.sharding = "[{d}]"}) -> tensor<6xf64> {
  %0 = "weft.slice"(%x) {start = array<i64: 0>, stop = array<i64: 6>, step = array<i64: 1>} : (tensor<8xf64>) -> tensor<6xf64>
  %1 = "weft.slice"(%x) {start = array<i64: 2>, stop = array<i64: 8>, step = array<i64: 1>} : (tensor<8xf64>) -> tensor<6xf64>
  %2 = "weft.add"(%0, %1) : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xf64>
  return %2 : tensor<6xf64>
}

// -----

// A slice by itself does not move.
// CHECK-LABEL: func.func @inner
// CHECK-NOT: weft.send_receive
// CHECK: "weft.slice"(%arg0) {start = array<i64: 0>, step = array<i64: 1>, stop = array<i64: 3>}
func.func @inner(%x: tensor<8xf64> {weft.sharding = "[{d}]"}) -> tensor<6xf64> {
  %0 = "weft.slice"(%x) {start = array<i64: 1>, stop = array<i64: 7>, step = array<i64: 1>} : (tensor<8xf64>) -> tensor<6xf64>
  return %0 : tensor<6xf64>
}

// -----

// Contractions: over the split axis parts are added; the others stay split.
// CHECK-LABEL: func.func @products
// CHECK: "weft.contract"(%arg0, %arg0) {spec = "ji,jk->ik"}
// CHECK: "weft.all_reduce"
// CHECK: "weft.contract"(%arg0, %arg1) {spec = "ij,jk->ik"} : (tensor<4x3xf64>, tensor<3x2xf64>) -> tensor<4x2xf64>
// CHECK-NOT: weft.all
// CHECK: return
func.func @products(%x: tensor<8x3xf64> {weft.sharding = "[{d}, {}]"}, %w: tensor<3x2xf64>) -> (tensor<3x3xf64>, tensor<8x2xf64>) {
  %0 = "weft.contract"(%x, %x) {spec = "ji,jk->ik"} : (tensor<8x3xf64>, tensor<8x3xf64>) -> tensor<3x3xf64>
  %1 = "weft.contract"(%x, %w) {spec = "ij,jk->ik"} : (tensor<8x3xf64>, tensor<3x2xf64>) -> tensor<8x2xf64>
  return %0, %1 : tensor<3x3xf64>, tensor<8x2xf64>
}

// -----

// A sort along the split axis turns the array; along another one nothing is sent.
// CHECK-LABEL: func.func @sorts
// CHECK: "weft.all_to_all"
// CHECK: "weft.sort"({{.*}}) {axis = 0
// CHECK-NOT: weft.all
// CHECK: "weft.sort"(%arg0) {axis = 1
func.func @sorts(%x: tensor<8x6xf64> {weft.sharding = "[{d}, {}]"}) -> (tensor<8x6xf64>, tensor<8x6xf64>) {
  %0 = "weft.sort"(%x) {axis = 0 : i64, descending = false} : (tensor<8x6xf64>) -> tensor<8x6xf64>
  %1 = "weft.sort"(%x) {axis = 1 : i64, descending = false} : (tensor<8x6xf64>) -> tensor<8x6xf64>
  return %0, %1 : tensor<8x6xf64>, tensor<8x6xf64>
}

// -----

// What a loop carries is split as it becomes in it; zeros are made in blocks.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for {{.*}} -> (tensor<4xf64>)
// CHECK: "weft.add"({{.*}}) : (tensor<4xf64>, tensor<4xf64>)
func.func @loop(%x: tensor<8xf64> {weft.sharding = "[{d}]"}, %n: index) -> tensor<8xf64> {
  %zero = "weft.constant"() {value = dense<0.0> : tensor<8xf64>} : () -> tensor<8xf64>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (tensor<8xf64>) {
    %s = "weft.add"(%a, %x) : (tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
    scf.yield %s : tensor<8xf64>
  }
  return %r : tensor<8xf64>
}

// -----

// A loop carries an array with room for what neighbours send, which goes there in place.
// CHECK-LABEL: func.func @room
// CHECK: "weft.pad"(%arg0, {{.*}}) {high = array<i64: 0>, low = array<i64: 1>} : (tensor<4xf64>, tensor<f64>) -> tensor<5xf64>
// CHECK: scf.for {{.*}} -> (tensor<5xf64>)
// CHECK: %[[A:.*]] = "weft.slice_update"({{.*}}) {start = array<i64: 0>, step = array<i64: 1>, stop = array<i64: 1>} : (tensor<5xf64>, tensor<1xf64>)
// CHECK-NOT: weft.concat
// CHECK: "weft.slice_update"(%[[A]], {{.*}}) {start = array<i64: 1>, step = array<i64: 1>, stop = array<i64: 4>} : (tensor<5xf64>, tensor<3xf64>)
// CHECK: return {{.*}} : tensor<4xf64>
func.func @room(%x: tensor<8xf64> {weft.sharding = "[{d}]"}, %n: index) -> tensor<8xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<8xf64>) {
    %0 = "weft.slice"(%a) {start = array<i64: 0>, stop = array<i64: 6>, step = array<i64: 1>} : (tensor<8xf64>) -> tensor<6xf64>
    %1 = "weft.slice"(%a) {start = array<i64: 2>, stop = array<i64: 8>, step = array<i64: 1>} : (tensor<8xf64>) -> tensor<6xf64>
    %2 = "weft.add"(%0, %1) : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xf64>
    %3 = "weft.slice_update"(%a, %2) {start = array<i64: 1>, stop = array<i64: 7>, step = array<i64: 1>} : (tensor<8xf64>, tensor<6xf64>) -> tensor<8xf64>
    scf.yield %3 : tensor<8xf64>
  }
  return %r : tensor<8xf64>
}

// -----

// So does a loop with a condition: what that hands on has the room, too.
// CHECK-LABEL: func.func @room_of_while
// CHECK: "weft.pad"(%arg0, {{.*}}) {high = array<i64: 0>, low = array<i64: 1>} : (tensor<4xf64>, tensor<f64>) -> tensor<5xf64>
// CHECK: scf.while {{.*}} : (tensor<5xf64>) -> tensor<5xf64>
// CHECK: "weft.all_reduce"
// CHECK: scf.condition
// CHECK: %[[A:.*]] = "weft.slice_update"({{.*}}) {start = array<i64: 0>, step = array<i64: 1>, stop = array<i64: 1>} : (tensor<5xf64>, tensor<1xf64>)
// CHECK-NOT: weft.concat
// CHECK: "weft.slice_update"(%[[A]], {{.*}}) {start = array<i64: 1>, step = array<i64: 1>, stop = array<i64: 4>} : (tensor<5xf64>, tensor<3xf64>)
// CHECK: return {{.*}} : tensor<4xf64>
func.func @room_of_while(%x: tensor<8xf64> {weft.sharding = "[{d}]"}, %least: tensor<f64>) -> tensor<8xf64> {
  %r = scf.while (%a = %x) : (tensor<8xf64>) -> tensor<8xf64> {
    %most = "weft.max"(%a) {axes = array<i64: 0>, keepdims = false} : (tensor<8xf64>) -> tensor<f64>
    %is_more = "weft.greater"(%most, %least) : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %goes_on = tensor.extract %is_more[] : tensor<i1>
    scf.condition(%goes_on) %a : tensor<8xf64>
  } do {
  ^bb0(%a: tensor<8xf64>):
    %0 = "weft.slice"(%a) {start = array<i64: 0>, stop = array<i64: 6>, step = array<i64: 1>} : (tensor<8xf64>) -> tensor<6xf64>
    %1 = "weft.slice"(%a) {start = array<i64: 2>, stop = array<i64: 8>, step = array<i64: 1>} : (tensor<8xf64>) -> tensor<6xf64>
    %2 = "weft.add"(%0, %1) : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xf64>
    %3 = "weft.slice_update"(%a, %2) {start = array<i64: 1>, stop = array<i64: 7>, step = array<i64: 1>} : (tensor<8xf64>, tensor<6xf64>) -> tensor<8xf64>
    scf.yield %3 : tensor<8xf64>
  }
  return %r : tensor<8xf64>
}

// -----

// The last element goes round to the first rank in the message of the others; a whole turn sends nothing.
// CHECK-LABEL: func.func @rolled
// CHECK: "weft.send_receive"({{.*}}) {over = "d", shift = 1 : i64, wraps = true} : (tensor<1xf64>)
// CHECK-NOT: weft.send_receive
// CHECK: return {{.*}}, %arg0 : tensor<4xf64>, tensor<4xf64>
func.func @rolled(%x: tensor<8xf64> {weft.sharding = "[{d}]"}) -> (tensor<8xf64>, tensor<8xf64>) {
  %0 = "weft.roll"(%x) {axis = 0 : i64, shift = 1 : i64} : (tensor<8xf64>) -> tensor<8xf64>
  %1 = "weft.roll"(%x) {axis = 0 : i64, shift = -8 : i64} : (tensor<8xf64>) -> tensor<8xf64>
  return %0, %1 : tensor<8xf64>, tensor<8xf64>
}

// -----

// Functions without a sharding stay as they are.
// CHECK-LABEL: func.func @alone
// CHECK-SAME: tensor<8xf64>) -> tensor<f64>
// CHECK-NEXT: "weft.sum"(%arg0)
// CHECK-NEXT: return
func.func @alone(%x: tensor<8xf64>) -> tensor<f64> {
  %0 = "weft.sum"(%x) {axes = array<i64: 0>, keepdims = false} : (tensor<8xf64>) -> tensor<f64>
  return %0 : tensor<f64>
}
