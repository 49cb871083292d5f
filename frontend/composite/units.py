"""The units of dates and durations: one table of their lengths, and the conversion of one to another.

A date or duration is an int64 that counts units since 1970, or units; the smallest one is NaT, "not a time".
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ...dialect.errors import UnsupportedError
from ..tracing.staging import cast

NAT = np.int64(-(2**63))

INT64 = np.dtype(np.int64)

_SECOND = 10**18
_LENGTHS = {
    "W": 7 * 86400 * _SECOND, "D": 86400 * _SECOND, "h": 3600 * _SECOND, "m": 60 * _SECOND, "s": _SECOND,
    "ms": 10**15, "us": 10**12, "ns": 10**9, "ps": 10**6, "fs": 10**3, "as": 1,
}  # fmt: skip
"""The units that have one length, in attoseconds."""

_MONTHS = {"Y": 12, "M": 1}
"""The units of the calendar, in months."""


def convert(ticks: Any, source: np.dtype[Any], target: np.dtype[Any]) -> Any:
    """Counts of one unit as counts of another, rounded down; NaT stays. Both dtypes are dates, or both durations.

    >>> convert(np.int64(-1), np.dtype("m8[h]"), np.dtype("m8[D]"))
    np.int64(-1)
    >>> convert(np.int64(3), np.dtype("M8[D]"), np.dtype("M8[s]"))
    np.int64(259200)
    """
    (name, count), (wanted, wanted_count) = np.datetime_data(source), np.datetime_data(target)
    if (name, count) == (wanted, wanted_count) or "generic" in (name, wanted):
        return ticks
    if name in _MONTHS and wanted in _MONTHS:
        return _scaled(ticks, Fraction(_MONTHS[name] * count, _MONTHS[wanted] * wanted_count))
    if name not in _MONTHS and wanted not in _MONTHS:
        return _scaled(ticks, Fraction(_LENGTHS[name] * count, _LENGTHS[wanted] * wanted_count))
    if source.kind == "m":
        raise UnsupportedError(
            f"durations of dtype {source} are converted to {target}, whose units have no ratio: write the number of "
            "days that is meant"
        )
    if name in _MONTHS:
        days = _days_of_months(_product(ticks, _MONTHS[name] * count))
        return _keeping_nat(ticks, _scaled(days, Fraction(_LENGTHS["D"], _LENGTHS[wanted] * wanted_count)))
    days = _scaled(ticks, Fraction(_LENGTHS[name] * count, _LENGTHS["D"]))
    months = _months_of_days(days)
    return _keeping_nat(ticks, _floor(months, _MONTHS[wanted] * wanted_count))


def _keeping_nat(ticks: Any, converted: Any) -> Any:
    return np.where(ticks == NAT, NAT, converted)[()]


def _scaled(ticks: Any, ratio: Fraction) -> Any:
    """Times a ratio, rounded down."""
    multiplied = _product(ticks, ratio.numerator)
    return _keeping_nat(ticks, _floor(multiplied, ratio.denominator))


def _product(ticks: Any, factor: int) -> Any:
    return ticks if factor == 1 else ticks * np.int64(factor & (2**63 - 1))


def _floor(ticks: Any, divisor: int) -> Any:
    return ticks if divisor == 1 else ticks // np.int64(min(divisor, 2**63 - 1))


_ERA = 146097
"""The days of 400 years."""


def _days_of_months(months: Any) -> Any:
    """The day on which a month begins, both counted from January 1970."""
    # Years begin in March, so that the day which some of them have more is the last one.
    from_march = months + (1970 * 12 - 2)
    year, month = from_march // 12, from_march % 12
    era, year_of_era = year // 400, year % 400
    day_of_year = (153 * month + 2) // 5
    day_of_era = year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year
    return era * _ERA + day_of_era - 719468


def _months_of_days(days: Any) -> Any:
    """The month in which a day lies, both counted from January 1970."""
    shifted = days + 719468
    era, day_of_era = shifted // _ERA, shifted % _ERA
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    month = (5 * day_of_year + 2) // 153
    return (era * 400 + year_of_era) * 12 + month - (1970 * 12 - 2)


def require_no_clock(value: Any) -> None:
    """Refuse the dates that are read off the clock: they would be those of the time at which the function is traced."""
    if isinstance(value, (list, tuple)):
        for item in value:
            require_no_clock(item)
    elif isinstance(value, str) and value.strip().lower() in ("now", "today"):
        raise UnsupportedError(
            f"np.datetime64({value!r}) would be the time at which the function is traced, in all calls: pass it as an "
            "argument"
        )


def as_ticks(numbers: Any) -> Any:
    """Integers as counts of units."""
    return cast(numbers, INT64)
