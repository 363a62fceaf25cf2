"""The pipeline's own lineage: its inputs and outputs, as ordinary events."""

import json
import logging
import time
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from headwater.emit.events import Producer
from headwater.errors import HeadwaterError
from headwater.model.event import decode_event
from headwater.model.project import project
from headwater.model.values.instant import now
from headwater.pipeline.driver_store import Totals
from headwater.store.write.writer import Writer

log = logging.getLogger(__name__)

NAMESPACE = "headwater"
PRODUCER = Producer.of_part("pipeline")
# While there is something to tell; and while there is not, so that nobody takes us for dead.
_NEWS_SECONDS = 30.0
_ALIVE_SECONDS = 300.0

Dataset = tuple[str, str]


class OwnLineage:
    """Reports one run of a job. A store that does not accept it is no reason to stop."""

    def __init__(
        self,
        writer: Writer,
        name: str,
        outputs: Sequence[Dataset],
        *,
        is_stream: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._writer = writer
        self._name = name
        self._inputs: Sequence[Dataset] = ()
        self._outputs = outputs
        self._is_stream = is_stream
        self._clock = clock
        self._run = str(uuid.uuid4())
        self._totals = Totals()
        self._has_news = False
        self._reported_at: float | None = None

    def started(self, inputs: Sequence[Dataset]) -> None:
        self._inputs = inputs
        self._report("START" if self._reported_at is None else "RUNNING")

    def stored(self, totals: Totals, seconds: float) -> None:
        self._totals.add(totals)
        self._has_news = True

    def settled(self, lag: int | None) -> None:
        """The next heartbeat reports it."""

    def behind(self, seconds: float) -> None:
        """A heartbeat has no such figure."""

    def alive(self) -> None:
        wait = _NEWS_SECONDS if self._has_news else _ALIVE_SECONDS
        if self._reported_at is not None and self._clock() - self._reported_at >= wait:
            self._report("RUNNING")

    def failed(self, error: HeadwaterError, wait: float) -> None:
        """It goes on; only how it ends is an event."""

    def ended(self, error: BaseException | None) -> None:
        if self._reported_at is not None:
            self._report("COMPLETE" if error is None else "FAIL", error)

    def _report(self, kind: str, error: BaseException | None = None) -> None:
        event = json.dumps(self._event(kind, error)).encode()
        try:
            self._writer.write([project(decode_event(event), now())])
        except HeadwaterError as unavailable:
            log.warning("own lineage could not be stored: %s", unavailable.message)
        self._reported_at = self._clock()
        self._has_news = False

    def _event(self, kind: str, error: BaseException | None) -> dict[str, Any]:
        run: dict[str, Any] = {"runId": self._run, "facets": {}}
        if error is not None:
            text = str(error) or type(error).__name__
            run["facets"]["errorMessage"] = PRODUCER.error(text, "PYTHON")
        processing = "STREAMING" if self._is_stream else "BATCH"
        job_type = PRODUCER.job_type(processing, "HEADWATER", "INGEST")
        job = {"namespace": NAMESPACE, "name": self._name, "facets": {"jobType": job_type}}
        inputs = [{"namespace": space, "name": name} for space, name in self._inputs]
        outputs = [self._output(dataset) for dataset in self._outputs]
        return PRODUCER.run_event(kind, job, run, inputs, outputs)

    def _output(self, dataset: Dataset) -> dict[str, Any]:
        counts = PRODUCER.output_statistics(rowCount=self._totals.events, size=self._totals.bytes)
        return {"namespace": dataset[0], "name": dataset[1], **counts}
