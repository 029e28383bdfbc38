-- All that shows that partitions are not served, or soon may not be: of brokers and of the metadata, by sweep.
-- in:  broker_flags, broker_sweeps, cluster_sweeps, leaderless_partitions, out_of_sync_replicas, out_of_sync_intervals,
--      topic_days, unclean_elections, outside_leads
-- out: one row per cause, sweep and thing, which is a partition, a node or an election. nth: rows of one thing with
--      consecutive ones are one state; state_of: what they share beside it, as the start of the
--      process. from_at: when it was seen, of what happens between two sweeps the first. amount: of the gauge
WITH metadata AS (
    SELECT
        cluster,
        sweep_at,
        row_number() OVER (PARTITION BY cluster ORDER BY sweep_at) AS nth
    FROM cluster_sweeps
    WHERE topics_read
)

SELECT
    cluster,
    cause,
    strength,
    NULL AS topic,
    NULL AS partition_id,
    broker,
    log_dir,
    offline_replicas,
    state_of,
    nth,
    sweep_at,
    read_at AS from_at,
    read_at AS to_at,
    amount
FROM broker_flags
UNION ALL
SELECT
    l.cluster,
    -- a controller elects a replica that was in sync, or where that is allowed any other, as soon as it is there
    if(
        l.live_in_sync > 0 OR (l.live_replicas > 0 AND coalesce(d.unclean_election, FALSE)), 'not_elected', 'offline'
    ) AS cause,
    if(l.live_in_sync > 0, 'suggestive', 'conclusive') AS strength,
    l.topic,
    l.partition AS partition_id,
    l.last_in_sync AS broker,
    NULL AS log_dir,
    NULL AS offline_replicas,
    NULL AS state_of,
    m.nth,
    l.sweep_at,
    l.sweep_at AS from_at,
    l.sweep_at AS to_at,
    NULL AS amount
FROM leaderless_partitions AS l
INNER JOIN metadata AS m ON l.cluster = m.cluster AND l.sweep_at = m.sweep_at
LEFT JOIN topic_days AS d ON l.cluster = d.cluster AND l.topic = d.topic
UNION ALL
SELECT
    o.cluster,
    'under_min_isr' AS cause,
    'conclusive' AS strength,
    o.topic,
    o.partition AS partition_id,
    o.follower AS broker,
    NULL AS log_dir,
    NULL AS offline_replicas,
    NULL AS state_of,
    m.nth,
    o.sweep_at,
    o.sweep_at AS from_at,
    o.sweep_at AS to_at,
    NULL AS amount
FROM out_of_sync_replicas AS o
INNER JOIN metadata AS m ON o.cluster = m.cluster AND o.sweep_at = m.sweep_at
INNER JOIN topic_days AS d ON o.cluster = d.cluster AND o.topic = d.topic
-- sweeps of the day alone; the minimum is that of its end, and the leader's own count tells whether it held before
INNER JOIN broker_sweeps AS b ON o.cluster = b.cluster AND o.sweep_at = b.sweep_at AND o.leader = b.broker
WHERE
    -- a topic with fewer replicas than its minimum lacks none of them
    size(o.isr) < d.min_insync_replicas
    AND size(o.isr) < size(o.replicas)
    AND coalesce(b.under_min_isr_partitions > 0, TRUE)
UNION ALL
-- before 2.3 nothing counts what fetchers gave up, but they show no lag of it
SELECT
    o.cluster,
    'failed_fetch' AS cause,
    'suggestive' AS strength,
    o.topic,
    o.partition AS partition_id,
    o.follower AS broker,
    NULL AS log_dir,
    NULL AS offline_replicas,
    b.start_ms AS state_of,
    m.nth,
    o.to_sweep AS sweep_at,
    o.from_at,
    o.to_at,
    NULL AS amount
FROM out_of_sync_intervals AS o
INNER JOIN metadata AS m ON o.cluster = m.cluster AND o.to_sweep = m.sweep_at
INNER JOIN broker_sweeps AS b ON o.cluster = b.cluster AND o.follower = b.broker AND o.to_sweep = b.sweep_at
WHERE
    o.follower_failed IS NULL
    AND o.fetcher_lag IS NULL
    AND o.unchanged
    AND o.leader_same
    AND o.follower_same
    AND o.records > 0
    AND o.follower_records = 0
UNION ALL
-- where the new leader is seen, offset_rewind tells of it; of the others no more is known than which topics allow it
SELECT
    e.cluster,
    'unclean_election' AS cause,
    'conclusive' AS strength,
    t.topic,
    NULL AS partition_id,
    NULL AS broker,
    NULL AS log_dir,
    NULL AS offline_replicas,
    NULL AS state_of,
    0 AS nth,
    e.to_sweep AS sweep_at,
    e.from_sweep AS from_at,
    e.to_sweep AS to_at,
    e.exact_elections AS amount
FROM unclean_elections AS e
LEFT ANTI JOIN outside_leads AS o ON e.cluster = o.cluster AND e.to_sweep = o.to_sweep
LEFT JOIN topic_days AS t ON e.cluster = t.cluster AND t.unclean_election
WHERE e.exact_elections > 0
