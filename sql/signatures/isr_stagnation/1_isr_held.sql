-- What each wait for the in-sync set was.
-- out: the rows of out_of_sync_intervals with held_as: changed, unread, restarted, lagging, reassignment, idle,
--      unproven, expanding or frozen. is_moved: the leader has reassignments, and the partition has more replicas than
--      its topic needs, or fewer partitions of the cluster do than the leader reassigns
WITH shapes AS (
    SELECT
        cluster,
        topic,
        min(fewest_replicas) AS fewest_replicas
    FROM topic_shapes
    GROUP BY cluster, topic
),

-- partitions of the cluster that show that they are moved, when they were most
moves AS (
    SELECT
        cluster,
        try_sum(larger_partitions) AS larger_partitions,
        row_number() OVER (PARTITION BY cluster ORDER BY try_sum(larger_partitions) DESC) AS place
    FROM topic_shapes
    GROUP BY cluster, sweep_at
)

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
    w.records,
    w.from_lag,
    w.lag,
    w.fetcher_lag,
    w.isr_expands,
    w.failed_isr_updates,
    w.reassigning_partitions > 0
    AND coalesce(w.replica_count > s.fewest_replicas OR m.larger_partitions < w.reassigning_partitions, TRUE)
        AS is_moved,
    -- what arrives in max_lag_s, and between the reads of the two brokers, is no lag
    coalesce(try_divide((t.max_lag_s + abs(w.read_gap_s)) * w.records, w.seconds), 0.0D) AS timely_lag,
    CASE
        WHEN NOT w.unchanged THEN 'changed'
        WHEN NOT w.leader_same OR NOT w.follower_same THEN 'restarted'
        WHEN
            w.leader_same IS NULL OR w.follower_same IS NULL OR w.isr_expands IS NULL
            OR coalesce(w.records, -1) < 0 OR w.follower_records IS NULL OR w.lag IS NULL
            THEN 'unread'
        WHEN
            w.lag > greatest(t.max_lag, timely_lag)
            OR w.fetcher_lag > greatest(t.max_lag, try_divide(t.max_lag_s * w.records, w.seconds))
            -- a log that stands still while records arrive is not fetched
            OR (w.records > 0 AND w.follower_records <= 0)
            THEN 'lagging'
        WHEN is_moved THEN 'reassignment'
        WHEN w.records = 0 THEN 'idle'
        -- it fetches, but nothing proves that it keeps up, or that the leader, whose own count is read with its log end
        -- and may be newer than the metadata, has not taken it back
        WHEN
            w.follower_failed > 0 OR w.follower_dead > 0 OR w.lag > greatest(w.from_lag, ceil(timely_lag))
            OR w.leader_isr_count >= w.replica_count
            THEN 'unproven'
        WHEN w.isr_expands > 0 THEN 'expanding'
        ELSE 'frozen'
    END AS held_as
FROM out_of_sync_intervals AS w
INNER JOIN isr_stagnation_thresholds AS t ON w.cluster = t.cluster
LEFT JOIN shapes AS s ON w.cluster = s.cluster AND w.topic = s.topic
LEFT JOIN moves AS m ON w.cluster = m.cluster AND m.place = 1
WHERE w.seconds > 0
