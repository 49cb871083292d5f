"""Which passes the GPU backend has, by name; their modules are imported when a pass is asked for."""

from __future__ import annotations

from types import MappingProxyType

from ...passes.registry import Entry, PassTable

_MACHINE, _PLACEMENT = f"{__package__}.machine", f"{__package__}.placement"

GPU_PASSES: PassTable = MappingProxyType(
    {
        "copy-for-host-kernels": Entry(f"{_MACHINE}.host_kernels:CopyForHostKernels"),
        "exit-device-kernels": Entry(f"{_MACHINE}.device_exits:ExitDeviceKernels"),
        "expand-device-math": Entry(f"{__package__}.rewrites.device_math:ExpandDeviceMath"),
        "guard-kernels": Entry(f"{_MACHINE}.guards:GuardKernels"),
        "inline-kernels": Entry(f"{__package__}.rewrites.inlined_kernels:InlineKernels"),
        "join-attention": Entry(f"{__package__}.rewrites.joined_attention:JoinAttention"),
        "join-loops": Entry(f"{_MACHINE}.joined_loops:JoinLoops"),
        "join-number-kernels": Entry(f"{_PLACEMENT}.joined_numbers:JoinNumberKernels"),
        "keep-numbers-on-device": Entry(f"{_PLACEMENT}.device_numbers:KeepNumbersOnDevice"),
        "link-driver-functions": Entry(f"{_MACHINE}.driver_functions:LinkDriverFunctions"),
        "lower-device-memory": Entry(f"{_MACHINE}.device_memory:LowerDeviceMemory"),
        "lower-launches": Entry(f"{_MACHINE}.launches:LowerLaunches"),
        "pass-numbers-by-value": Entry(f"{_PLACEMENT}.host_numbers:PassNumbersByValue"),
        "pass-tensor-maps": Entry(f"{_MACHINE}.tensor_maps:PassTensorMaps"),
        "place-kernels": Entry(f"{_PLACEMENT}.place_kernels:PlaceKernels"),
        "store-number-results": Entry(f"{_PLACEMENT}.number_results:StoreNumberResults"),
        "schedule-device-kernels": Entry(f"{__package__}.kernels.write_kernels:ScheduleDeviceKernels"),
        "unwrap-numbers": Entry(f"{__package__}.rewrites.unwrapped_numbers:UnwrapNumbers"),
        "write-device-sorts": Entry(f"{__package__}.kernels.device_sorts:WriteDeviceSorts"),
        "widen-in-products": Entry(f"{__package__}.rewrites.widened_factors:WidenInProducts"),
    }
)
