-- Leaders whose log ends before a leader's log ended at the sweep before.
-- in:  log_end_losses, unclean_elections, unclean_leaders
-- out: one row per partition and loss. sure: an unclean election of its leader is proven, or an offset committed beyond
--      the log's end; else it may be an unacknowledged tail or a crash
WITH judged AS (
    SELECT
        l.cluster,
        l.topic,
        l.partition,
        l.from_sweep,
        l.to_sweep,
        l.from_broker,
        l.broker,
        l.from_log_end_offset,
        l.log_end_offset,
        l.records_lost,
        l.led_in_isr,
        e.unclean_elections,
        coalesce(NOT l.led_in_isr AND u.proven, FALSE)
        -- without topic ids the commit may be one on a topic that is gone
        OR coalesce(l.same_topic AND l.committed_offset > l.log_end_offset, FALSE) AS sure
    FROM log_end_losses AS l
    LEFT JOIN unclean_elections AS e ON l.cluster = e.cluster AND l.to_sweep = e.to_sweep
    LEFT JOIN unclean_leaders AS u
        ON
            l.cluster = u.cluster
            AND l.topic = u.topic
            AND l.partition = u.partition
            AND l.to_sweep = u.to_sweep
            AND l.broker = u.broker
    WHERE
        array_contains(:clusters, l.cluster)
        -- without topic ids a topic of which no partition is known to have stayed may have been created anew
        AND coalesce(l.same_topic, l.partitions_back < l.partitions_of_topic)
)

SELECT * FROM judged
-- a few records may be a tail that nobody acknowledged; with proof of the contrary each record counts
WHERE records_lost >= :min_lost OR sure
