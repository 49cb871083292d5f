"""Which passes the GPU backend has, by name; their modules are imported when a pass is asked for."""

from __future__ import annotations

from types import MappingProxyType

from ...passes.registry import PassTable

_MACHINE, _PLACEMENT = f"{__package__}.machine", f"{__package__}.placement"

GPU_PASSES: PassTable = MappingProxyType(
    {
        "copy-for-host-kernels": f"{_MACHINE}.host_kernels:CopyForHostKernels",
        "exit-device-kernels": f"{_MACHINE}.device_exits:ExitDeviceKernels",
        "expand-device-math": f"{__package__}.rewrites.device_math:ExpandDeviceMath",
        "guard-kernels": f"{_MACHINE}.guards:GuardKernels",
        "inline-kernels": f"{__package__}.rewrites.inlined_kernels:InlineKernels",
        "join-attention": f"{__package__}.rewrites.joined_attention:JoinAttention",
        "join-loops": f"{_MACHINE}.joined_loops:JoinLoops",
        "join-number-kernels": f"{_PLACEMENT}.joined_numbers:JoinNumberKernels",
        "keep-numbers-on-device": f"{_PLACEMENT}.device_numbers:KeepNumbersOnDevice",
        "link-driver-functions": f"{_MACHINE}.driver_functions:LinkDriverFunctions",
        "lower-device-memory": f"{_MACHINE}.device_memory:LowerDeviceMemory",
        "lower-launches": f"{_MACHINE}.launches:LowerLaunches",
        "pass-numbers-by-value": f"{_PLACEMENT}.host_numbers:PassNumbersByValue",
        "pass-tensor-maps": f"{_MACHINE}.tensor_maps:PassTensorMaps",
        "place-kernels": f"{_PLACEMENT}.place_kernels:PlaceKernels",
        "store-number-results": f"{_PLACEMENT}.number_results:StoreNumberResults",
        "schedule-device-kernels": f"{__package__}.kernels.write_kernels:ScheduleDeviceKernels",
        "unwrap-numbers": f"{__package__}.rewrites.unwrapped_numbers:UnwrapNumbers",
        "write-device-sorts": f"{__package__}.kernels.device_sorts:WriteDeviceSorts",
        "widen-in-products": f"{__package__}.rewrites.widened_factors:WidenInProducts",
    }
)
