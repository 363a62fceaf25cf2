"""What an event states that its producer did not understand of the job."""

from headwater.model.facet_readers import Facet
from headwater.model.gaps import GAP_FACETS, combine_gaps, encode_gaps
from headwater.model.project.projection import Projection
from headwater.model.relations import ReportedGaps
from headwater.model.values.ids import NO_CONTENT, digest


def project_gaps(projection: Projection) -> None:
    """The gaps of a run; a list without any is a statement too: it takes back an earlier one."""
    assert projection.job is not None and projection.run is not None
    stating = GAP_FACETS & projection.run_facets.keys()
    if not stating:
        return
    gaps = combine_gaps({name: projection.run_facets[name].meaning for name in stating})
    if gaps is None:
        return
    content = NO_CONTENT
    if gaps:
        body = encode_gaps(gaps)
        content = projection.keep(Facet(digest(body), body))
    at = projection.at
    projection.facts.add(
        "reported_gaps", ReportedGaps(projection.job, projection.run, content, at, at)
    )
