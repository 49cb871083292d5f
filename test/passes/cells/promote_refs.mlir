// RUN: weft-opt %s --promote-refs --split-input-file | filecheck %s

// A local cell vanishes: every read sees the last write.
// CHECK-LABEL: func.func @local_cell
// CHECK-SAME: (%[[X:.*]]: tensor<3xf32>)
// CHECK-NEXT: %[[Y:.*]] = "weft.add"(%[[X]], %[[X]])
// CHECK-NEXT: %[[Z:.*]] = "weft.multiply"(%[[Y]], %[[X]])
// CHECK-NEXT: return %[[Z]]
func.func @local_cell(%x: tensor<3xf32>) -> tensor<3xf32> {
  %cell = "weft.alloc_ref"(%x) : (tensor<3xf32>) -> !weft.ref<tensor<3xf32>>
  %0 = "weft.read_ref"(%cell) : (!weft.ref<tensor<3xf32>>) -> tensor<3xf32>
  %1 = "weft.add"(%0, %0) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  "weft.write_ref"(%cell, %1) : (!weft.ref<tensor<3xf32>>, tensor<3xf32>) -> ()
  %2 = "weft.read_ref"(%cell) : (!weft.ref<tensor<3xf32>>) -> tensor<3xf32>
  %3 = "weft.multiply"(%2, %0) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %3 : tensor<3xf32>
}

// -----

// An argument that is written keeps its first read and its last write; attributes stay.
// CHECK-LABEL: func.func @written_argument
// CHECK-SAME: (%[[REF:.*]]: !weft.ref<tensor<3xf32>> {weft.name = "x"}) -> (tensor<3xf32> {weft.name = "y"})
// CHECK-NEXT: %[[X:.*]] = "weft.read_ref"(%[[REF]])
// CHECK-NEXT: %[[Y:.*]] = "weft.add"(%[[X]], %[[X]])
// CHECK-NEXT: %[[Z:.*]] = "weft.add"(%[[Y]], %[[X]])
// CHECK-NEXT: "weft.write_ref"(%[[REF]], %[[Z]])
// CHECK-NEXT: return %[[Y]]
func.func @written_argument(%ref: !weft.ref<tensor<3xf32>> {weft.name = "x"}) -> (tensor<3xf32> {weft.name = "y"}) {
  %0 = "weft.read_ref"(%ref) : (!weft.ref<tensor<3xf32>>) -> tensor<3xf32>
  %1 = "weft.add"(%0, %0) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  "weft.write_ref"(%ref, %1) : (!weft.ref<tensor<3xf32>>, tensor<3xf32>) -> ()
  %2 = "weft.read_ref"(%ref) : (!weft.ref<tensor<3xf32>>) -> tensor<3xf32>
  %3 = "weft.add"(%2, %0) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  "weft.write_ref"(%ref, %3) : (!weft.ref<tensor<3xf32>>, tensor<3xf32>) -> ()
  return %2 : tensor<3xf32>
}

// -----

// An argument that is only read is a plain tensor.
// CHECK-LABEL: func.func @read_argument
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32> {weft.name = "x"}, %{{.*}}: tensor<i64>)
// CHECK-NEXT: %[[Y:.*]] = "weft.add"(%[[X]], %[[X]])
// CHECK-NEXT: return %[[Y]]
func.func @read_argument(%ref: !weft.ref<tensor<?xf32>> {weft.name = "x"}, %unread: !weft.ref<tensor<i64>>) -> tensor<?xf32> {
  %0 = "weft.read_ref"(%ref) : (!weft.ref<tensor<?xf32>>) -> tensor<?xf32>
  %1 = "weft.read_ref"(%ref) : (!weft.ref<tensor<?xf32>>) -> tensor<?xf32>
  %2 = "weft.add"(%0, %1) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

// Writing back what was read writes nothing.
// CHECK-LABEL: func.func @written_with_itself
// CHECK-SAME: (%[[X:.*]]: tensor<3xf32>)
// CHECK-NEXT: return %[[X]]
func.func @written_with_itself(%ref: !weft.ref<tensor<3xf32>>) -> tensor<3xf32> {
  %0 = "weft.read_ref"(%ref) : (!weft.ref<tensor<3xf32>>) -> tensor<3xf32>
  "weft.write_ref"(%ref, %0) : (!weft.ref<tensor<3xf32>>, tensor<3xf32>) -> ()
  return %0 : tensor<3xf32>
}

// -----

// What was written before an error is there after it.
// CHECK-LABEL: func.func @error_after_write
// CHECK-SAME: (%[[REF:.*]]: !weft.ref<tensor<i64>>, %[[A:.*]]: tensor<i64>, %[[B:.*]]: tensor<i64>, %[[FAILS:.*]]: tensor<i1>)
// CHECK-NEXT: "weft.write_ref"(%[[REF]], %[[B]])
// CHECK-NEXT: "weft.raise_if"(%[[FAILS]])
// CHECK-NEXT: "weft.raise_if"(%[[FAILS]])
// CHECK-NEXT: "weft.write_ref"(%[[REF]], %[[A]])
// CHECK-NEXT: return %[[B]]
func.func @error_after_write(%ref: !weft.ref<tensor<i64>>, %a: tensor<i64>, %b: tensor<i64>, %fails: tensor<i1>) -> tensor<i64> {
  "weft.write_ref"(%ref, %a) : (!weft.ref<tensor<i64>>, tensor<i64>) -> ()
  "weft.write_ref"(%ref, %b) : (!weft.ref<tensor<i64>>, tensor<i64>) -> ()
  "weft.raise_if"(%fails) {error = "ValueError", message = "no"} : (tensor<i1>) -> ()
  %0 = "weft.read_ref"(%ref) : (!weft.ref<tensor<i64>>) -> tensor<i64>
  "weft.raise_if"(%fails) {error = "ValueError", message = "no"} : (tensor<i1>) -> ()
  "weft.write_ref"(%ref, %a) : (!weft.ref<tensor<i64>>, tensor<i64>) -> ()
  return %0 : tensor<i64>
}

// -----

// A cell that is passed on, or used in a region that is no branch or loop, stays as it is.
// CHECK-LABEL: func.func @passed_on
// CHECK: "weft.alloc_ref"
// CHECK: call @callee
// CHECK: "weft.read_ref"
func.func private @callee(%ref: !weft.ref<tensor<3xf32>>)
func.func @passed_on(%x: tensor<3xf32>) -> tensor<3xf32> {
  %cell = "weft.alloc_ref"(%x) : (tensor<3xf32>) -> !weft.ref<tensor<3xf32>>
  call @callee(%cell) : (!weft.ref<tensor<3xf32>>) -> ()
  %0 = "weft.read_ref"(%cell) : (!weft.ref<tensor<3xf32>>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @used_in_region
// CHECK: "weft.alloc_ref"
// CHECK: scf.execute_region
// CHECK-NEXT: "weft.write_ref"
// CHECK: "weft.read_ref"
func.func @used_in_region(%x: tensor<3xf32>) -> tensor<3xf32> {
  %cell = "weft.alloc_ref"(%x) : (tensor<3xf32>) -> !weft.ref<tensor<3xf32>>
  scf.execute_region {
    "weft.write_ref"(%cell, %x) : (!weft.ref<tensor<3xf32>>, tensor<3xf32>) -> ()
    scf.yield
  }
  %0 = "weft.read_ref"(%cell) : (!weft.ref<tensor<3xf32>>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// A cell that lives in a region is promoted there.
// CHECK-LABEL: func.func @inside_region
// CHECK-NOT: weft.alloc_ref
// CHECK: scf.yield %{{.*}} : tensor<3xf32>
func.func @inside_region(%x: tensor<3xf32>, %condition: i1) -> tensor<3xf32> {
  %result = scf.if %condition -> tensor<3xf32> {
    %cell = "weft.alloc_ref"(%x) : (tensor<3xf32>) -> !weft.ref<tensor<3xf32>>
    %0 = "weft.read_ref"(%cell) : (!weft.ref<tensor<3xf32>>) -> tensor<3xf32>
    %1 = "weft.add"(%0, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    "weft.write_ref"(%cell, %1) : (!weft.ref<tensor<3xf32>>, tensor<3xf32>) -> ()
    %2 = "weft.read_ref"(%cell) : (!weft.ref<tensor<3xf32>>) -> tensor<3xf32>
    scf.yield %2 : tensor<3xf32>
  } else {
    scf.yield %x : tensor<3xf32>
  }
  return %result : tensor<3xf32>
}

// A function that is called keeps its signature.
// CHECK-LABEL: func.func private @called
// CHECK-SAME: !weft.ref
func.func private @called(%ref: !weft.ref<tensor<3xf32>>) -> tensor<3xf32> {
  %0 = "weft.read_ref"(%ref) : (!weft.ref<tensor<3xf32>>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func @caller(%ref: !weft.ref<tensor<3xf32>>) -> tensor<3xf32> {
  %0 = call @called(%ref) : (!weft.ref<tensor<3xf32>>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
