-- What each wait for the in-sync set was.
-- in:  isr_waits, topic_shapes
-- out: the rows of isr_waits with held_as: changed, unread, restarted, lagging, reassignment, idle, unproven, expanding
--      or frozen. is_moved: the leader has reassignments, and the partition has more replicas than its topic needs, or
--      fewer partitions of the cluster do than the leader reassigns. chance: that an expansion of this very set falls
--      so near to the reads that a healthy follower looks left out
WITH shapes AS (
    SELECT
        cluster,
        topic,
        min(fewest_replicas) AS fewest_replicas
    FROM topic_shapes
    WHERE array_contains(:clusters, cluster)
    GROUP BY cluster, topic
),

-- partitions of the cluster that show that they are moved, when they were most
moves_at AS (
    SELECT
        cluster,
        sweep_at,
        try_sum(larger_partitions) AS larger_partitions
    FROM topic_shapes
    WHERE array_contains(:clusters, cluster)
    GROUP BY cluster, sweep_at
),

moves AS (
    SELECT
        cluster,
        max(larger_partitions) AS larger_partitions
    FROM moves_at
    GROUP BY cluster
),

judged AS (
    SELECT
        w.cluster,
        w.topic,
        w.partition,
        w.leader,
        w.follower,
        w.from_sweep,
        w.to_sweep,
        w.from_at,
        w.to_at,
        w.seconds,
        w.is_preferred,
        w.replica_count,
        w.isr_count,
        w.leader_isr_count,
        w.leader_replicas,
        w.unchanged,
        w.leader_same,
        w.follower_same,
        w.records,
        w.follower_records,
        w.from_lag,
        w.lag,
        w.fetcher_lag,
        w.isr_expands,
        w.failed_isr_updates,
        -- the leader's own count, read with its log end: metadata may be older by a moment
        coalesce(w.leader_isr_count >= w.replica_count, FALSE) AS leader_says_whole,
        coalesce(w.follower_failed > 0, FALSE) OR coalesce(w.follower_dead > 0, FALSE) AS fetcher_broken,
        coalesce(w.reassigning_partitions > 0, FALSE)
        AND coalesce(
            w.replica_count > s.fewest_replicas OR m.larger_partitions < w.reassigning_partitions, TRUE
        ) AS is_moved,
        least(1D, try_divide(w.isr_expands * :settle_s, w.seconds)) AS chance,
        -- what arrives in max_lag_s, and between the reads of the two brokers, is no lag
        try_divide((:max_lag_s + abs(w.read_gap_s)) * w.records, w.seconds) AS timely_lag,
        greatest(:max_lag, try_divide(:max_lag_s * w.records, w.seconds)) AS legal_fetcher_lag
    FROM isr_waits AS w
    LEFT JOIN shapes AS s ON w.cluster = s.cluster AND w.topic = s.topic
    LEFT JOIN moves AS m ON w.cluster = m.cluster
    WHERE array_contains(:clusters, w.cluster) AND w.seconds > 0
)

SELECT
    *,
    CASE
        WHEN NOT unchanged THEN 'changed'
        WHEN NOT leader_same OR NOT follower_same THEN 'restarted'
        WHEN
            leader_same IS NULL
            OR follower_same IS NULL
            OR records IS NULL
            OR records < 0
            OR lag IS NULL
            OR follower_records IS NULL
            OR isr_expands IS NULL
            THEN 'unread'
        WHEN
            lag > greatest(:max_lag, coalesce(timely_lag, 0))
            OR coalesce(fetcher_lag > legal_fetcher_lag, FALSE)
            -- a log that stands still while records arrive is not fetched
            OR (records > 0 AND follower_records <= 0)
            THEN 'lagging'
        WHEN is_moved THEN 'reassignment'
        WHEN records = 0 THEN 'idle'
        -- it fetches, but nothing proves that it keeps up, or that the leader could take it back
        WHEN fetcher_broken OR lag > greatest(from_lag, ceil(coalesce(timely_lag, 0))) OR leader_says_whole
            THEN 'unproven'
        WHEN isr_expands > 0 THEN 'expanding'
        ELSE 'frozen'
    END AS held_as
FROM judged
