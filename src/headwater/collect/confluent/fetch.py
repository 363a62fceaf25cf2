"""What an account of Confluent Cloud says: all of its parts side by side, each failing alone."""

from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, as_completed

from headwater.collect.confluent import reports
from headwater.collect.confluent.account import CloudAccount
from headwater.collect.confluent.api import control
from headwater.collect.confluent.http import AT_ONCE, NoKey, NotNow
from headwater.collect.confluent.parts import Part, lists_of, parts_of
from headwater.collect.confluent.reports import EnvironmentReport, PartProblem, text
from headwater.collect.rest import RestUnavailable
from headwater.errors import HeadwaterError

ReportProgress = Callable[[str], None]


def read_account(
    account: CloudAccount, report: ReportProgress = lambda line: None
) -> list[EnvironmentReport]:
    """All environments; what cannot be read of one is among its problems.

    Raises SourceUnavailable where the environments themselves cannot be listed. `report` is called
    by this thread alone, and may end the pass by raising something.
    """
    environments = _read_environments(account)
    report(f"{len(environments):,} environments")
    _run([part for each in environments for part in lists_of(account, each)], report)
    _check_clusters(account, environments)
    _read_regions(account, environments)
    _run([part for each in environments for part in parts_of(account, each)], report)
    return environments


def _read_environments(account: CloudAccount) -> list[EnvironmentReport]:
    chosen = account.settings.environment_ids
    listed = [
        EnvironmentReport(text(each, "id"), text(each, "display_name"))
        for each in control.read_environments(account.cloud())
    ]
    if missing := sorted(set(chosen) - {each.id for each in listed}):
        known = ", ".join(each.id for each in listed) or "none"
        advice = f"the key may read these: {known}"
        raise RestUnavailable(account.settings.url, f"has no environment '{missing[0]}'", advice)
    return [each for each in listed if not chosen or each.id in chosen]


def _check_clusters(account: CloudAccount, environments: Iterable[EnvironmentReport]) -> None:
    """A cluster that is nowhere is a mistake: without it, nothing would be read."""
    if not all(reports.CLUSTERS in each.done for each in environments):
        return
    listed = {each.id for env in environments for each in (*env.clusters, *env.others)}
    if missing := sorted(set(account.settings.cluster_ids) - listed):
        advice = f"the key may read these: {', '.join(sorted(listed)) or 'none'}"
        raise RestUnavailable(account.settings.url, f"has no cluster '{missing[0]}'", advice)


def _read_regions(account: CloudAccount, environments: Iterable[EnvironmentReport]) -> None:
    """Where Flink's gateways are, which is needed only where there are compute pools."""
    with_pools = [each for each in environments if each.pools]
    if not with_pools:
        return
    try:
        account.organization = control.read_organization(account.cloud())
        for region in control.read_flink_regions(account.cloud()):
            place = (text(region, "cloud").upper(), text(region, "region_name"))
            account.flink_regions[place] = text(region, "http_endpoint")
    except HeadwaterError as error:
        for each in with_pools:
            each.problems.append(_problem(each, each.id, reports.STATEMENTS, error))


def _run(work: list[Part], report: ReportProgress) -> None:
    pool = ThreadPoolExecutor(AT_ONCE)
    try:
        running: dict[Future[str], Part] = {pool.submit(part.run): part for part in work}
        for future in as_completed(running):
            part = running[future]
            try:
                summary = future.result()
            except Exception as error:
                # An answer of a shape that nobody expects is the part's failure as well.
                problem = _problem(part.environment, part.where, part.name, error)
                part.environment.problems.append(problem)
                report(f"not read: {problem}")
            else:
                part.done.add(part.name)
                if summary:
                    report(f"{part.where}: {summary}")
    finally:
        pool.shutdown(cancel_futures=True)


def _problem(
    environment: EnvironmentReport, where: str, part: str, error: Exception
) -> PartProblem:
    if not isinstance(error, HeadwaterError):
        reason = f"an answer is not understood ({type(error).__name__})"
        return PartProblem(environment.id, where, part, reason, "please report it")
    advice = error.next_step if isinstance(error, RestUnavailable) else "correct it and try again"
    kinds = (isinstance(error, NotNow), isinstance(error, NoKey))
    return PartProblem(environment.id, where, part, error.message, advice, *kinds)
