// RUN: weft-opt %s --convert-weft-to-linalg | filecheck %s

// Operands and results have their types in memory; the declaration keeps what Python sees.

// CHECK: func.func private @host.0(tensor<?x3xi8>, tensor<i8>) -> (tensor<2xi16>, tensor<f32>)
// CHECK-SAME: weft.signature = (tensor<?x3xui8>, tensor<i1>) -> (tensor<2xui16>, tensor<f32>)
func.func private @host.0(tensor<?x3xui8>, tensor<i1>) -> (tensor<2xui16>, tensor<f32>)

// CHECK-LABEL: func.func @straight
// CHECK-SAME: %[[X:.*]]: tensor<?x3xi8>, %[[B:.*]]: tensor<i8>
// CHECK: %[[R:.*]]:2 = call @host.0(%[[X]], %[[B]]) : (tensor<?x3xi8>, tensor<i8>) -> (tensor<2xi16>, tensor<f32>)
// CHECK: return %[[R]]#0
func.func @straight(%x: tensor<?x3xui8>, %b: tensor<i1>) -> tensor<2xui16> {
  %r:2 = func.call @host.0(%x, %b) : (tensor<?x3xui8>, tensor<i1>) -> (tensor<2xui16>, tensor<f32>)
  return %r#0 : tensor<2xui16>
}

// CHECK-LABEL: func.func @branch
// CHECK: scf.if
// CHECK: func.call @host.0({{.*}}) : (tensor<?x3xi8>, tensor<i8>) -> (tensor<2xi16>, tensor<f32>)
func.func @branch(%x: tensor<?x3xui8>, %b: tensor<i1>, %y: tensor<2xui16>) -> tensor<2xui16> {
  %c = tensor.extract %b[] : tensor<i1>
  %r = scf.if %c -> tensor<2xui16> {
    %s:2 = func.call @host.0(%x, %b) : (tensor<?x3xui8>, tensor<i1>) -> (tensor<2xui16>, tensor<f32>)
    scf.yield %s#0 : tensor<2xui16>
  } else {
    scf.yield %y : tensor<2xui16>
  }
  return %r : tensor<2xui16>
}

// A function without a body that is no Python function keeps its types.

// CHECK: func.func private @host.other(tensor<ui8>)
func.func private @host.other(tensor<ui8>)
