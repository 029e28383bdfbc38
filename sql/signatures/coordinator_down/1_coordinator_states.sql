-- In which intervals did a broker's coordinators show that they are not there, or that nothing compacts their offsets?
-- in:  broker_counters, coordinator_intervals, topic_days, coordinator_down_thresholds
-- out: one row per kind, broker and interval. nth: of the broker's intervals; rows with consecutive ones are one state
WITH intervals AS (
    SELECT
        *,
        row_number() OVER (PARTITION BY cluster, broker ORDER BY to_at) AS nth,
        max(kind = 'start') OVER (PARTITION BY cluster, to_sweep) AS restarted,
        -- what may be live at most: a record of a group has as much as a message may, one of an offset far less
        1e6D * groups + 1e3D * group_offsets AS live_bytes
    FROM broker_counters
),

lives AS (
    SELECT
        cluster,
        broker,
        max(live_bytes) AS live_bytes,
        max(group_offsets) AS group_offsets
    FROM intervals
    GROUP BY cluster, broker
),

most AS (
    SELECT
        cluster,
        try_sum(try_cast(live_bytes AS BIGINT)) AS live_bytes,
        try_sum(group_offsets) AS group_offsets
    FROM lives
    GROUP BY cluster
)

SELECT
    c.cluster,
    c.broker,
    c.nth,
    c.from_at,
    c.to_at,
    c.from_offsets_log_bytes,
    c.offsets_log_bytes,
    c.offsets_failed,
    a.loading,
    a.transactions_loading,
    a.unavailable,
    a.transactions_unavailable,
    m.group_offsets,
    coalesce(a.leaderless, 0) AS leaderless,
    -- what is known to be compacted when half of it is dirty
    coalesce(contains(d.cleanup_policy, 'compact') AND d.min_cleanable_ratio <= 0.5, FALSE) AS is_compacted,
    explode(
        array_compact(
            array(
                if(c.offsets_failed > 0, 'failed', NULL),
                -- what a broker came to lead it has to load
                if(
                    c.kind = 'sweeps' AND a.group_moves = 0 AND (a.loading > 0 OR c.offsets_loading > 0),
                    'loading', NULL
                ),
                if(a.transactions_loading > 0 AND a.transaction_moves = 0, 'transactions_loading', NULL),
                if(a.unavailable > 0 AND NOT c.restarted, 'unavailable', NULL),
                if(a.transactions_unavailable > 0 AND NOT c.restarted, 'transactions_unavailable', NULL),
                if(
                    c.offsets_log_bytes >= c.from_offsets_log_bytes
                    AND c.offsets_log_bytes
                    >= 1e9D * t.min_log_gb + 2D * m.live_bytes + 2D * coalesce(d.segment_bytes, 0),
                    'growing', NULL
                )
            )
        )
    ) AS kind
FROM intervals AS c
INNER JOIN coordinator_down_thresholds AS t ON c.cluster = t.cluster
INNER JOIN most AS m ON c.cluster = m.cluster
LEFT JOIN coordinator_intervals AS a
    ON c.cluster = a.cluster AND c.broker = a.broker AND c.to_sweep = a.to_sweep AND c.kind = 'sweeps'
LEFT JOIN topic_days AS d ON c.cluster = d.cluster AND d.topic = '__consumer_offsets'
