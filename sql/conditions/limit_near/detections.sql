-- Which broker came near the number of file descriptors or of connections that it may have?
-- in:  broker_sweeps, broker_settings, cluster_days, limit_near_thresholds
-- out: per broker and limit, of the sweep of the largest share: a row with that share, beside it, with its ordinal, one
--      with the number in use and one with the limit; a row per broker, and further ones where its descriptors or its
--      connections were not read
WITH used AS (
    SELECT
        cluster,
        broker,
        sweep_at,
        read_at,
        'descriptors' AS what,
        open_file_descriptors AS in_use,
        max_file_descriptors AS most
    FROM broker_sweeps
    UNION ALL
    SELECT
        s.cluster,
        s.broker,
        s.sweep_at,
        s.read_at,
        'connections' AS what,
        s.held_connections AS in_use,
        try_cast(l.config_value AS BIGINT) AS most
    FROM broker_sweeps AS s
    INNER JOIN broker_settings AS l ON s.cluster = l.cluster AND s.broker = l.broker AND l.name = 'max.connections'
),

ranked AS (
    SELECT
        *,
        try_divide(in_use, most) AS used_share,
        row_number() OVER (PARTITION BY cluster, broker, what ORDER BY try_divide(in_use, most) DESC, sweep_at ASC)
            AS place
    FROM used
    WHERE in_use >= 0 AND most > 0
),

worst AS (
    SELECT
        r.cluster,
        r.broker,
        r.what,
        r.read_at,
        r.used_share >= t.near_share AS is_near,
        if(is_near AND r.what = 'descriptors', r.used_share, NULL) AS descriptors,
        if(is_near AND r.what = 'connections', r.used_share, NULL) AS held,
        if(is_near, NULL, r.used_share) AS calm,
        try_cast(r.in_use AS DOUBLE) AS in_use,
        try_cast(r.most AS DOUBLE) AS most,
        row_number() OVER (PARTITION BY r.cluster ORDER BY r.used_share DESC, r.broker ASC, r.what ASC) AS ordinal
    FROM ranked AS r
    INNER JOIN limit_near_thresholds AS t ON r.cluster = t.cluster
    WHERE r.place = 1
),

brokers AS (
    SELECT
        c.cluster,
        c.first_sweep,
        c.last_sweep,
        s.broker,
        -- where the agent lets it be read at some sweep it was read
        if(count(s.broker) > 0 AND count(s.max_file_descriptors) = 0, 1D, NULL) AS unread,
        if(count(s.broker) > 0, 1D, NULL) AS brokers,
        -- the default is more than any broker has
        if(count(s.held_connections) = 0 AND max(try_cast(l.config_value AS BIGINT)) < 2147483647, 1D, NULL)
            AS unread_held,
        if(count(s.broker) = 0, 1D, NULL) AS no_brokers
    FROM cluster_days AS c
    LEFT JOIN broker_sweeps AS s ON c.cluster = s.cluster AND s.is_broker
    LEFT JOIN broker_settings AS l ON s.cluster = l.cluster AND s.broker = l.broker AND l.name = 'max.connections'
    GROUP BY c.cluster, c.first_sweep, c.last_sweep, s.broker
)

SELECT
    cluster,
    metric,
    'broker' AS kind,
    cast(broker AS STRING) AS object_name,
    what AS object_detail,
    ordinal,
    amount,
    read_at AS from_at,
    read_at AS to_at,
    metric IN ('descriptors', 'held') AS is_subject
FROM worst
    UNPIVOT (amount FOR metric IN (descriptors, held, calm, in_use, most))
UNION ALL
SELECT
    cluster,
    metric,
    'broker' AS kind,
    cast(broker AS STRING) AS object_name,
    NULL AS object_detail,
    0 AS ordinal,
    amount,
    first_sweep AS from_at,
    last_sweep AS to_at,
    FALSE AS is_subject
FROM brokers
    UNPIVOT (amount FOR metric IN (unread, unread_held, brokers, no_brokers))
