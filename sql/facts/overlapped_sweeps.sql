-- Sweeps that were under way when the cluster's next one began. What they read last may be newer than what that one
-- read, so that nothing is compared from or to them. No two sweeps are stored so any more; homes of earlier versions
-- have such.
-- in:  raw_sweeps, raw_brokers
-- out: one row per sweep; a sweep that measured nothing overlaps none
WITH measured AS (
    SELECT
        s.cluster,
        s.sweep_at,
        s.ended_at
    FROM raw_sweeps AS s
    LEFT JOIN raw_brokers AS b ON s.cluster = b.cluster AND s.sweep_at = b.sweep_at AND b.read_at IS NOT NULL
    WHERE s.admin_outcome != 'failed' OR b.cluster IS NOT NULL
    GROUP BY s.cluster, s.sweep_at, s.ended_at
),

followed AS (
    SELECT
        cluster,
        sweep_at,
        ended_at,
        lead(sweep_at) OVER (PARTITION BY cluster ORDER BY sweep_at) AS next_sweep
    FROM measured
)

SELECT
    cluster,
    sweep_at
FROM followed
WHERE ended_at > next_sweep
