// RUN: weft-opt %s --target=x86-64-v3 --tile-steps | filecheck %s

// Rounds of steps, bands of rows, and steps: a step begins two rows further up than the one before, one for each update.
// CHECK-LABEL: func.func @half_steps
// CHECK: scf.for %[[ROUND:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args
// CHECK: scf.for %[[BAND:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args
// CHECK: scf.for %[[STEP:.*]] = %[[ROUND]] to %{{.*}} step %{{.*}} iter_args(%[[B:.*]] = %{{.*}}, %[[A:.*]] = %{{.*}})
// CHECK: %[[TAKEN:.*]] = arith.subi %[[STEP]], %[[ROUND]]
// CHECK: %[[TWO:.*]] = arith.constant 2
// CHECK: %[[SHIFT:.*]] = arith.muli %[[TAKEN]], %[[TWO]]
// CHECK: %[[ROW:.*]] = arith.subi %[[BAND]], %[[SHIFT]]
// CHECK: tensor.extract_slice %[[A]][%{{.*}}, 0] [%[[SIZE:.*]], 1024] [1, 1] : tensor<4096x1024xf64> to tensor<?x1024xf64>
// CHECK: linalg.generic
// CHECK: %[[NEXT:.*]] = tensor.insert_slice %{{.*}} into %[[B]][%{{.*}}, 0] [%[[SIZE]], 1024] [1, 1]
// CHECK: arith.subi %[[ROW]], %{{.*}}
// CHECK: tensor.extract_slice %[[NEXT]]
// CHECK: tensor.insert_slice %{{.*}} into %[[A]]
// CHECK: {weft.interruptible}
// CHECK-NOT: scf.for
// CHECK: return
#rows = affine_map<(d0, d1) -> (d0, d1)>
func.func @half_steps(%x: tensor<4096x1024xf64>, %y: tensor<4096x1024xf64>, %n: index) -> (tensor<4096x1024xf64>, tensor<4096x1024xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%b = %y, %a = %x) -> (tensor<4096x1024xf64>, tensor<4096x1024xf64>) {
    %up = tensor.extract_slice %a[0, 0] [4094, 1024] [1, 1] : tensor<4096x1024xf64> to tensor<4094x1024xf64>
    %down = tensor.extract_slice %a[2, 0] [4094, 1024] [1, 1] : tensor<4096x1024xf64> to tensor<4094x1024xf64>
    %empty = tensor.empty() : tensor<4094x1024xf64>
    %s = linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%up, %down : tensor<4094x1024xf64>, tensor<4094x1024xf64>) outs(%empty : tensor<4094x1024xf64>) {
    ^bb0(%p: f64, %q: f64, %o: f64):
      %sum = arith.addf %p, %q : f64
      linalg.yield %sum : f64
    } -> tensor<4094x1024xf64>
    %b1 = tensor.insert_slice %s into %b[1, 0] [4094, 1024] [1, 1] : tensor<4094x1024xf64> into tensor<4096x1024xf64>
    %up1 = tensor.extract_slice %b1[0, 0] [4094, 1024] [1, 1] : tensor<4096x1024xf64> to tensor<4094x1024xf64>
    %down1 = tensor.extract_slice %b1[2, 0] [4094, 1024] [1, 1] : tensor<4096x1024xf64> to tensor<4094x1024xf64>
    %s1 = linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%up1, %down1 : tensor<4094x1024xf64>, tensor<4094x1024xf64>) outs(%empty : tensor<4094x1024xf64>) {
    ^bb0(%p: f64, %q: f64, %o: f64):
      %sum = arith.addf %p, %q : f64
      linalg.yield %sum : f64
    } -> tensor<4094x1024xf64>
    %a1 = tensor.insert_slice %s1 into %a[1, 0] [4094, 1024] [1, 1] : tensor<4094x1024xf64> into tensor<4096x1024xf64>
    scf.yield %b1, %a1 : tensor<4096x1024xf64>, tensor<4096x1024xf64>
  }
  return %r#0, %r#1 : tensor<4096x1024xf64>, tensor<4096x1024xf64>
}

// What is read of the array that is updated is old in all rows: rows of later bands must not be new by then.
// CHECK-LABEL: func.func @in_place
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @in_place(%x: tensor<4096x1024xf64>, %n: index) -> tensor<4096x1024xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<4096x1024xf64>) {
    %up = tensor.extract_slice %a[0, 0] [4095, 1024] [1, 1] : tensor<4096x1024xf64> to tensor<4095x1024xf64>
    %empty = tensor.empty() : tensor<4095x1024xf64>
    %s = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%up : tensor<4095x1024xf64>) outs(%empty : tensor<4095x1024xf64>) {
    ^bb0(%p: f64, %o: f64):
      %sum = arith.addf %p, %p : f64
      linalg.yield %sum : f64
    } -> tensor<4095x1024xf64>
    %a1 = tensor.insert_slice %s into %a[1, 0] [4095, 1024] [1, 1] : tensor<4095x1024xf64> into tensor<4096x1024xf64>
    scf.yield %a1 : tensor<4096x1024xf64>
  }
  return %r : tensor<4096x1024xf64>
}

// Arrays that change places, of which the one is read as it was before its update, and which are turned around.
// CHECK-LABEL: func.func @other_orders
// CHECK-COUNT-3: scf.for
// CHECK-NOT: scf.for
// CHECK: return
#turned = affine_map<(d0, d1) -> (d1, d0)>
func.func @other_orders(%x: tensor<2048x2048xf64>, %y: tensor<2048x2048xf64>, %n: index) -> (tensor<2048x2048xf64>, tensor<2048x2048xf64>, tensor<2048x2048xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<2048x2048xf64>, tensor<2048x2048xf64>) {
    %empty = tensor.empty() : tensor<2048x2048xf64>
    %s = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<2048x2048xf64>) outs(%empty : tensor<2048x2048xf64>) {
    ^bb0(%p: f64, %o: f64):
      %sum = arith.addf %p, %p : f64
      linalg.yield %sum : f64
    } -> tensor<2048x2048xf64>
    %a1 = tensor.insert_slice %s into %a[0, 0] [2048, 2048] [1, 1] : tensor<2048x2048xf64> into tensor<2048x2048xf64>
    scf.yield %b, %a1 : tensor<2048x2048xf64>, tensor<2048x2048xf64>
  }
  %q:2 = scf.for %t = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<2048x2048xf64>, tensor<2048x2048xf64>) {
    %empty = tensor.empty() : tensor<2048x2048xf64>
    %s = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<2048x2048xf64>) outs(%empty : tensor<2048x2048xf64>) {
    ^bb0(%p: f64, %o: f64):
      %sum = arith.addf %p, %p : f64
      linalg.yield %sum : f64
    } -> tensor<2048x2048xf64>
    %a1 = tensor.insert_slice %s into %a[0, 0] [2048, 2048] [1, 1] : tensor<2048x2048xf64> into tensor<2048x2048xf64>
    %v = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<2048x2048xf64>) outs(%empty : tensor<2048x2048xf64>) {
    ^bb0(%p: f64, %o: f64):
      %sum = arith.addf %p, %p : f64
      linalg.yield %sum : f64
    } -> tensor<2048x2048xf64>
    %b1 = tensor.insert_slice %v into %b[0, 0] [2048, 2048] [1, 1] : tensor<2048x2048xf64> into tensor<2048x2048xf64>
    scf.yield %a1, %b1 : tensor<2048x2048xf64>, tensor<2048x2048xf64>
  }
  %w:2 = scf.for %t = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<2048x2048xf64>, tensor<2048x2048xf64>) {
    %empty = tensor.empty() : tensor<2048x2048xf64>
    %s = linalg.generic {indexing_maps = [#turned, #rows], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<2048x2048xf64>) outs(%empty : tensor<2048x2048xf64>) {
    ^bb0(%p: f64, %o: f64):
      %sum = arith.addf %p, %p : f64
      linalg.yield %sum : f64
    } -> tensor<2048x2048xf64>
    %a1 = tensor.insert_slice %s into %a[0, 0] [2048, 2048] [1, 1] : tensor<2048x2048xf64> into tensor<2048x2048xf64>
    scf.yield %a1, %b : tensor<2048x2048xf64>, tensor<2048x2048xf64>
  }
  return %r#0, %q#0, %w#0 : tensor<2048x2048xf64>, tensor<2048x2048xf64>, tensor<2048x2048xf64>
}

// What is in a cache is read from there anyway.
// CHECK-LABEL: func.func @small
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @small(%x: tensor<96x64xf64>, %y: tensor<96x64xf64>, %n: index) -> tensor<96x64xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<96x64xf64>, tensor<96x64xf64>) {
    %empty = tensor.empty() : tensor<96x64xf64>
    %s = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<96x64xf64>) outs(%empty : tensor<96x64xf64>) {
    ^bb0(%p: f64, %o: f64):
      %sum = arith.addf %p, %p : f64
      linalg.yield %sum : f64
    } -> tensor<96x64xf64>
    %a1 = tensor.insert_slice %s into %a[0, 0] [96, 64] [1, 1] : tensor<96x64xf64> into tensor<96x64xf64>
    scf.yield %a1, %b : tensor<96x64xf64>, tensor<96x64xf64>
  }
  return %r#0 : tensor<96x64xf64>
}
