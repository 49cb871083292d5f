"""Which passes the GPU backend has, by name; their modules are imported when a pass is asked for."""

from __future__ import annotations

from types import MappingProxyType

from ...passes.registry import PassTable

GPU_PASSES: PassTable = MappingProxyType(
    {
        "expand-device-math": f"{__package__}.device_math:ExpandDeviceMath",
        "schedule-device-kernels": f"{__package__}.kernels:ScheduleDeviceKernels",
    }
)
