"""`headwater ingest`: events from Kafka, Kinesis and files, by Spark, into lake and store."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from headwater.cli.commands.ingest import named
from headwater.cli.commands.ingest.access_options import AwsOptions, KafkaAccessOptions
from headwater.cli.commands.ingest.config_file import run_config_file
from headwater.cli.commands.ingest.ingest_run import IngestOptions, run_check, run_ingest
from headwater.cli.commands.ingest.option_groups import takes_options
from headwater.cli.commands.serve import Data, Store
from headwater.cli.commands.store.opening import open_store
from headwater.cli.output.printing import Output, OutputOption
from headwater.cli.output.progress import steps
from headwater.config import load_settings
from headwater.durations import parse_duration

if TYPE_CHECKING:
    from headwater.pipeline.feeds.registry import Source

# With an end of its own a file may be called by it.
_NAME_BYTES = 120

app = typer.Typer(
    help="Ingest events from Kafka, Kinesis or files, with Spark: now, or by named ingestions.",
    no_args_is_help=True,
)

Once = Annotated[bool, typer.Option("--once", help="Ingest everything available, then exit.")]
Every = Annotated[
    str, typer.Option(metavar="SPAN", help="How often to check for new events, such as 5s or 15m.")
]
Check = Annotated[
    bool, typer.Option("--check", help="Only test each step, and report which one fails.")
]
Include = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PATTERN", help="Only jobs whose name matches, such as 'etl_*'; repeatable."
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(metavar="PATTERN", help="Exclude jobs whose name matches; repeatable."),
]
Name = Annotated[
    str | None,
    typer.Option(
        help="Name of this ingest; the store keeps its position under it.",
        show_default="derived from the source",
    ),
]
Master = Annotated[
    str | None, typer.Option(help="Spark's master.", show_default="local[*]: all local cores")
]
Conf = Annotated[
    list[str] | None,
    typer.Option(metavar="KEY=VALUE", help="A Spark property; repeatable."),
]
MetricsPort = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=65535,
        help="Serve Prometheus metrics on this port, on the loopback address only.",
    ),
]
Verbose = Annotated[bool, typer.Option("--verbose", help="Show Spark's log.")]


IncludeRegex = Annotated[
    str | None,
    typer.Option(
        metavar="REGEX,...",
        help="Only jobs that a regular expression matches from the beginning, by NAME, "
        "NAMESPACE-NAME or their parent's: as OpenMetadata's filters.",
    ),
]
ExcludeRegex = Annotated[
    str | None,
    typer.Option(metavar="REGEX,...", help="Exclude jobs that a regular expression matches so."),
]


class SharedOptions(NamedTuple):
    """The options that all feeds take."""

    once: Once = False
    every: Every = "5s"
    check: Check = False
    include: Include = None
    exclude: Exclude = None
    include_regex: IncludeRegex = None
    exclude_regex: ExcludeRegex = None
    name: Name = None
    metrics_port: MetricsPort = None
    master: Master = None
    conf: Conf = None
    verbose: Verbose = False
    store: Store = None
    data: Data = None

    def choose(self, default_name: str, **access: Mapping[str, str]) -> IngestOptions:
        """What the options mean; an ingest without a name has the default one.

        `access` is what they say of reaching a kind of source.
        """
        spark: dict[str, Any] = {
            "master": self.master,
            "conf": parse_pairs(self.conf, "--conf") or None,
        }
        try:
            seconds = parse_duration(self.every).total_seconds()
        except ValueError as error:
            raise typer.BadParameter(str(error), param_hint="--every") from None
        return IngestOptions(
            settings=load_settings(store=self.store, data=self.data, spark=spark, ingest=access),
            name=_check_name(self.name) or default_name,
            every=None if self.once else seconds,
            include=tuple(self.include or ()),
            exclude=tuple(self.exclude or ()),
            metrics_port=self.metrics_port,
            verbose=self.verbose,
            expressions=_read_expressions(self.include_regex, self.exclude_regex),
        )


@app.callback(invoke_without_command=True)
@takes_options(shared=SharedOptions)
def from_config(
    context: typer.Context,
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Run OpenMetadata's workflow file as it is, with the options here."
        ),
    ] = None,
    *,
    shared: SharedOptions,
) -> None:
    if context.invoked_subcommand is not None:
        if config is not None or shared != SharedOptions():
            raise typer.BadParameter(
                f"options come after '{context.invoked_subcommand}'; --config is without a command"
            )
    elif config is None:
        raise typer.BadParameter("give a command, or --config FILE", param_hint="--config")
    else:
        choices = shared.choose("")
        run_config_file(config, shared.name, choices, is_check=shared.check)


for name, command in (
    ("add", named.add),
    ("list", named.list_all),
    ("show", named.show),
    ("run", named.run),
    ("pause", named.pause),
    ("resume", named.resume),
    ("remove", named.remove),
):
    app.command(name)(command)


@app.command()
@takes_options(access=KafkaAccessOptions, shared=SharedOptions)
def kafka(
    brokers: Annotated[str, typer.Option(metavar="HOST:PORT,...", help="Kafka brokers.")],
    topic: Annotated[
        list[str] | None, typer.Option(help="A topic with OpenLineage events; repeatable.")
    ] = None,
    pattern: Annotated[
        str | None,
        typer.Option(
            metavar="REGEX",
            help="All topics whose full name matches, including topics created later.",
        ),
    ] = None,
    start: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="earliest|latest|TIME",
            help="Where to start in partitions never read; TIME such as 2026-11-01T00:00:00Z.",
        ),
    ] = "earliest",
    group: Annotated[
        str | None,
        typer.Option(
            help="Consumer group that offsets are committed to, for tools that monitor lag.",
            show_default="headwater-NAME",
        ),
    ] = None,
    max_events: Annotated[
        int, typer.Option(min=1, help="Maximum number of messages in a batch.")
    ] = 50_000,
    consumer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE",
            help="Another Kafka consumer property, such as fetch.max.bytes=9000000; repeatable.",
        ),
    ] = None,
    *,
    access: KafkaAccessOptions,
    shared: SharedOptions,
) -> None:
    """Ingest OpenLineage events from Kafka topics.

    A message that is not a valid event is stored with its topic, partition and offset (`headwater
    events --rejected`); the others are ingested. Ctrl-C stops after the current batch; the next
    start continues from there, also after a crash.

    To try: headwater ingest kafka --brokers localhost:9092 --topic lineage --check
    """
    from headwater.pipeline.feeds.kafka import KafkaSource

    if bool(topic) == bool(pattern):
        raise typer.BadParameter("give either --topic or --pattern", param_hint="--topic")
    choices = shared.choose(_name_of("kafka", *(topic or [str(pattern)])), kafka=access.given)
    source = KafkaSource(
        brokers=brokers,
        topics=tuple(topic or ()),
        pattern=pattern or "",
        start=_parse_start(start, "earliest", "latest"),
        max_events=max_events,
        settings=_parse_consumer(consumer),
        access=choices.settings.ingest.kafka,
        group=group or "",
    )
    _run(shared, choices, source)


@app.command()
@takes_options(access=AwsOptions, shared=SharedOptions)
def kinesis(
    stream: Annotated[
        str, typer.Option(metavar="NAME", help="The stream's name, or its ARN in another account.")
    ],
    start: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="TRIM_HORIZON|LATEST|TIME",
            help="Where to start if never read; TIME such as 2026-11-01T00:00:00Z.",
        ),
    ] = "TRIM_HORIZON",
    max_events: Annotated[
        int, typer.Option(min=1, help="Maximum number of records in a batch.")
    ] = 50_000,
    *,
    access: AwsOptions,
    shared: SharedOptions,
) -> None:
    """Ingest OpenLineage events from a stream of Amazon Kinesis.

    Records that the Kinesis Producer Library aggregated are taken apart. One that is not a valid
    event is stored with its shard and sequence number (`headwater events --rejected`). The next
    start continues where this one stopped, also after a crash.

    To try: headwater ingest kinesis --stream lineage --region eu-central-1 --check
    """
    from headwater.extras import require
    from headwater.pipeline.feeds.kinesis.source import KinesisSource

    require("aws")
    aliases = {"earliest": "TRIM_HORIZON", "latest": "LATEST"}
    stream_name = stream.rpartition("stream/")[2]
    choices = shared.choose(_name_of("kinesis", stream_name), kinesis=access.given)
    source = KinesisSource(
        stream=stream,
        aws=choices.settings.ingest.kinesis,
        start=_parse_start(aliases.get(start, start), "TRIM_HORIZON", "LATEST"),
        max_events=max_events,
    )
    _run(shared, choices, source)


@app.command()
@takes_options(shared=SharedOptions)
def files(
    place: Annotated[
        str, typer.Argument(help="A directory with its subdirectories, a file or a glob pattern.")
    ],
    *,
    shared: SharedOptions,
) -> None:
    """Ingest OpenLineage events from files: NDJSON, arrays or single events, plain or gzipped.

    Lines that are added later are ingested once they are complete. A line that is not a valid
    event is stored with its file and line (`headwater events --rejected`); the others are ingested.

    To try: headwater ingest files events/ --once
    """
    from headwater.listing import check_place
    from headwater.pipeline.feeds.files import FilesPlace

    choices = shared.choose(_name_of("files", str(Path(place).absolute())))
    if not shared.check:
        # Before Spark, which takes a while, has started.
        check_place(place)
    _run(shared, choices, FilesPlace(place))


@app.command()
def replay(
    source: Annotated[
        str,
        typer.Option(help="Only from sources that start with this, such as 'kafka orders/'."),
    ] = "",
    output: OutputOption = Output.TEXT,
    store: Store = None,
    data: Data = None,
) -> None:
    """Try rejected events again, for instance after an upgrade that supports them."""
    from headwater.model.values.instant import SECOND
    from headwater.pipeline.replay import replay as replay_store

    settings = load_settings(store=store, data=data)
    with open_store(store, data) as engine, steps() as show:
        done = replay_store(
            engine,
            settings.intake.max_ahead_seconds * SECOND,
            source=source,
            notes_for_lake=settings.lake.is_on,
            progress=lambda count: show("rejected", count, None),
        )
    if output is Output.JSON:
        typer.echo(json.dumps(vars(done), indent=2))
        return
    typer.echo(f"{done.taken_in:,} ingested, {done.still_rejected:,} still rejected")
    if done.cut_short:
        typer.echo(f"{done.cut_short:,} were too long to be stored completely: send them again")


def _run(shared: SharedOptions, choices: IngestOptions, source: "Source") -> None:
    (run_check if shared.check else run_ingest)(choices, source)


def _read_expressions(include: str | None, exclude: str | None) -> Any:
    """The regular expressions of options; none where neither is given."""
    if include is None and exclude is None:
        return ()
    from headwater.pipeline.ingestions.reading import check_expression, split_expressions
    from headwater.pipeline.ingestions.shapes import UnusableConfig
    from headwater.pipeline.job_patterns import NameExpressions

    given = (("--include-regex", include), ("--exclude-regex", exclude))
    found = [(option, tuple(split_expressions(text or ""))) for option, text in given]
    try:
        for option, each in found:
            for expression in each:
                check_expression(expression, option)
    except UnusableConfig as error:
        raise typer.BadParameter(error.reason, param_hint=error.key) from None
    return (NameExpressions(*(each for _, each in found)),)


def _name_of(*parts: str) -> str:
    """A name that is a file's as well."""
    joined = "-".join(parts)
    name = "".join(char if char.isalnum() or char in "-_." else "-" for char in joined)
    return name.encode()[:_NAME_BYTES].decode(errors="ignore")


def _check_name(name: str | None) -> str | None:
    """Refuse a name that no file could have: some are called by it."""
    if name is not None and (name != _name_of(name) or name[:1] in ("", ".")):
        raise typer.BadParameter(
            f"'{name}' may contain only letters, digits, '-', '_' and '.'", param_hint="--name"
        )
    return name


def _parse_start(text: str, *words: str) -> Any:
    if text in words:
        return text
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(
            f"'{text}' is neither {', '.join(words)} nor a time", param_hint="--from"
        ) from None
    # Kafka has other meanings for what is before 1970.
    return max(0, round((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp() * 1000))


def _parse_consumer(pairs: Sequence[str] | None) -> dict[str, str]:
    from headwater.pipeline.feeds.kafka import check_consumer_settings

    settings = parse_pairs(pairs, "--consumer")
    if own := check_consumer_settings(settings):
        raise typer.BadParameter(
            f"{own} cannot be set: Headwater or Spark sets it", param_hint="--consumer"
        )
    return settings


def parse_pairs(pairs: Sequence[str] | None, option: str) -> dict[str, str]:
    parsed = {}
    for pair in pairs or ():
        key, sign, value = pair.partition("=")
        if not (key and sign):
            raise typer.BadParameter(f"'{pair}' is not KEY=VALUE", param_hint=option)
        parsed[key] = value
    return parsed
