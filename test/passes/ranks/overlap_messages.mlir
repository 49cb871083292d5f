// RUN: weft-opt %s --overlap-messages="least=16" --canonicalize --split-input-file | filecheck %s

// The rows in the middle are computed and written while the edges are on their way; what the edges need of them is read before.
// CHECK-LABEL: func.func @stencil
// CHECK: %[[UP:.*]] = "weft.start_send_receive"({{.*}}) {over = "d", shift = 1 : i64, wraps = false} : (tensor<1x4xf64>) -> tensor<i64>
// CHECK: %[[DOWN:.*]] = "weft.start_send_receive"({{.*}}) {over = "d", shift = -1 : i64, wraps = false} : (tensor<1x4xf64>) -> tensor<i64>
// CHECK: %[[MIDDLE:.*]] = "weft.add"{{.*}} -> tensor<6x4xf64>
// CHECK: "weft.slice_update"(%arg0, %[[MIDDLE]]) {start = array<i64: 2, 0>, step = array<i64: 1, 1>, stop = array<i64: 8, 4>}
// CHECK-NEXT: %[[FIRST:.*]] = "weft.finish_send_receive"(%[[UP]]
// CHECK-NEXT: %[[LAST:.*]] = "weft.finish_send_receive"(%[[DOWN]]
// CHECK-DAG: "weft.add"({{.*}}, %[[LAST]]) : (tensor<1x4xf64>, tensor<1x4xf64>) -> tensor<1x4xf64>
// CHECK-DAG: "weft.add"(%[[FIRST]], {{.*}}) : (tensor<1x4xf64>, tensor<1x4xf64>) -> tensor<1x4xf64>
// CHECK: "weft.slice_update"({{.*}}, %[[FIRST]])
// CHECK-NEXT: "weft.slice_update"({{.*}}, %[[LAST]])
// CHECK-COUNT-2: "weft.slice_update"({{.*}}tensor<1x4xf64>) -> tensor<10x4xf64>
// CHECK-NOT: weft.slice_update
// CHECK: return
func.func @stencil(%u: tensor<10x4xf64>) -> tensor<10x4xf64> {
  %0 = "weft.slice"(%u) {start = array<i64: 8, 0>, step = array<i64: 1, 1>, stop = array<i64: 9, 4>} : (tensor<10x4xf64>) -> tensor<1x4xf64>
  %1 = "weft.send_receive"(%0) {over = "d", shift = 1 : i64, wraps = false} : (tensor<1x4xf64>) -> tensor<1x4xf64>
  %2 = "weft.slice"(%u) {start = array<i64: 1, 0>, step = array<i64: 1, 1>, stop = array<i64: 2, 4>} : (tensor<10x4xf64>) -> tensor<1x4xf64>
  %3 = "weft.send_receive"(%2) {over = "d", shift = -1 : i64, wraps = false} : (tensor<1x4xf64>) -> tensor<1x4xf64>
  %4 = "weft.slice_update"(%u, %1) {start = array<i64: 0, 0>, step = array<i64: 1, 1>, stop = array<i64: 1, 4>} : (tensor<10x4xf64>, tensor<1x4xf64>) -> tensor<10x4xf64>
  %5 = "weft.slice_update"(%4, %3) {start = array<i64: 9, 0>, step = array<i64: 1, 1>, stop = array<i64: 10, 4>} : (tensor<10x4xf64>, tensor<1x4xf64>) -> tensor<10x4xf64>
  %6 = "weft.slice"(%5) {start = array<i64: 0, 0>, step = array<i64: 1, 1>, stop = array<i64: 8, 4>} : (tensor<10x4xf64>) -> tensor<8x4xf64>
  %7 = "weft.slice"(%5) {start = array<i64: 2, 0>, step = array<i64: 1, 1>, stop = array<i64: 10, 4>} : (tensor<10x4xf64>) -> tensor<8x4xf64>
  %8 = "weft.add"(%6, %7) : (tensor<8x4xf64>, tensor<8x4xf64>) -> tensor<8x4xf64>
  %9 = "weft.slice_update"(%5, %8) {start = array<i64: 1, 0>, step = array<i64: 1, 1>, stop = array<i64: 9, 4>} : (tensor<10x4xf64>, tensor<8x4xf64>) -> tensor<10x4xf64>
  return %9 : tensor<10x4xf64>
}

// -----

// Where another tensor is written, the halos stay below.
// CHECK-LABEL: func.func @other
// CHECK: %[[M:.*]] = "weft.start_send_receive"
// CHECK: "weft.slice_update"(%arg1, {{.*}}tensor<7x4xf64>) -> tensor<8x4xf64>
// CHECK: "weft.finish_send_receive"(%[[M]]
// CHECK: "weft.slice_update"({{.*}}tensor<1x4xf64>) -> tensor<8x4xf64>
func.func @other(%u: tensor<9x4xf64>, %v: tensor<8x4xf64>) -> tensor<8x4xf64> {
  %0 = "weft.slice"(%u) {start = array<i64: 0, 0>, step = array<i64: 1, 1>, stop = array<i64: 1, 4>} : (tensor<9x4xf64>) -> tensor<1x4xf64>
  %1 = "weft.send_receive"(%0) {over = "d", shift = -1 : i64, wraps = false} : (tensor<1x4xf64>) -> tensor<1x4xf64>
  %2 = "weft.slice_update"(%u, %1) {start = array<i64: 8, 0>, step = array<i64: 1, 1>, stop = array<i64: 9, 4>} : (tensor<9x4xf64>, tensor<1x4xf64>) -> tensor<9x4xf64>
  %3 = "weft.slice"(%2) {start = array<i64: 1, 0>, step = array<i64: 1, 1>, stop = array<i64: 9, 4>} : (tensor<9x4xf64>) -> tensor<8x4xf64>
  %4 = "weft.tanh"(%3) : (tensor<8x4xf64>) -> tensor<8x4xf64>
  %5 = "weft.slice_update"(%v, %4) {start = array<i64: 0, 0>, step = array<i64: 1, 1>, stop = array<i64: 8, 4>} : (tensor<8x4xf64>, tensor<8x4xf64>) -> tensor<8x4xf64>
  return %5 : tensor<8x4xf64>
}

// -----

// A new array is written to an empty one: here all rows but the last are the middle.
// CHECK-LABEL: func.func @anew
// CHECK: %[[M:.*]] = "weft.start_send_receive"
// CHECK: %[[E:.*]] = "weft.empty"() {dtype = f64, shape = array<i64: 8, 4>}
// CHECK: "weft.slice_update"(%[[E]], {{.*}}tensor<7x4xf64>) -> tensor<8x4xf64>
// CHECK: "weft.finish_send_receive"(%[[M]]
// CHECK: %[[V:.*]] = "weft.slice_update"({{.*}}tensor<1x4xf64>) -> tensor<8x4xf64>
// CHECK: return %[[V]]
func.func @anew(%u: tensor<8x4xf64>) -> tensor<8x4xf64> {
  %0 = "weft.slice"(%u) {start = array<i64: 0, 0>, step = array<i64: 1, 1>, stop = array<i64: 1, 4>} : (tensor<8x4xf64>) -> tensor<1x4xf64>
  %1 = "weft.send_receive"(%0) {over = "d", shift = -1 : i64, wraps = true} : (tensor<1x4xf64>) -> tensor<1x4xf64>
  %2 = "weft.slice"(%u) {start = array<i64: 1, 0>, step = array<i64: 1, 1>, stop = array<i64: 8, 4>} : (tensor<8x4xf64>) -> tensor<7x4xf64>
  %3 = "weft.concat"(%2, %1) {axis = 0 : i64} : (tensor<7x4xf64>, tensor<1x4xf64>) -> tensor<8x4xf64>
  %4 = "weft.add"(%u, %3) : (tensor<8x4xf64>, tensor<8x4xf64>) -> tensor<8x4xf64>
  return %4 : tensor<8x4xf64>
}

// -----

// A message that tells what another one has brought is sent behind the middle, when that is there.
// CHECK-LABEL: func.func @corners
// CHECK: %[[M:.*]] = "weft.start_send_receive"
// CHECK-NOT: weft.send_receive
// CHECK: "weft.slice_update"({{.*}}tensor<7x3xf64>) -> tensor<8x4xf64>
// CHECK: "weft.finish_send_receive"(%[[M]]
// CHECK: %[[R:.*]] = "weft.send_receive"
// CHECK: "weft.add"({{.*}}%[[R]]
func.func @corners(%u: tensor<8x4xf64>) -> tensor<8x4xf64> {
  %0 = "weft.slice"(%u) {start = array<i64: 0, 0>, step = array<i64: 1, 1>, stop = array<i64: 1, 4>} : (tensor<8x4xf64>) -> tensor<1x4xf64>
  %1 = "weft.send_receive"(%0) {over = "a", shift = -1 : i64, wraps = true} : (tensor<1x4xf64>) -> tensor<1x4xf64>
  %2 = "weft.slice"(%u) {start = array<i64: 1, 0>, step = array<i64: 1, 1>, stop = array<i64: 8, 4>} : (tensor<8x4xf64>) -> tensor<7x4xf64>
  %3 = "weft.concat"(%2, %1) {axis = 0 : i64} : (tensor<7x4xf64>, tensor<1x4xf64>) -> tensor<8x4xf64>
  %4 = "weft.slice"(%3) {start = array<i64: 0, 0>, step = array<i64: 1, 1>, stop = array<i64: 8, 1>} : (tensor<8x4xf64>) -> tensor<8x1xf64>
  %5 = "weft.send_receive"(%4) {over = "b", shift = -1 : i64, wraps = true} : (tensor<8x1xf64>) -> tensor<8x1xf64>
  %6 = "weft.slice"(%3) {start = array<i64: 0, 1>, step = array<i64: 1, 1>, stop = array<i64: 8, 4>} : (tensor<8x4xf64>) -> tensor<8x3xf64>
  %7 = "weft.concat"(%6, %5) {axis = 1 : i64} : (tensor<8x3xf64>, tensor<8x1xf64>) -> tensor<8x4xf64>
  %8 = "weft.add"(%u, %7) : (tensor<8x4xf64>, tensor<8x4xf64>) -> tensor<8x4xf64>
  return %8 : tensor<8x4xf64>
}

// -----

// Behind such a message ranks do something else together: it stays in front of that.
// CHECK-LABEL: func.func @in_order
// CHECK-COUNT-2: "weft.send_receive"
// CHECK: "weft.all_reduce"
// CHECK-NOT: weft.empty
// CHECK: return
func.func @in_order(%u: tensor<8x4xf64>) -> (tensor<8x4xf64>, tensor<8x4xf64>) {
  %0 = "weft.slice"(%u) {start = array<i64: 0, 0>, step = array<i64: 1, 1>, stop = array<i64: 1, 4>} : (tensor<8x4xf64>) -> tensor<1x4xf64>
  %1 = "weft.send_receive"(%0) {over = "a", shift = -1 : i64, wraps = true} : (tensor<1x4xf64>) -> tensor<1x4xf64>
  %2 = "weft.slice"(%u) {start = array<i64: 1, 0>, step = array<i64: 1, 1>, stop = array<i64: 8, 4>} : (tensor<8x4xf64>) -> tensor<7x4xf64>
  %3 = "weft.concat"(%2, %1) {axis = 0 : i64} : (tensor<7x4xf64>, tensor<1x4xf64>) -> tensor<8x4xf64>
  %4 = "weft.slice"(%3) {start = array<i64: 0, 0>, step = array<i64: 1, 1>, stop = array<i64: 8, 1>} : (tensor<8x4xf64>) -> tensor<8x1xf64>
  %5 = "weft.send_receive"(%4) {over = "b", shift = -1 : i64, wraps = true} : (tensor<8x1xf64>) -> tensor<8x1xf64>
  %6 = "weft.slice"(%3) {start = array<i64: 0, 1>, step = array<i64: 1, 1>, stop = array<i64: 8, 4>} : (tensor<8x4xf64>) -> tensor<8x3xf64>
  %7 = "weft.concat"(%6, %5) {axis = 1 : i64} : (tensor<8x3xf64>, tensor<8x1xf64>) -> tensor<8x4xf64>
  %9 = "weft.all_reduce"(%u) {over = "b", reduction = "sum"} : (tensor<8x4xf64>) -> tensor<8x4xf64>
  %8 = "weft.add"(%u, %7) : (tensor<8x4xf64>, tensor<8x4xf64>) -> tensor<8x4xf64>
  return %8, %9 : tensor<8x4xf64>, tensor<8x4xf64>
}

// -----

// Several updates of one tensor are made together: the middle of all of them, then what waits.
// CHECK-LABEL: func.func @several
// CHECK: %[[M:.*]] = "weft.start_send_receive"
// CHECK: %[[A:.*]] = "weft.slice_update"(%arg0, {{.*}}) {start = array<i64: 0, 1>, {{.*}}tensor<7x3xf64>)
// CHECK: %[[B:.*]] = "weft.slice_update"(%[[A]], {{.*}}) {start = array<i64: 0, 0>, {{.*}}tensor<7x1xf64>)
// CHECK: "weft.finish_send_receive"(%[[M]]
// CHECK-COUNT-3: "weft.slice_update"
// CHECK: return
func.func @several(%u: tensor<9x4xf64>) -> tensor<9x4xf64> {
  %0 = "weft.slice"(%u) {start = array<i64: 0, 0>, step = array<i64: 1, 1>, stop = array<i64: 1, 4>} : (tensor<9x4xf64>) -> tensor<1x4xf64>
  %1 = "weft.send_receive"(%0) {over = "d", shift = -1 : i64, wraps = false} : (tensor<1x4xf64>) -> tensor<1x4xf64>
  %2 = "weft.slice_update"(%u, %1) {start = array<i64: 8, 0>, step = array<i64: 1, 1>, stop = array<i64: 9, 4>} : (tensor<9x4xf64>, tensor<1x4xf64>) -> tensor<9x4xf64>
  %3 = "weft.slice"(%2) {start = array<i64: 1, 1>, step = array<i64: 1, 1>, stop = array<i64: 9, 4>} : (tensor<9x4xf64>) -> tensor<8x3xf64>
  %4 = "weft.tanh"(%3) : (tensor<8x3xf64>) -> tensor<8x3xf64>
  %5 = "weft.slice"(%2) {start = array<i64: 1, 1>, step = array<i64: 1, 1>, stop = array<i64: 9, 2>} : (tensor<9x4xf64>) -> tensor<8x1xf64>
  %6 = "weft.tanh"(%5) : (tensor<8x1xf64>) -> tensor<8x1xf64>
  %7 = "weft.slice_update"(%2, %4) {start = array<i64: 0, 1>, step = array<i64: 1, 1>, stop = array<i64: 8, 4>} : (tensor<9x4xf64>, tensor<8x3xf64>) -> tensor<9x4xf64>
  %8 = "weft.slice_update"(%7, %6) {start = array<i64: 0, 0>, step = array<i64: 1, 1>, stop = array<i64: 8, 1>} : (tensor<9x4xf64>, tensor<8x1xf64>) -> tensor<9x4xf64>
  return %8 : tensor<9x4xf64>
}

// -----

// The second of them replaces what the first one has not written yet: the order stays.
// CHECK-LABEL: func.func @over_each_other
// CHECK: "weft.send_receive"
// CHECK-NOT: weft.start_send_receive
func.func @over_each_other(%u: tensor<9x4xf64>) -> tensor<9x4xf64> {
  %0 = "weft.slice"(%u) {start = array<i64: 0, 0>, step = array<i64: 1, 1>, stop = array<i64: 1, 4>} : (tensor<9x4xf64>) -> tensor<1x4xf64>
  %1 = "weft.send_receive"(%0) {over = "d", shift = -1 : i64, wraps = false} : (tensor<1x4xf64>) -> tensor<1x4xf64>
  %2 = "weft.slice_update"(%u, %1) {start = array<i64: 8, 0>, step = array<i64: 1, 1>, stop = array<i64: 9, 4>} : (tensor<9x4xf64>, tensor<1x4xf64>) -> tensor<9x4xf64>
  %3 = "weft.slice"(%2) {start = array<i64: 1, 0>, step = array<i64: 1, 1>, stop = array<i64: 9, 4>} : (tensor<9x4xf64>) -> tensor<8x4xf64>
  %4 = "weft.tanh"(%3) : (tensor<8x4xf64>) -> tensor<8x4xf64>
  %5 = "weft.slice"(%2) {start = array<i64: 0, 0>, step = array<i64: 1, 1>, stop = array<i64: 9, 1>} : (tensor<9x4xf64>) -> tensor<9x1xf64>
  %7 = "weft.slice_update"(%2, %4) {start = array<i64: 0, 0>, step = array<i64: 1, 1>, stop = array<i64: 8, 4>} : (tensor<9x4xf64>, tensor<8x4xf64>) -> tensor<9x4xf64>
  %8 = "weft.slice_update"(%7, %5) {start = array<i64: 0, 3>, step = array<i64: 1, 1>, stop = array<i64: 9, 4>} : (tensor<9x4xf64>, tensor<9x1xf64>) -> tensor<9x4xf64>
  return %8 : tensor<9x4xf64>
}

// -----

// What is received is the same for all rows here: there is no middle.
// CHECK-LABEL: func.func @no_middle
// CHECK: "weft.send_receive"
// CHECK-NOT: weft.start_send_receive
func.func @no_middle(%u: tensor<10x4xf64>, %x: tensor<1x4xf64>) -> tensor<10x4xf64> {
  %0 = "weft.send_receive"(%x) {over = "d", shift = 1 : i64, wraps = false} : (tensor<1x4xf64>) -> tensor<1x4xf64>
  %1 = "weft.add"(%u, %0) : (tensor<10x4xf64>, tensor<1x4xf64>) -> tensor<10x4xf64>
  %2 = "weft.slice_update"(%u, %1) {start = array<i64: 0, 0>, step = array<i64: 1, 1>, stop = array<i64: 10, 4>} : (tensor<10x4xf64>, tensor<10x4xf64>) -> tensor<10x4xf64>
  return %2 : tensor<10x4xf64>
}

// -----

// The tensor with the halo is read by something else, too: it would be computed twice.
// CHECK-LABEL: func.func @read_twice
// CHECK: "weft.send_receive"
// CHECK-NOT: weft.start_send_receive
func.func @read_twice(%u: tensor<9x4xf64>) -> (tensor<9x4xf64>, tensor<f64>) {
  %0 = "weft.slice"(%u) {start = array<i64: 0, 0>, step = array<i64: 1, 1>, stop = array<i64: 1, 4>} : (tensor<9x4xf64>) -> tensor<1x4xf64>
  %1 = "weft.send_receive"(%0) {over = "d", shift = -1 : i64, wraps = false} : (tensor<1x4xf64>) -> tensor<1x4xf64>
  %2 = "weft.slice_update"(%u, %1) {start = array<i64: 8, 0>, step = array<i64: 1, 1>, stop = array<i64: 9, 4>} : (tensor<9x4xf64>, tensor<1x4xf64>) -> tensor<9x4xf64>
  %3 = "weft.slice"(%2) {start = array<i64: 1, 0>, step = array<i64: 1, 1>, stop = array<i64: 9, 4>} : (tensor<9x4xf64>) -> tensor<8x4xf64>
  %4 = "weft.tanh"(%3) : (tensor<8x4xf64>) -> tensor<8x4xf64>
  %5 = "weft.slice_update"(%2, %4) {start = array<i64: 0, 0>, step = array<i64: 1, 1>, stop = array<i64: 8, 4>} : (tensor<9x4xf64>, tensor<8x4xf64>) -> tensor<9x4xf64>
  %6 = "weft.sum"(%2) {axes = array<i64: 0, 1>, keepdims = false} : (tensor<9x4xf64>) -> tensor<f64>
  return %5, %6 : tensor<9x4xf64>, tensor<f64>
}

// -----

// What else waits for what was received is done together with other ranks: its place stays.
// CHECK-LABEL: func.func @collective_between
// CHECK: "weft.send_receive"
// CHECK-NOT: weft.start_send_receive
func.func @collective_between(%u: tensor<9x4xf64>, %v: tensor<8x4xf64>) -> (tensor<8x4xf64>, tensor<1x4xf64>) {
  %0 = "weft.slice"(%u) {start = array<i64: 0, 0>, step = array<i64: 1, 1>, stop = array<i64: 1, 4>} : (tensor<9x4xf64>) -> tensor<1x4xf64>
  %1 = "weft.send_receive"(%0) {over = "d", shift = -1 : i64, wraps = false} : (tensor<1x4xf64>) -> tensor<1x4xf64>
  %2 = "weft.all_reduce"(%1) {over = "d", reduction = "sum"} : (tensor<1x4xf64>) -> tensor<1x4xf64>
  %3 = "weft.slice_update"(%u, %1) {start = array<i64: 8, 0>, step = array<i64: 1, 1>, stop = array<i64: 9, 4>} : (tensor<9x4xf64>, tensor<1x4xf64>) -> tensor<9x4xf64>
  %4 = "weft.slice"(%3) {start = array<i64: 1, 0>, step = array<i64: 1, 1>, stop = array<i64: 9, 4>} : (tensor<9x4xf64>) -> tensor<8x4xf64>
  %5 = "weft.slice_update"(%v, %4) {start = array<i64: 0, 0>, step = array<i64: 1, 1>, stop = array<i64: 8, 4>} : (tensor<8x4xf64>, tensor<8x4xf64>) -> tensor<8x4xf64>
  return %5, %2 : tensor<8x4xf64>, tensor<1x4xf64>
}

// -----

// A few elements take less time than it takes to begin and to wait.
// CHECK-LABEL: func.func @small
// CHECK: "weft.send_receive"
// CHECK-NOT: weft.start_send_receive
func.func @small(%u: tensor<4xf64>) -> tensor<4xf64> {
  %0 = "weft.slice"(%u) {start = array<i64: 0>, step = array<i64: 1>, stop = array<i64: 1>} : (tensor<4xf64>) -> tensor<1xf64>
  %1 = "weft.send_receive"(%0) {over = "d", shift = -1 : i64, wraps = false} : (tensor<1xf64>) -> tensor<1xf64>
  %2 = "weft.slice_update"(%u, %1) {start = array<i64: 3>, step = array<i64: 1>, stop = array<i64: 4>} : (tensor<4xf64>, tensor<1xf64>) -> tensor<4xf64>
  %3 = "weft.slice"(%2) {start = array<i64: 1>, step = array<i64: 1>, stop = array<i64: 4>} : (tensor<4xf64>) -> tensor<3xf64>
  %4 = "weft.slice_update"(%2, %3) {start = array<i64: 0>, step = array<i64: 1>, stop = array<i64: 3>} : (tensor<4xf64>, tensor<3xf64>) -> tensor<4xf64>
  return %4 : tensor<4xf64>
}
