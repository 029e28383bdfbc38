-- Which brokers did quotas let hold back their clients, and for how long?
-- in:  handler_intervals, cluster_days, clients_throttled_thresholds
-- out: per broker and type of request, those held back for longest first: for how many hours, and for how much time in
--      a second, all requests added up; of the cluster how many brokers were measured. A client has up to five requests
--      under way, each with a time of its own, so that one client alone can have several seconds in a second
WITH intervals AS (
    SELECT
        cluster,
        broker,
        from_at,
        to_at,
        seconds,
        request,
        throttled_ms
    FROM handler_intervals
        UNPIVOT (throttled_ms FOR request IN (produce_throttled_ms, fetch_throttled_ms))
),

held AS (
    SELECT
        i.cluster,
        i.broker,
        if(i.request = 'produce_throttled_ms', 'Produce', 'Fetch') AS request,
        min(i.from_at) AS from_at,
        max(i.to_at) AS to_at,
        try_cast(try_sum(try_cast(i.seconds AS DECIMAL(28, 9))) AS DOUBLE) / 3600 AS held_hours,
        try_cast(
            try_divide(
                try_sum(try_cast(i.throttled_ms / 1e3D AS DECIMAL(28, 9))),
                try_sum(try_cast(i.seconds AS DECIMAL(28, 9)))
            ) AS DOUBLE
        ) AS held_s
    FROM intervals AS i
    INNER JOIN clients_throttled_thresholds AS t ON i.cluster = t.cluster
    WHERE i.throttled_ms >= 1e3D * t.min_s * i.seconds
    GROUP BY i.cluster, i.broker, i.request
),

ranked AS (
    SELECT
        h.*,
        row_number() OVER (
            PARTITION BY h.cluster ORDER BY h.held_hours DESC, h.held_s DESC, h.broker ASC, h.request DESC
        ) AS ordinal
    FROM held AS h
    INNER JOIN clients_throttled_thresholds AS t ON h.cluster = t.cluster
    WHERE h.held_hours >= t.min_hours
),

brokers AS (
    SELECT
        c.cluster,
        c.first_sweep,
        c.last_sweep,
        count(DISTINCT i.broker) AS measured,
        if(count(i.broker) = 0, 1, NULL) AS unread
    FROM cluster_days AS c
    LEFT JOIN intervals AS i ON c.cluster = i.cluster
    GROUP BY c.cluster, c.first_sweep, c.last_sweep
)

SELECT
    cluster,
    metric,
    'broker' AS kind,
    cast(broker AS STRING) AS object_name,
    request AS object_detail,
    ordinal,
    amount,
    from_at,
    to_at,
    metric = 'held_hours' AS is_subject
FROM ranked UNPIVOT (amount FOR metric IN (held_hours, held_s))
UNION ALL
SELECT
    cluster,
    metric,
    NULL AS kind,
    NULL AS object_name,
    NULL AS object_detail,
    0 AS ordinal,
    try_cast(amount AS DOUBLE) AS amount,
    first_sweep AS from_at,
    last_sweep AS to_at,
    FALSE AS is_subject
FROM brokers UNPIVOT (amount FOR metric IN (measured, unread))
