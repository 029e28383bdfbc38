-- Epochs, voters that are away, records behind, errors or queued assignments at each sweep, of the detected causes.
-- in:  quorum_health_detections, cluster_sweeps, cluster_days, quorum_flags
-- out: one row per cluster, detected cause and sweep of the day; 0 where nothing showed it
WITH causes AS (
    SELECT DISTINCT
        cluster,
        cause
    FROM quorum_health_detections
),

counted AS (
    SELECT
        cluster,
        cause,
        sweep_at,
        if(cause = 'missing_voter', count(DISTINCT node_id, state_of), max(amount)) AS amount
    FROM quorum_flags
    GROUP BY cluster, cause, sweep_at
)

SELECT
    c.cluster,
    c.cause AS chart,
    s.sweep_at AS to_at,
    coalesce(s.previous_sweep, s.sweep_at) AS from_at,
    coalesce(f.amount, 0) AS amount
FROM causes AS c
INNER JOIN cluster_days AS d ON c.cluster = d.cluster
INNER JOIN cluster_sweeps AS s ON c.cluster = s.cluster AND d.first_sweep <= s.sweep_at
LEFT JOIN counted AS f ON c.cluster = f.cluster AND c.cause = f.cause AND s.sweep_at = f.sweep_at
