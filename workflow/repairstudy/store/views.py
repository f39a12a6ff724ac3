"""Views of a study's database: what its readers ask for, computed when they ask."""

from __future__ import annotations

import duckdb

POOL_ROLLOUTS = """
CREATE VIEW pool_rollouts AS
WITH places AS (
    SELECT failure_id, t, is_primary, sources_here,
        count(*) OVER (PARTITION BY failure_id) > 1 AS several_positions
    FROM positions JOIN (
        SELECT failure_id, t, list_sort(list_distinct(flatten(list(sources)))) AS sources_here
        FROM candidates WHERE NOT is_original GROUP BY failure_id, t
    ) USING (failure_id, t)
)
SELECT pool, r.rollout_key, e.name AS executor, r.role, r.replicate, r.success, r.reward, r.status,
    r.failure_id, r.t, r.candidate_id, c.is_original, c.sources,
    places.is_primary, places.sources_here, places.several_positions,
    {'failure_id': r.failure_id, 't': r.t, 'candidate_id': r.candidate_id,
     'is_original': c.is_original} AS arm
FROM failures f
JOIN trajectories USING (trajectory_id)
JOIN places USING (failure_id)
JOIN rollouts r ON r.failure_id = places.failure_id AND r.t = places.t
JOIN candidates c ON c.failure_id = r.failure_id AND c.t = r.t AND c.candidate_id = r.candidate_id
JOIN executors e ON e.executor_id = r.executor_id
WHERE r.role IN ('label', 'evaluate', 'control', 'fresh')
    AND (r.role <> 'label' OR r.executor_id = trajectories.executor_id)
"""

COMMENTS = {
    "pool_rollouts": "every rollout that statistics of a pool use, for each arm that it serves; "
    "the queries in results.rollouts_query read it",
}


def create_views(connection: duckdb.DuckDBPyConnection) -> None:
    """Create every view; the tables of the study must be there."""
    connection.execute(POOL_ROLLOUTS)
    for name, text in COMMENTS.items():
        connection.execute(f"COMMENT ON VIEW {name} IS '{text}'")
