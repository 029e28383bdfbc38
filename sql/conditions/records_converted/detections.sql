-- Of which topics did brokers convert records between message formats, and how many?
-- in:  topic_counters, broker_counters, broker_days, cluster_days, records_converted_thresholds
-- out: per topic and type of request, the most first: records a second over the measured day; of the cluster how many
--      brokers told all of it, and how many did not. From 4.0 on brokers convert nothing for consumers; those of 2.8.0
--      to 3.4.0 leave out what they convert for them (KAFKA-14295)
WITH brokers AS (
    SELECT
        c.cluster,
        b.broker,
        min(i.from_at) AS from_at,
        max(i.to_at) AS to_at,
        coalesce(
            max(try_cast(split_part(b.kafka_release, '.', 1) AS INT)) >= 4
            OR max(i.conversions_read) AND NOT (
                left(max(b.kafka_release), 4) IN ('2.8.', '3.0.', '3.1.', '3.2.', '3.3.')
                OR max(b.kafka_release) LIKE '3.4.0%'
            ), FALSE
        ) AS is_told
    FROM cluster_days AS c
    LEFT JOIN broker_days AS b ON c.cluster = b.cluster AND b.is_broker
    LEFT JOIN broker_counters AS i ON b.cluster = i.cluster AND b.broker = i.broker AND i.kind = 'sweeps'
    GROUP BY c.cluster, b.broker
),

spans AS (
    SELECT
        cluster,
        min(from_at) AS from_at,
        max(to_at) AS to_at,
        count_if(is_told) AS measured,
        count_if(NOT is_told) AS unread
    FROM brokers
    GROUP BY cluster
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
