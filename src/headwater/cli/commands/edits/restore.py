"""`headwater restore`: show again what was deleted."""

from urllib.parse import quote

from headwater.cli.api.client import DEFAULT_URL, Client, ServerOption
from headwater.cli.api.edits import Shape, TypeOption, WholeArgument, change
from headwater.cli.api.node_lookup import NodeType
from headwater.cli.output.screen import Grid, Screen
from headwater.errors import HeadwaterError, InvalidRequest

_LIMIT = 1_000
_NOUNS = {"dataset": "datasets", "job": "jobs"}


def restore(
    name: WholeArgument, type: TypeOption = None, server: ServerOption = DEFAULT_URL
) -> None:
    """Restore a deleted dataset or job, or everything that was hidden with a namespace.

    Deleted nodes are found by their full name, with or without the namespace.

    headwater restore shop.orders_old
    """
    screen = Screen()
    with Client(server) as client:
        entity = _choose(screen, name, _deleted(client, name, type))
        change(client, "POST", f"{_path(entity)}/restore")
    screen.say(f"{_label(screen, entity)} is restored")


def _deleted(client: Client, name: str, type: NodeType | None) -> list[Shape]:
    """The deleted entities of that name, by the newest edit of each in the log."""
    namespace, mark, last = name.rpartition("|")
    parameters = {"name": last, "limit": _LIMIT} | ({"namespace": namespace} if mark else {})
    newest: dict[tuple[str, str, str], tuple[bool, Shape]] = {}
    for edit in client.read("/api/v1/edits", **parameters)["edits"]:
        values = {**dict.fromkeys(edit["unset"], False), **edit["set"]}
        entity = edit["entity"]
        if "deleted" in values and (type is None or entity["type"] == type):
            key = (entity["type"], entity.get("namespace", ""), entity["name"])
            newest.setdefault(key, (values["deleted"] is True, entity))
    return [entity for is_deleted, entity in newest.values() if is_deleted]


def _choose(screen: Screen, name: str, deleted: list[Shape]) -> Shape:
    if len(deleted) == 1:
        return deleted[0]
    if not deleted:
        label = screen.clean(name[:500])
        raise HeadwaterError(
            f"nothing deleted has the name '{label}'; headwater log lists deletions; "
            "what was hidden with its namespace is restored with the namespace"
        )
    errors = Screen(is_error=True)
    grid = Grid(("type", "namespace", "name"))
    for entity in deleted:
        texts = (entity["type"], entity.get("namespace", ""), entity["name"])
        grid.add(*map(errors.clean, texts))
    errors.show(grid)
    raise InvalidRequest(
        errors.clean(name), "is ambiguous; give NAMESPACE|NAME, or narrow it with --type"
    )


def _path(entity: Shape) -> str:
    if entity["type"] == "namespace":
        return f"/api/v1/namespaces/{quote(entity['name'], safe='')}"
    namespace = quote(entity["namespace"], safe="")
    noun = _NOUNS[entity["type"]]
    return f"/api/v1/namespaces/{namespace}/{noun}/{quote(entity['name'], safe='')}"


def _label(screen: Screen, entity: Shape) -> str:
    namespace = entity.get("namespace")
    name = f"{namespace}|{entity['name']}" if namespace else entity["name"]
    return f"{entity['type']} {screen.clean(name)}"
