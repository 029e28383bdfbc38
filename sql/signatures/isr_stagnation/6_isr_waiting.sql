-- Everything that waits outside an in-sync set for too long, with its cause.
-- in:  isr_streaks, isr_laggards
-- out: one row per partition, follower and streak. broker: the leader of a frozen set, else the follower. What is
--      proven is not mixed with what only may be so: a cluster with a proven streak has no other frozen ones here
WITH proofs AS (
    SELECT
        cluster,
        max(is_proven) AS is_proven
    FROM isr_streaks
    GROUP BY cluster
)

SELECT
    s.cluster,
    'frozen' AS cause,
    CASE WHEN p.is_proven THEN 'conclusive' ELSE 'suggestive' END AS strength,
    s.topic,
    s.partition,
    s.leader AS broker,
    s.from_at,
    s.to_at,
    s.seconds,
    s.records,
    s.lag,
    s.isr_expands,
    s.failed_isr_updates,
    s.leader_replicas,
    s.is_preferred
FROM isr_streaks AS s
INNER JOIN proofs AS p ON s.cluster = p.cluster AND s.is_proven = p.is_proven
UNION ALL
SELECT
    cluster,
    cause,
    'suggestive' AS strength,
    topic,
    partition,
    follower AS broker,
    from_at,
    to_at,
    seconds,
    records,
    last_lag AS lag,
    NULL AS isr_expands,
    NULL AS failed_isr_updates,
    NULL AS leader_replicas,
    FALSE AS is_preferred
FROM isr_laggards
