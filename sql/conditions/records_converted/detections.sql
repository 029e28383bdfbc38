-- Of which topics did brokers convert records between message formats, and how many?
-- in:  topic_counters, broker_counters, cluster_days, records_converted_thresholds
-- out: per topic and type of request, the most first: records a second over the measured day; of the cluster how many
--      brokers told it. From 4.0 on brokers convert nothing for consumers
WITH spans AS (
    SELECT
        c.cluster,
        min(b.from_at) AS from_at,
        max(b.to_at) AS to_at,
        count(DISTINCT if(b.conversions_known, b.broker, NULL)) AS measured,
        count(DISTINCT if(NOT b.conversions_known, b.broker, NULL)) AS unread
    FROM cluster_days AS c
    LEFT JOIN broker_counters AS b
        ON
            c.cluster = b.cluster AND b.kind = 'sweeps'
            AND coalesce(try_cast(split_part(b.kafka_release, '.', 1) AS INT) < 4, TRUE)
    GROUP BY c.cluster
),

converted AS (
    SELECT
        cluster,
        topic,
        metric,
        try_sum(amount) AS records
    FROM topic_counters
        UNPIVOT (amount FOR metric IN (fetch_conversions, produce_conversions))
    WHERE kind = 'sweeps' AND amount > 0
    GROUP BY cluster, topic, metric
),

ranked AS (
    SELECT
        c.cluster,
        c.topic,
        s.from_at,
        s.to_at,
        if(c.metric = 'fetch_conversions', 'for_consumers', 'of_producers') AS metric,
        try_divide(c.records * 1e6D, unix_micros(s.to_at) - unix_micros(s.from_at)) AS amount,
        row_number() OVER (PARTITION BY c.cluster ORDER BY c.records DESC, c.topic ASC, c.metric ASC) AS ordinal
    FROM converted AS c
    INNER JOIN spans AS s ON c.cluster = s.cluster AND s.to_at > s.from_at
    INNER JOIN records_converted_thresholds AS t ON c.cluster = t.cluster
    WHERE c.records * 1e6D >= t.min_records_s * (unix_micros(s.to_at) - unix_micros(s.from_at))
)

SELECT
    cluster,
    metric,
    'topic' AS kind,
    topic AS object_name,
    NULL AS object_detail,
    ordinal,
    amount,
    from_at,
    to_at,
    TRUE AS is_subject
FROM ranked
UNION ALL
SELECT
    cluster,
    metric,
    NULL AS kind,
    NULL AS object_name,
    NULL AS object_detail,
    0 AS ordinal,
    try_cast(amount AS DOUBLE) AS amount,
    from_at,
    to_at,
    FALSE AS is_subject
FROM spans UNPIVOT (amount FOR metric IN (measured, unread))
WHERE metric = 'measured' OR amount > 0
