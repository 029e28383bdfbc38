-- Of which tiered topics do copies to remote storage fall behind?
-- in:  topic_counters, topic_days, cluster_days, remote_copies_behind_thresholds
-- out: per topic and broker, the largest lag first: the lag at the end, for how long it was not below min_gb, how many
--      copies failed in that time; of the cluster how many topics are tiered, and each whose lag nobody tells
WITH looks AS (
    SELECT
        d.cluster,
        d.topic,
        c.broker,
        c.from_at,
        c.to_at,
        c.remote_copy_errors,
        t.min_gb,
        t.min_hours,
        count(c.remote_copy_lag_bytes) OVER (PARTITION BY d.cluster, d.topic) > 0 AS is_told,
        -- a broker that leads no partition of the topic has no lag of it
        coalesce(c.remote_copy_lag_bytes, 0) / 1e9D AS lag_gb,
        max(if(coalesce(c.remote_copy_lag_bytes, 0) < 1e9D * t.min_gb, c.to_at, NULL)) OVER of_broker AS well_at
    FROM topic_days AS d
    INNER JOIN remote_copies_behind_thresholds AS t ON d.cluster = t.cluster
    LEFT JOIN topic_counters AS c ON d.cluster = c.cluster AND d.topic = c.topic AND c.kind = 'sweeps'
    WHERE d.is_tiered
    WINDOW of_broker AS (PARTITION BY d.cluster, d.topic, c.broker)
),

behind AS (
    SELECT
        cluster,
        topic,
        broker,
        coalesce(min(well_at), min(from_at)) AS from_at,
        max(to_at) AS to_at,
        (unix_micros(max(to_at)) - unix_micros(coalesce(min(well_at), min(from_at)))) / 3600e6D AS behind_hours,
        max_by(lag_gb, to_at) AS lag_gb,
        try_cast(try_sum(remote_copy_errors) AS DOUBLE) AS errors
    FROM looks
    WHERE lag_gb >= min_gb AND (well_at IS NULL OR to_at > well_at)
    GROUP BY cluster, topic, broker
    -- what gets less is being caught up
    HAVING behind_hours >= max(min_hours) AND max_by(lag_gb, to_at) >= min_by(lag_gb, to_at)
),

ranked AS (
    SELECT
        *,
        row_number() OVER (PARTITION BY cluster ORDER BY lag_gb DESC, topic ASC, broker ASC) AS ordinal
    FROM behind
),

topics AS (
    SELECT
        c.cluster,
        c.last_sweep,
        l.topic,
        if(max(l.is_told), 1, NULL) AS measured,
        if(NOT max(l.is_told), 1, NULL) AS unread,
        if(l.topic IS NULL, 1, NULL) AS none_tiered
    FROM cluster_days AS c
    LEFT JOIN looks AS l ON c.cluster = l.cluster
    GROUP BY c.cluster, c.last_sweep, l.topic
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
    metric = 'lag_gb' AS is_subject
FROM ranked UNPIVOT (amount FOR metric IN (lag_gb, behind_hours, errors))
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
FROM topics UNPIVOT (amount FOR metric IN (measured, unread, none_tiered))
