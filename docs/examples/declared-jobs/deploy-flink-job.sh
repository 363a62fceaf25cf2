#!/usr/bin/env bash
# Deploys a job of Flink and reports it: START before, RUNNING when it runs, FAIL if it does not.
set -euo pipefail
config=${1:-order-enrichment.yaml}
report() { headwater emit --config "$config" --event-type "$1"; }

report START
if ${DEPLOY:-flink run -d job.jar}; then
  report RUNNING
else
  report FAIL
  exit 1
fi
