-- Leaders whose log ends before a leader's log ended at the sweep before, leaders from outside the in-sync replicas
-- where unclean elections were counted meanwhile, and coordinators whose next load of offsets is slow or stale.
-- out: one row per cause, partition and sweep, or broker. proven: as many unclean elections are certain as such
--      leaders came, and the replicas that were in sync had gone; else one may have come back into sync, or be an
--      eligible leader replica, and an election another partition's. sure: proven, or an offset committed beyond the
--      log's end; else it may be an unacknowledged tail or a crash
WITH found AS (
    SELECT
        cluster,
        'unclean_election' AS cause,
        topic,
        partition AS lost_partition,
        from_sweep,
        to_sweep,
        from_broker,
        broker,
        unclean_elections,
        same_topic,
        FALSE AS led_in_isr,
        FALSE AS committed_beyond,
        NULL AS from_log_end_offset,
        NULL AS log_end_offset,
        NULL AS offsets_log_mb,
        coalesce(replaced AND exact_elections >= count(*) OVER (PARTITION BY cluster, to_sweep), FALSE) AS proven
    FROM outside_leads
    UNION ALL
    SELECT
        l.cluster,
        'truncation' AS cause,
        l.topic,
        l.partition AS lost_partition,
        l.from_sweep,
        l.to_sweep,
        l.from_broker,
        l.broker,
        e.unclean_elections,
        l.same_topic,
        l.led_in_isr,
        -- without topic ids the commit may be one on a topic that is gone
        coalesce(l.same_topic AND l.committed_offset > l.log_end_offset, FALSE) AS committed_beyond,
        l.from_log_end_offset,
        l.log_end_offset,
        NULL AS offsets_log_mb,
        NULL AS proven
    FROM log_end_losses AS l
    LEFT JOIN unclean_elections AS e ON l.cluster = e.cluster AND l.to_sweep = e.to_sweep
    -- without topic ids a topic of which no partition is known to have stayed may have been created anew
    WHERE coalesce(l.same_topic, l.topic_stayed)
    UNION ALL
    SELECT
        cluster,
        'stale_load' AS cause,
        '__consumer_offsets' AS topic,
        NULL AS lost_partition,
        from_at AS from_sweep,
        to_at AS to_sweep,
        NULL AS from_broker,
        broker,
        NULL AS unclean_elections,
        NULL AS same_topic,
        NULL AS led_in_isr,
        FALSE AS committed_beyond,
        NULL AS from_log_end_offset,
        NULL AS log_end_offset,
        try_cast(offsets_log_mb AS BIGINT) AS offsets_log_mb,
        NULL AS proven
    FROM coordinator_logs
    WHERE unsafe
)

SELECT
    f.*,
    f.from_log_end_offset - f.log_end_offset AS records_lost,
    f.committed_beyond
    OR coalesce(
        NOT f.led_in_isr
        AND max(f.proven) OVER (PARTITION BY f.cluster, f.topic, f.lost_partition, f.to_sweep, f.broker)
        -- without topic ids the leader may be that of a topic created anew
        AND (f.cause = 'truncation' OR f.same_topic),
        FALSE
    ) AS sure
FROM found AS f
INNER JOIN offset_rewind_thresholds AS t ON f.cluster = t.cluster
-- a few records may be a tail that nobody acknowledged; with proof of the contrary each record counts
QUALIFY f.cause != 'truncation' OR sure OR records_lost >= t.min_lost
