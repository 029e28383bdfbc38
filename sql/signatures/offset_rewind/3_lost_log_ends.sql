-- Leaders whose log ends before a leader's log ended at the sweep before.
-- in:  log_end_losses, coordinator_health, rewound_partitions
-- out: one row per partition and loss. sure: a leader from outside the ISR, an unclean election counted meanwhile, or
--      an offset committed beyond the log's end; else it may be an unacknowledged tail or a crash
WITH elections AS (
    SELECT
        cluster,
        to_sweep,
        sum(unclean_elections) AS unclean_elections
    FROM coordinator_health
    GROUP BY cluster, to_sweep
),

committed AS (
    SELECT DISTINCT
        cluster,
        topic,
        partition,
        to_sweep
    FROM rewound_partitions
    WHERE cause = 'truncation'
)

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
    coalesce(NOT l.led_in_isr, FALSE) OR coalesce(e.unclean_elections > 0, FALSE) OR c.cluster IS NOT NULL AS sure
FROM log_end_losses AS l
LEFT JOIN elections AS e ON l.cluster = e.cluster AND l.to_sweep = e.to_sweep
LEFT JOIN committed AS c
    ON l.cluster = c.cluster AND l.topic = c.topic AND l.partition = c.partition AND l.to_sweep = c.to_sweep
WHERE
    array_contains(:clusters, l.cluster)
    -- a few records may be a tail that nobody acknowledged; with proof of the contrary each record counts
    AND (
        l.records_lost >= :min_lost
        OR NOT coalesce(l.led_in_isr, TRUE)
        OR coalesce(e.unclean_elections > 0, FALSE)
        OR c.cluster IS NOT NULL
    )
    -- without topic ids a topic of which every partition went back was created anew
    AND coalesce(l.same_topic, l.partitions_back < l.partitions_of_topic)
