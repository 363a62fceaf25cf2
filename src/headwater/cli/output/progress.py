"""How far a command is: a line that moves on a terminal, nothing where there is none."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Called with the step, how much of it is done, and the total if known.
Progress = Callable[[str, int, int | None], None]


@contextmanager
def steps() -> Iterator[Progress]:
    """Show the steps of a command one by one, on standard error: output stays clean."""
    from rich.console import Console
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda step, done, total: None
        return
    with Bars(console=console, transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def show(step: str, done: int, total: int | None) -> None:
            if step not in tasks:
                for task in tasks.values():
                    bars.remove_task(task)
                tasks.clear()
                tasks[step] = bars.add_task(step, total=total)
            bars.update(tasks[step], completed=done, total=total)

        yield show
