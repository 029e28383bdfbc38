-- Topics that a broker's detection is about, and the groups that got on with them.
-- out: one row per cluster, cause, broker, topic and group
SELECT DISTINCT
    d.cluster,
    d.cause,
    d.broker,
    x.topic,
    1 AS ordinal,
    explode(coalesce(if(c.cause = 'redirect', x.passing_by, x.readers), array(NULL))) AS group_id
FROM fetch_latency_detections AS d
INNER JOIN caused_windows AS c ON d.cluster = c.cluster AND d.broker = c.broker AND d.cause = c.cause
LEFT JOIN topic_windows AS x
    ON
        c.cluster = x.cluster AND c.broker = x.broker AND c.time_window = x.time_window
        AND CASE
            WHEN c.cause = 'redirect' THEN x.bypassed
            WHEN c.look_expired IS NOT NULL THEN x.look_expired IS NOT NULL
            WHEN c.cause = 'min_bytes' THEN x.bytes_out > 0
            WHEN c.followed THEN x.followed
            ELSE x.selected
        END
