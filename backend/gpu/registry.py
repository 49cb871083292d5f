"""Which passes the GPU backend has, by name; their modules are imported when a pass is asked for."""

from __future__ import annotations

from types import MappingProxyType

from ...passes.registry import PassTable, entry

_MACHINE, _PLACEMENT = f"{__package__}.machine", f"{__package__}.placement"

GPU_PASSES: PassTable = MappingProxyType(
    {
        "call-libraries": entry(f"{__package__}.rewrites.library_calls:CallLibraries"),
        "call-products": entry(f"{__package__}.rewrites.library_products:CallProducts"),
        "copy-for-host-kernels": entry(f"{_MACHINE}.host_kernels:CopyForHostKernels"),
        "draw-by-place": entry(f"{__package__}.rewrites.drawn_numbers:DrawByPlace"),
        "exit-device-kernels": entry(f"{_MACHINE}.device_exits:ExitDeviceKernels"),
        "expand-device-math": entry(f"{__package__}.rewrites.device_math:ExpandDeviceMath"),
        "guard-kernels": entry(f"{_MACHINE}.guards:GuardKernels"),
        "inline-kernels": entry(f"{__package__}.rewrites.inlined_kernels:InlineKernels"),
        "join-attention": entry(f"{__package__}.rewrites.joined_attention:JoinAttention"),
        "join-device-modules": entry(f"{_MACHINE}.joined_modules:JoinDeviceModules"),
        "join-followers": entry(f"{__package__}.rewrites.joined_followers:JoinFollowers"),
        "join-loops": entry(f"{_MACHINE}.joined_loops:JoinLoops"),
        "join-number-kernels": entry(f"{_PLACEMENT}.joined_numbers:JoinNumberKernels"),
        "join-searches": entry(f"{__package__}.rewrites.joined_searches:JoinSearches"),
        "join-stores": entry(f"{__package__}.rewrites.joined_stores:JoinStores"),
        "keep-numbers-on-device": entry(f"{_PLACEMENT}.device_numbers:KeepNumbersOnDevice"),
        "lift-attention": entry(f"{__package__}.rewrites.lifted_attention:LiftAttention"),
        "lower-device-memory": entry(f"{_MACHINE}.device_memory:LowerDeviceMemory"),
        "lower-launches": entry(f"{_MACHINE}.launches:LowerLaunches"),
        "pass-numbers-by-value": entry(f"{_PLACEMENT}.host_numbers:PassNumbersByValue"),
        "pass-tensor-maps": entry(f"{_MACHINE}.tensor_maps:PassTensorMaps"),
        "place-kernels": entry(f"{_PLACEMENT}.place_kernels:PlaceKernels"),
        "name-unit-loops": entry(f"{__package__}.rewrites.named_unit_loops:NameUnitLoops"),
        "shorten-products": entry(f"{__package__}.rewrites.shortened_factors:ShortenProducts"),
        "split-products": entry(f"{__package__}.rewrites.split_products:SplitProducts"),
        "store-number-results": entry(f"{_PLACEMENT}.number_results:StoreNumberResults"),
        "recompute-products": entry(f"{__package__}.rewrites.recomputed_products:RecomputeProducts"),
        "schedule-device-kernels": entry(f"{__package__}.kernels.write_kernels:ScheduleDeviceKernels"),
        "turn-factors": entry(f"{__package__}.rewrites.turned_factors:TurnFactors"),
        "unwrap-numbers": entry(f"{__package__}.rewrites.unwrapped_numbers:UnwrapNumbers"),
        "write-device-sorts": entry(f"{__package__}.kernels.device_sorts:WriteDeviceSorts"),
        "write-library-calls": entry(f"{_MACHINE}.library_calls:WriteLibraryCalls"),
        "widen-in-products": entry(f"{__package__}.rewrites.widened_factors:WidenInProducts"),
    }
)
