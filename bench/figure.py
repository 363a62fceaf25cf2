"""A figure: the values of one target, one a repetition, and the verdict on their median."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median


@dataclass(frozen=True)
class Sample:
    """One repetition: what was measured, and the share of CPU stolen meanwhile."""

    value: float
    steal: float


@dataclass(frozen=True)
class Figure:
    """A line of the table; one without a limit only informs. `least` is a limit from below."""

    what: str
    unit: str
    samples: Sequence[Sample]
    limit: float | None = None
    least: float | None = None

    @property
    def value(self) -> float:
        return median(sample.value for sample in self.samples)

    @property
    def is_met(self) -> bool:
        is_low_enough = self.limit is None or self.value <= self.limit
        return is_low_enough and (self.least is None or self.value >= self.least)

    def cells(self) -> tuple[str, ...]:
        """Return the line's cells, as HEADINGS names them."""
        return (
            self.what,
            self._target(),
            f"{_number(self.value)} {self.unit}",
            self._spread(),
            f"{fmean(sample.steal for sample in self.samples):.1%}",
            "" if not self._target() else ("yes" if self.is_met else "NO"),
        )

    def _target(self) -> str:
        if self.limit is not None:
            return f"≤ {_number(self.limit)} {self.unit}"
        return "" if self.least is None else f"≥ {_number(self.least)} {self.unit}"

    def _spread(self) -> str:
        values = [sample.value for sample in self.samples]
        return f"{_number(min(values))}..{_number(max(values))}" if len(values) > 1 else ""


HEADINGS = ("what", "must reach", "measured (median)", "spread", "steal", "met")


def ratios(above: Sequence[Sample], below: Sequence[Sample]) -> list[Sample]:
    """Divide pair by pair: the two of a pair ran one after the other, on a like machine."""
    return [
        Sample(one.value / other.value, (one.steal + other.steal) / 2)
        for one, other in zip(above, below, strict=True)
    ]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
