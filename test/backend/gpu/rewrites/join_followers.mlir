// RUN: weft-opt %s --join-followers | filecheck %s
// RUN: weft-opt %s --join-followers --outline-kernels | filecheck %s --check-prefix=KERNELS

#whole = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>
#number = affine_map<() -> ()>

// The sum and the mean share a kernel; the mean is no arithmetic of the host.
// CHECK-LABEL: func.func @mean
// CHECK: linalg.generic {{.*}} attrs = {weft.joins}
// CHECK: linalg.generic
// CHECK-NOT: weft.joins
// KERNELS-LABEL: func.func @mean
// KERNELS: %[[R:.*]] = call @kernel_0(%arg0, %{{.*}}) : (tensor<100xf64>, tensor<f32>) -> tensor<f32>
// KERNELS-NEXT: return %[[R]]
func.func @mean(%x: tensor<100xf64>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<f64>
  %g = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<f64>) -> tensor<f64>
  %sum = linalg.generic {indexing_maps = [#whole, #none], iterator_types = ["reduction"]} ins(%x : tensor<100xf64>) outs(%f : tensor<f64>) {
  ^bb0(%a: f64, %o: f64):
    %s = arith.addf %o, %a : f64
    linalg.yield %s : f64
  } -> tensor<f64>
  %mean = linalg.generic {indexing_maps = [#number, #number], iterator_types = []} ins(%sum : tensor<f64>) outs(%g : tensor<f32>) {
  ^bb0(%a: f64, %o: f32):
    %s = arith.truncf %a : f64 to f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %mean : tensor<f32>
}

// Somebody else asks for the sum, or each element does, or a branch asks for what follows.
// CHECK-LABEL: func.func @asked
// CHECK-NOT: weft.joins
// CHECK-LABEL: func.func @spread
// CHECK-NOT: weft.joins
// CHECK-LABEL: func.func @decides
// CHECK-NOT: weft.joins
// KERNELS-LABEL: func.func @asked
// KERNELS: call @kernel_1
// KERNELS: arith.truncf
func.func @asked(%x: tensor<100xf64>) -> (tensor<f64>, tensor<f32>) {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<f64>
  %g = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<f64>) -> tensor<f64>
  %sum = linalg.generic {indexing_maps = [#whole, #none], iterator_types = ["reduction"]} ins(%x : tensor<100xf64>) outs(%f : tensor<f64>) {
  ^bb0(%a: f64, %o: f64):
    %s = arith.addf %o, %a : f64
    linalg.yield %s : f64
  } -> tensor<f64>
  %mean = linalg.generic {indexing_maps = [#number, #number], iterator_types = []} ins(%sum : tensor<f64>) outs(%g : tensor<f32>) {
  ^bb0(%a: f64, %o: f32):
    %s = arith.truncf %a : f64 to f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %sum, %mean : tensor<f64>, tensor<f32>
}
func.func @spread(%x: tensor<100xf64>) -> tensor<100xf64> {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<f64>
  %g = tensor.empty() : tensor<100xf64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<f64>) -> tensor<f64>
  %sum = linalg.generic {indexing_maps = [#whole, #none], iterator_types = ["reduction"]} ins(%x : tensor<100xf64>) outs(%f : tensor<f64>) {
  ^bb0(%a: f64, %o: f64):
    %s = arith.addf %o, %a : f64
    linalg.yield %s : f64
  } -> tensor<f64>
  %r = linalg.generic {indexing_maps = [#none, #whole], iterator_types = ["parallel"]} ins(%sum : tensor<f64>) outs(%g : tensor<100xf64>) {
  ^bb0(%a: f64, %o: f64):
    linalg.yield %a : f64
  } -> tensor<100xf64>
  return %r : tensor<100xf64>
}
func.func @decides(%x: tensor<100xf64>, %y: tensor<f64>) -> tensor<f64> {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<f64>
  %g = tensor.empty() : tensor<i1>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<f64>) -> tensor<f64>
  %sum = linalg.generic {indexing_maps = [#whole, #none], iterator_types = ["reduction"]} ins(%x : tensor<100xf64>) outs(%f : tensor<f64>) {
  ^bb0(%a: f64, %o: f64):
    %s = arith.addf %o, %a : f64
    linalg.yield %s : f64
  } -> tensor<f64>
  %low = linalg.generic {indexing_maps = [#number, #number], iterator_types = []} ins(%sum : tensor<f64>) outs(%g : tensor<i1>) {
  ^bb0(%a: f64, %o: i1):
    %s = arith.cmpf olt, %a, %zero : f64
    linalg.yield %s : i1
  } -> tensor<i1>
  %c = tensor.extract %low[] : tensor<i1>
  %r = scf.if %c -> (tensor<f64>) {
    %i = tensor.insert %zero into %y[] : tensor<f64>
    scf.yield %i : tensor<f64>
  } else {
    scf.yield %y : tensor<f64>
  }
  return %r : tensor<f64>
}
