-- What each wait for the in-sync set was.
-- in:  out_of_sync_intervals, topic_shapes, isr_stagnation_thresholds
-- out: the rows of out_of_sync_intervals with held_as: changed, unread, restarted, lagging, reassignment, idle, unproven,
--      expanding or frozen. is_moved: the leader has reassignments, and the partition has more replicas than its topic
--      needs, or fewer partitions of the cluster do than the leader reassigns
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
),

judged AS (
    SELECT
        w.*,
        t.max_lag,
        w.reassigning_partitions > 0
        AND coalesce(w.replica_count > s.fewest_replicas OR m.larger_partitions < w.reassigning_partitions, TRUE)
            AS is_moved,
        -- what arrives in max_lag_s, and between the reads of the two brokers, is no lag
        coalesce(try_divide((t.max_lag_s + abs(w.read_gap_s)) * w.records, w.seconds), 0.0D) AS timely_lag,
        try_divide(t.max_lag_s * w.records, w.seconds) AS timely_fetcher_lag
    FROM out_of_sync_intervals AS w
    INNER JOIN isr_stagnation_thresholds AS t ON w.cluster = t.cluster
    LEFT JOIN shapes AS s ON w.cluster = s.cluster AND w.topic = s.topic
    LEFT JOIN moves AS m ON w.cluster = m.cluster AND m.place = 1
    WHERE w.seconds > 0
)

SELECT
    cluster,
    topic,
    partition,
    leader,
    follower,
    from_sweep,
    to_sweep,
    from_at,
    to_at,
    seconds,
    is_preferred,
    replica_count,
    isr_count,
    leader_isr_count,
    leader_replicas,
    records,
    from_lag,
    lag,
    fetcher_lag,
    isr_expands,
    failed_isr_updates,
    is_moved,
    CASE
        WHEN NOT unchanged THEN 'changed'
        WHEN NOT leader_same OR NOT follower_same THEN 'restarted'
        WHEN
            leader_same IS NULL OR follower_same IS NULL OR isr_expands IS NULL
            OR coalesce(records, -1) < 0 OR follower_records IS NULL OR lag IS NULL
            THEN 'unread'
        WHEN
            lag > greatest(max_lag, timely_lag) OR fetcher_lag > greatest(max_lag, timely_fetcher_lag)
            -- a log that stands still while records arrive is not fetched
            OR (records > 0 AND follower_records <= 0)
            THEN 'lagging'
        WHEN is_moved THEN 'reassignment'
        WHEN records = 0 THEN 'idle'
        -- it fetches, but nothing proves that it keeps up, or that the leader, whose own count is read with its log end
        -- and may be newer than the metadata, has not taken it back
        WHEN
            follower_failed > 0 OR follower_dead > 0 OR lag > greatest(from_lag, ceil(timely_lag))
            OR leader_isr_count >= replica_count
            THEN 'unproven'
        WHEN isr_expands > 0 THEN 'expanding'
        ELSE 'frozen'
    END AS held_as
FROM judged
