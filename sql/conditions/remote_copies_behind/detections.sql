-- Of which tiered topics do copies to remote storage fail, or fall behind?
-- in:  topic_counters, topic_days, cluster_days, remote_copies_behind_thresholds
-- out: per topic, broker and state that has lasted, the longest first: its hours, and the copies that failed or the
--      lag at the end; each tiered topic, and whether its lag is told. A broker computes the lag after a copy that
--      succeeds: while all of them fail it stays as it was
WITH looks AS (
    SELECT
        d.cluster,
        d.topic,
        c.broker,
        c.from_at,
        c.to_at,
        c.remote_copy_lag_bytes,
        try_cast(c.remote_copy_errors AS DOUBLE) AS failed,
        try_divide(c.remote_copy_errors * 3600D, c.seconds) AS failed_per_h,
        -- a broker that leads no partition of the topic has no lag of it; what is no more than a while brings is none
        if(
            c.remote_copy_lag_bytes >= try_divide(t.min_behind_s * c.bytes_in, c.seconds), c.remote_copy_lag_bytes, 0
        ) / 1e9D AS lag_gb
    FROM topic_days AS d
    INNER JOIN remote_copies_behind_thresholds AS t ON d.cluster = t.cluster
    LEFT JOIN topic_counters AS c
        ON d.cluster = c.cluster AND d.topic = c.topic AND c.kind = 'sweeps' AND c.seconds > 0
    WHERE d.is_tiered
),

states AS (
    SELECT
        l.cluster,
        l.topic,
        l.broker,
        l.from_at,
        l.to_at,
        l.state,
        l.amount,
        l.failed,
        t.min_hours,
        l.amount >= if(l.state = 'failed_per_h', t.min_failed_per_h, t.min_gb) AS is_ill,
        max(if(l.amount >= if(l.state = 'failed_per_h', t.min_failed_per_h, t.min_gb), NULL, l.to_at)) OVER (
            PARTITION BY l.cluster, l.topic, l.broker, l.state
        ) AS well_at
    FROM looks UNPIVOT (amount FOR state IN (failed_per_h, lag_gb)) AS l
    INNER JOIN remote_copies_behind_thresholds AS t ON l.cluster = t.cluster
),

behind AS (
    SELECT
        cluster,
        topic,
        broker,
        state,
        coalesce(min(well_at), min(from_at)) AS from_at,
        max(to_at) AS to_at,
        (unix_micros(max(to_at)) - unix_micros(coalesce(min(well_at), min(from_at)))) / 3600e6D AS behind_hours,
        if(state = 'failed_per_h', try_sum(failed), NULL) AS failed,
        if(state = 'lag_gb', max_by(amount, to_at), NULL) AS lag_gb
    FROM states
    WHERE is_ill AND (well_at IS NULL OR to_at > well_at)
    GROUP BY cluster, topic, broker, state
    -- a lag that gets less is being caught up
    HAVING behind_hours >= max(min_hours) AND (state = 'failed_per_h' OR max_by(amount, to_at) >= min_by(amount, to_at))
),

ranked AS (
    SELECT
        *,
        row_number() OVER (PARTITION BY cluster ORDER BY behind_hours DESC, topic ASC, broker ASC, state ASC) AS ordinal
    FROM behind
),

topics AS (
    SELECT
        c.cluster,
        c.last_sweep,
        l.topic,
        if(count(l.remote_copy_lag_bytes) > 0, 1, NULL) AS measured,
        if(count(l.topic) > 0 AND count(l.remote_copy_lag_bytes) = 0, 1, NULL) AS unread,
        if(c.configs_sweep IS NULL, 1, NULL) AS unread_settings,
        if(count(l.topic) = 0 AND c.configs_sweep IS NOT NULL, 1, NULL) AS none_tiered
    FROM cluster_days AS c
    LEFT JOIN looks AS l ON c.cluster = l.cluster
    GROUP BY c.cluster, c.last_sweep, c.configs_sweep, l.topic
)

SELECT
    cluster,
    metric,
    'broker' AS kind,
    topic AS object_name,
    cast(broker AS STRING) AS object_detail,
    ordinal,
    amount,
    from_at,
    to_at,
    metric = 'behind_hours' AS is_subject
FROM ranked UNPIVOT (amount FOR metric IN (behind_hours, failed, lag_gb))
UNION ALL
SELECT
    cluster,
    metric,
    'topic' AS kind,
    topic AS object_name,
    NULL AS object_detail,
    0 AS ordinal,
    try_cast(amount AS DOUBLE) AS amount,
    last_sweep AS from_at,
    last_sweep AS to_at,
    FALSE AS is_subject
FROM topics UNPIVOT (amount FOR metric IN (measured, unread, unread_settings, none_tiered))
