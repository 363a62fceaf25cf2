"""Runs the publishers of the settings in this server, one server at a time for each."""

from collections.abc import Sequence
from contextlib import nullcontext

from headwater.collect.schedule import CollectorLoop, Pass, Scheduler
from headwater.publish import Exclusive, Publisher
from headwater.publish.plans import PublisherPlan
from headwater.server.background.collecting import StoreBoard
from headwater.store.collectors import PUBLISHERS
from headwater.store.engine import Engine


class _PublisherLoop(CollectorLoop):
    """One publisher, again and again."""

    def _begin(self, collector: Publisher) -> Pass:
        return Pass(lambda note: publish_once(collector, note))


class PublisherScheduler(Scheduler):
    """Runs publishers as collectors are run."""

    @property
    def loop_class(self) -> type[CollectorLoop]:
        return _PublisherLoop


def publish_once(publisher: Publisher, note: Pass) -> None:
    """One pass; what the target did not take is noted with the first reason."""
    with publisher.alone() if isinstance(publisher, Exclusive) else nullcontext():
        for step in publisher.publish():
            problem = step.problems[0] if step.problems else "see `headwater publish refused`"
            note.add(step.sent, step.refused, problem)


def schedule_publishers(plans: Sequence[PublisherPlan], engine: Engine) -> PublisherScheduler:
    def send_nothing(events: Sequence[bytes]) -> list[str | None]:
        return []

    return PublisherScheduler(plans, engine, send_nothing, StoreBoard(engine, PUBLISHERS))
