# RUN: cd %S && weft-opt python_function:scaled --spec 'f32[?,3]' | filecheck %s
# RUN: cd %S && weft-opt python_function:scaled --spec 'f32[2]' --weft-optimize | filecheck %s --check-prefix=OPTIMIZED
# RUN: cd %S && weft-opt python_function:scaled --spec 'f32[4]' --stage=linalg | filecheck %s --check-prefix=LINALG
# RUN: cd %S && weft-opt python_function:Namespace.added --spec 'i64, i64[2]' | filecheck %s --check-prefix=ADDED
# RUN: cd %S && weft-opt python_function:scaled --spec 'f64[8]' --emit=asm | filecheck %s --check-prefix=ASM
# RUN: cd %S && weft-opt python_function:chosen --spec "{'w': f64[2], 'b': [f64]}, 3" --spec "'b'" \
# RUN:   | filecheck %s --check-prefix=CHOSEN
"""Functions that weft-opt traces."""

from __future__ import annotations

from typing import Any


def scaled(x: Any) -> Any:
    # CHECK-LABEL: func.func @scaled
    # CHECK-SAME: tensor<?x3xf32>
    # CHECK: "weft.divide"
    # OPTIMIZED-LABEL: func.func @scaled
    # OPTIMIZED-NOT: "weft.divide"
    # OPTIMIZED: "weft.multiply"
    # LINALG: linalg.generic
    # ASM: scaled
    return x / 4


def chosen(p: Any, n: Any, name: Any) -> Any:
    # CHOSEN-LABEL: func.func @chosen
    # CHOSEN-SAME: tensor<2xf64>{{.*}}tensor<f64>
    # CHOSEN-NOT: tensor<i64>
    # CHOSEN: dense<3
    return p[name][0] * n


class Namespace:
    @staticmethod
    def added(x: Any, y: Any) -> Any:
        # ADDED: tensor<i64>
        # ADDED-SAME: tensor<2xi64>
        # ADDED: "weft.add"
        return x + y
