"""Trying what the collector of a project needs, step by step."""

from collections.abc import Sequence

from headwater.collect.dbt.fetch import read_project
from headwater.collect.dbt.settings import DbtSettings
from headwater.collect.dbt.state import ReportedProject
from headwater.collect.dbt.warehouses import find_warehouse
from headwater.errors import HeadwaterError
from headwater.plugins import CheckStep


def check_project(settings: DbtSettings, state: ReportedProject) -> Sequence[CheckStep]:
    try:
        files = read_project(settings.target)
    except HeadwaterError as error:
        advice = "is --target the folder that dbt writes to? it is made by `dbt build`"
        return [CheckStep("manifest", False, error.message, advice)]
    manifest = files.manifest
    about = manifest.metadata
    project = about.project_name or "a project"
    detail = f"{project}: {len(manifest.nodes):,} nodes, dbt {about.dbt_version}"
    steps = [CheckStep("manifest", True, detail)]
    advice = "run dbt again; a file that it is writing is complete in a moment"
    steps += [CheckStep("files", False, each.message, advice) for each in files.problems]
    if files.problems:
        return steps
    there = {
        "run_results.json": files.results,
        "catalog.json": files.catalog,
        "sources.json": files.freshness,
    }
    names = [name for name, found in there.items() if found is not None]
    steps.append(CheckStep("files", True, ", ".join(names) or "none beside the manifest"))
    try:
        warehouse = find_warehouse(settings, files)
    except HeadwaterError as error:
        advice = "give --namespace, or --profiles with the folder of profiles.yml"
        return [*steps, CheckStep("warehouse", False, error.message, advice)]
    detail = f"{warehouse.adapter}, tables are in {warehouse.namespace}"
    steps.append(CheckStep("warehouse", True, detail))
    problem = state.check()
    detail = problem or f"{state.folder} can be written"
    return [*steps, CheckStep("state", problem is None, detail, "choose a folder with --state")]
