-- What each wait for the in-sync set was.
-- in:  isr_waits
-- out: the rows of isr_waits with held_as: changed, unread, restarted, lagging, reassignment, expanding, idle or frozen
WITH judged AS (
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
        unchanged,
        leader_same,
        follower_same,
        records,
        from_lag,
        lag,
        fetcher_lag,
        isr_expands,
        failed_isr_updates,
        reassigning_partitions,
        -- what arrives in max_lag_s, and between the reads of the two brokers, is no lag
        greatest(:max_lag, try_divide((:max_lag_s + abs(read_gap_s)) * records, seconds)) AS legal_lag,
        greatest(:max_lag, try_divide(:max_lag_s * records, seconds)) AS legal_fetcher_lag
    FROM isr_waits
    WHERE array_contains(:clusters, cluster) AND seconds > 0
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
            OR isr_expands IS NULL
            THEN 'unread'
        WHEN lag > legal_lag OR coalesce(fetcher_lag > legal_fetcher_lag, FALSE) THEN 'lagging'
        WHEN reassigning_partitions > 0 THEN 'reassignment'
        WHEN isr_expands > 0 THEN 'expanding'
        WHEN records = 0 THEN 'idle'
        ELSE 'frozen'
    END AS held_as
FROM judged
