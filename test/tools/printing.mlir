// RUN: weft-opt %s --mlir-print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: weft-opt %s --mlir-print-debuginfo | filecheck %s --check-prefix=DEBUG
// RUN: weft-opt %s --mlir-elide-elementsattrs-if-larger=2 | filecheck %s --check-prefix=ELIDED
// RUN: weft-opt %s --mlir-elide-elementsattrs-if-larger=3 | filecheck %s --check-prefix=WHOLE
// RUN: weft-opt %s --cse --weft-simplify --mlir-print-ir-before=cse -o %t 2>&1 | filecheck %s --check-prefix=BEFORE
// RUN: weft-opt %s --cse --weft-simplify --mlir-print-ir-after=weft-simplify -o %t 2>&1 | filecheck %s --check-prefix=AFTER
// RUN: weft-opt %s --cse --weft-simplify --mlir-print-ir-before-all --mlir-print-ir-after-all -o %t 2>&1 | filecheck %s --check-prefix=ALL
// RUN: weft-opt %s --cse --weft-simplify --mlir-print-ir-after-change -o %t 2>&1 | filecheck %s --check-prefix=CHANGE
// RUN: not weft-opt %s --convert-scf-to-cf --convert-weft-to-linalg --weft-fold=max-elements=3 --transform-interpreter --mlir-print-ir-after-failure 2>&1 | filecheck %s --check-prefix=FAILURE
// RUN: weft-opt %s --cse --weft-simplify --mlir-timing -o %t 2>&1 | filecheck %s --check-prefix=TIMING
// RUN: weft-opt %s --emit=obj --mlir-timing -o %t 2>&1 | filecheck %s --check-prefix=PHASES
// RUN: weft-opt %s --cse --weft-simplify --mlir-pass-statistics -o %t 2>&1 | filecheck %s --check-prefix=STATISTICS

// RUN: weft-opt %s --emit=llvm --mlir-print-ir-before=schedule-kernels --mlir-print-ir-after=link-functions,add-entries -o %t 2>&1 | filecheck %s --check-prefix=BACKEND

// What follows the pipeline is printed as well, the text that LLVM reads, too.
// BACKEND: // -----// IR Dump Before ScheduleKernels: schedule-kernels //----- //
// BACKEND: linalg.generic
// BACKEND: // -----// IR Dump After LinkFunctions: link-functions //----- //
// BACKEND: llvm.func internal @main
// BACKEND: ; -----// IR Dump After add-entries //----- //
// BACKEND: define void @"main_entry"
// BACKEND-NOT: IR Dump
// GENERIC: "func.func"() <{
// GENERIC: "func.return"(
// DEBUG: "weft.negative"(%{{.*}}) : (tensor<3xf32>) -> tensor<3xf32> loc(
// DEBUG: loc("{{.*}}printing.mlir":77:8)
// ELIDED: value = dense_resource<__elided__> : tensor<3xf32>
// WHOLE: value = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>
// BEFORE: // -----// IR Dump Before CSEPass: cse //----- //
// BEFORE-NEXT: module
// BEFORE-NOT: IR Dump
// AFTER: // -----// IR Dump After SimplifyAlgebra: weft-simplify //----- //
// AFTER-NOT: "weft.negative"
// AFTER-NOT: IR Dump
// ALL: IR Dump Before CSEPass: cse
// ALL: IR Dump After CSEPass: cse
// ALL: IR Dump Before SimplifyAlgebra: weft-simplify
// ALL: IR Dump After SimplifyAlgebra: weft-simplify
// CHANGE-NOT: IR Dump After CSEPass: cse
// CHANGE: IR Dump After SimplifyAlgebra: weft-simplify
// FAILURE: // -----// IR Dump After Failed InterpreterPass: transform-interpreter //----- //
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
// PHASES: ) convert-weft-to-linalg
// PHASES: ) linalg-to-kernels
// PHASES-NEXT: ) check-names
// PHASES: ) join-products
// PHASES-NEXT: ) kernels-to-buffers
// PHASES: ) plan-buffers
// PHASES-NEXT: ) buffers-to-loops
// PHASES: ) schedule-kernels
// PHASES: ) loops-to-llvm
// PHASES: ) convert-scf-to-cf
// PHASES: ) link-functions
// PHASES-NEXT: ) llvm-assembly
// PHASES-NEXT: ) translate
// PHASES-NEXT: ) rewrite-literals
// PHASES: ) add-entries
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
