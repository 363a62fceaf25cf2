"""Storing what was taken in: all of it together, else one by one, else as rejected.

The steps are the same for who waits for each write and for who awaits it: a generator gives what is
to be written, and is informed of what the store refuses.
"""

from collections.abc import Awaitable, Callable, Generator, Sequence

from headwater.errors import InvalidEvent, NotStorable
from headwater.model.facts import Facts
from headwater.model.intake import Intake
from headwater.model.relations import EventRow
from headwater.model.values.instant import now
from headwater.store.write.refusals import keep_refused
from headwater.store.write.turns import in_turns

Steps = Generator[Sequence[Facts], None, list[Intake]]


def store_intakes(
    intakes: Sequence[Intake], source: str, write: Callable[[Sequence[Facts]], None]
) -> list[Intake]:
    """Store what was taken in; gives it as it is stored, with the error of what is rejected."""
    steps = _steps(intakes, source)
    try:
        part = next(steps)
        while True:
            try:
                write(part)
            except NotStorable as refusal:
                part = steps.throw(refusal)
            else:
                part = next(steps)
    except StopIteration as end:
        return _result(end)


async def store_intakes_async(
    intakes: Sequence[Intake], source: str, write: Callable[[Sequence[Facts]], Awaitable[None]]
) -> list[Intake]:
    """The same where a write is awaited."""
    steps = _steps(intakes, source)
    try:
        part = next(steps)
        while True:
            try:
                await write(part)
            except NotStorable as refusal:
                part = steps.throw(refusal)
            else:
                part = next(steps)
    except StopIteration as end:
        return _result(end)


def _result(end: StopIteration) -> list[Intake]:
    stored: list[Intake] = end.value
    return stored


def _steps(intakes: Sequence[Intake], source: str) -> Steps:
    try:
        yield from in_turns([intake.facts for intake in intakes])
    except NotStorable:
        pass
    else:
        return list(intakes)
    stored = []
    for intake in intakes:
        stored.append((yield from _store_or_reject(intake, source)))
    return stored


def _store_or_reject(intake: Intake, source: str) -> Generator[Sequence[Facts], None, Intake]:
    """Store one event of several that the store refused together, or keep it as rejected."""
    try:
        yield from in_turns([intake.facts])
        return intake
    except NotStorable as error:
        if intake.error is not None:
            return intake
        refusal = error
    data = EventRow._make(intake.facts.rows["event"][0]).payload
    facts = keep_refused(data, now(), source, refusal)
    yield [facts]
    return Intake(facts, InvalidEvent("$", refusal.message))
