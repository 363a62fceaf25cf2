"""What the stages of several labs share: waiting for the graph, a batch job, a server."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from labs.checks import Found, wait_for
from labs.graph import LabGraph
from labs.programs import Program
from testing.services.headwater import Headwater


class LabStage:
    """What runs, with the graph that it is looked at by."""

    graph: LabGraph

    def wait(self, what: str, ask: Callable[[], Found | None]) -> Found:
        """Wait for something in the graph."""
        return wait_for(what, ask)

    def wait_for_state(self, state: str, *jobs: str) -> None:
        for job in jobs:
            self.wait(f"{job} is {state}", partial(self._is_in_state, job, state))

    def _is_in_state(self, job: str, state: str) -> bool:
        return self.graph.state(job) == state


def run_to_end(module: str, options: Sequence[str]) -> str:
    """Run a program of a lab to its end; gives what it printed."""
    with Program.start(module, options) as program:
        program.finish()
        return program.log()


def start_collecting(stack: ExitStack, folder: Path, settings: str, port: int) -> Headwater:
    """A server that runs the collectors of a settings file."""
    file = folder / "headwater.toml"
    file.write_text(settings)
    with_settings = {"HEADWATER_CONFIG": str(file)}
    return stack.enter_context(Headwater.start(extra=["--collect"], env=with_settings, port=port))
