"""Parameters of the routes about graphs: the node, how far, as of when."""

from typing import Annotated

from fastapi import Depends, Query

from headwater.answers.nodes import MOST_NODES
from headwater.server.http.parameters import instant_parameter

AsOf = Annotated[int | None, Depends(instant_parameter("as_of", "As of this time instead of now"))]
NodeIdParameter = Annotated[
    str,
    Query(description="dataset:NAMESPACE:NAME, job:NAMESPACE:NAME or datasetField:...:FIELD."),
]
Depth = Annotated[
    int, Query(ge=0, le=2**31, description="Maximum distance from the node, in jobs.")
]
Limit = Annotated[int, Query(ge=1, le=MOST_NODES, description="Maximum number of nodes.")]
