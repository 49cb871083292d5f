// RUN: weft-opt %s --mlir-print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: weft-opt %s --mlir-print-debuginfo | filecheck %s --check-prefix=DEBUG
// RUN: weft-opt %s --mlir-elide-elementsattrs-if-larger=2 | filecheck %s --check-prefix=ELIDED
// RUN: weft-opt %s --mlir-elide-elementsattrs-if-larger=3 | filecheck %s --check-prefix=WHOLE
// RUN: weft-opt %s --cse --weft-simplify --mlir-print-ir-before=cse -o %t 2>&1 | filecheck %s --check-prefix=BEFORE
// RUN: weft-opt %s --cse --weft-simplify --mlir-print-ir-after=weft-simplify -o %t 2>&1 | filecheck %s --check-prefix=AFTER
// RUN: weft-opt %s --cse --weft-simplify --mlir-print-ir-before-all --mlir-print-ir-after-all -o %t 2>&1 | filecheck %s --check-prefix=ALL
// RUN: weft-opt %s --cse --weft-simplify --mlir-print-ir-after-change -o %t 2>&1 | filecheck %s --check-prefix=CHANGE
// RUN: not weft-opt %s --convert-scf-to-cf --convert-weft-to-linalg --lower-to-llvm=verify=true --transform-interpreter --mlir-print-ir-after-failure 2>&1 | filecheck %s --check-prefix=FAILURE
// RUN: weft-opt %s --cse --weft-simplify --mlir-timing -o %t 2>&1 | filecheck %s --check-prefix=TIMING
// RUN: weft-opt %s --emit=obj --mlir-timing -o %t 2>&1 | filecheck %s --check-prefix=PHASES
// RUN: weft-opt %s --cse --weft-simplify --mlir-pass-statistics -o %t 2>&1 | filecheck %s --check-prefix=STATISTICS

// GENERIC: "func.func"() <{
// GENERIC: "func.return"(
// DEBUG: "weft.negative"(%{{.*}}) : (tensor<3xf32>) -> tensor<3xf32> loc(
// DEBUG: loc("{{.*}}printing.mlir":59:8)
// ELIDED: value = dense_resource<__elided__> : tensor<3xf32>
// WHOLE: value = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>
// BEFORE: // -----// IR Dump Before cse //----- //
// BEFORE-NEXT: module
// BEFORE-NOT: IR Dump
// AFTER: // -----// IR Dump After weft-simplify //----- //
// AFTER-NOT: "weft.negative"
// AFTER-NOT: IR Dump
// ALL: IR Dump Before cse
// ALL: IR Dump After cse
// ALL: IR Dump Before weft-simplify
// ALL: IR Dump After weft-simplify
// CHANGE-NOT: IR Dump After cse
// CHANGE: IR Dump After weft-simplify
// FAILURE: // -----// IR Dump After Failed transform-interpreter //----- //
// TIMING: Execution time report
// TIMING: Total Execution Time: {{[0-9.]+}} seconds
// TIMING: {{[0-9.]+}} ({{ *[0-9.]+}}%) parse
// TIMING-NEXT: {{[0-9.]+}} ({{ *[0-9.]+}}%) cse
// TIMING-NEXT: {{[0-9.]+}} ({{ *[0-9.]+}}%) weft-simplify
// TIMING-NEXT: {{[0-9.]+}} (100.0%) Total

// The passes of a pipeline below it, the steps of the backend one by one.
// PHASES: ) weft-optimize
// PHASES-NEXT: ) weft-inline
// PHASES: ) weft-to-linalg
// PHASES-NEXT: ) convert-weft-to-linalg
// PHASES: ) outline-kernels
// PHASES: ) plan-buffers
// PHASES-NEXT: ) schedule-kernels
// PHASES-NEXT: ) lower-to-llvm
// PHASES-NEXT: ) translate
// PHASES-NEXT: ) llvm-optimise
// PHASES-NEXT: ) llvm-codegen
// PHASES-NEXT: ) Total
// STATISTICS: Pass statistics report
// STATISTICS: cse
// STATISTICS-NEXT: weft-simplify
// STATISTICS-NEXT: (S) 1 undo_twice
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "weft.negative"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %1 = "weft.negative"(%0) : (tensor<3xf32>) -> tensor<3xf32>
  %2 = "weft.constant"() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %3 = "weft.add"(%1, %2) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %3 : tensor<3xf32>
}
