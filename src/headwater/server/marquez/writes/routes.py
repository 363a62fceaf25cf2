"""All routes of Marquez's API that write."""

from fastapi import APIRouter

from headwater.server.marquez.writes import datasets, jobs, namespaces, runs, sources, tags

router = APIRouter()
for noun in (namespaces, datasets, jobs, runs, sources, tags):
    router.include_router(noun.router)
