"""Where a command notes what its collectors do: at the server that it sends to, which thus shows
them, and lets one process at a time run each."""

import time
from typing import Any
from urllib.parse import quote

import typer

from headwater.cli.api.client import Client, json_of
from headwater.collect.schedule import PassResult, ScheduledPlan
from headwater.leases import make_holder
from headwater.model.values.instant import SECOND, format_instant, now

# How often the server is checked for a request to run now.
_ASK_SECONDS = 5.0
_MOST_TEXT = 2_000


class ServerBoard:
    """Notes what collectors do at a server; prints what they send, and failures when they begin,
    change and end."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._holder = make_holder()
        self._problems: dict[str, str | None] = {}
        self._ask_at: dict[str, float] = {}

    def take_lease(self, plan: ScheduledPlan) -> bool:
        return bool(self._report(plan, "hold")["isHeld"])

    def is_requested(self, plan: ScheduledPlan) -> bool:
        at = time.monotonic()
        if at < self._ask_at.get(plan.name, 0.0):
            return False
        self._ask_at[plan.name] = at + _ASK_SECONDS
        return bool(self._report(plan, "hold")["isRequested"])

    def started(self, plan: ScheduledPlan) -> None:
        self._report(plan, "started")

    def release(self, plan: ScheduledPlan) -> None:
        self._report(plan, "released")

    def ended(self, plan: ScheduledPlan, result: PassResult, next_at: int) -> None:
        problem = result.error or result.first_refusal
        self._print(plan, result, problem, next_at)
        self._report(
            plan,
            "ended",
            stored=result.stored,
            refused=result.refused,
            problem=problem[:_MOST_TEXT] if problem else None,
            isFailed=result.is_failed,
            nextSeconds=max(0, next_at - now()) // SECOND,
        )

    def _report(self, plan: ScheduledPlan, step: str, **more: Any) -> Any:
        body = {
            "holder": self._holder,
            "step": step,
            "type": plan.type,
            "everySeconds": int(plan.every),
            **more,
        }
        path = f"/api/v1/collectors/{quote(plan.name, safe='')}/report"
        answer = self._client.send("POST", path, json=body)
        if answer.status_code != 200:
            raise self._client.refusal(answer)
        return json_of(answer)

    def _print(
        self, plan: ScheduledPlan, result: PassResult, problem: str | None, next_at: int
    ) -> None:
        before = self._problems.get(plan.name)
        self._problems[plan.name] = problem
        if result.stored:
            typer.echo(f"{plan.name}: {result.stored:,} stored, {result.refused:,} refused")
        if problem is not None and problem != before:
            next_time = format_instant(next_at)
            typer.echo(f"headwater: {plan.name}: {problem}; next try at {next_time}", err=True)
        elif before is not None and problem is None:
            typer.echo(f"headwater: {plan.name}: it works again", err=True)
