-- How often something arrives for each group member at each broker that hosts partitions assigned to it: batches, not
-- records, since a waiting fetch is woken once per batch.
WITH batches AS (
    SELECT
        cluster,
        topic,
        to_sweep,
        kind,
        -- 1 record per batch when the brokers' counters do not tell
        greatest(1.0D, try_divide(try_sum(messages_in), try_sum(produce_batches))) AS records_per_batch,
        try_sum(try_cast(try_divide(produce_batches, seconds) AS DECIMAL(28, 9))) AS batches_per_s
    FROM topic_counters
    GROUP BY cluster, topic, to_sweep, kind
),

-- few topics of a large cluster are assigned to members: the rates of the others need not be moved about
rates AS (
    SELECT
        r.cluster,
        r.to_sweep,
        r.topic,
        r.partition,
        max(try_divide(r.records, r.seconds)) AS records_per_s
    FROM partition_rates AS r
    LEFT SEMI JOIN raw_group_assignments AS a
        ON r.cluster = a.cluster AND r.topic = a.topic AND r.partition = a.partition
    WHERE NOT r.went_back
    GROUP BY r.cluster, r.to_sweep, r.topic, r.partition
),

assigned AS (
    SELECT DISTINCT
        a.cluster,
        s.sweep_at,
        a.group_id,
        a.member_id,
        a.topic,
        a.partition,
        t.leader,
        t.replicas,
        s.partition_count AS partitions_of_topic,
        r.records_per_s
    FROM raw_group_assignments AS a
    INNER JOIN topic_shapes AS s
        ON a.cluster = s.cluster AND a.topic = s.topic AND s.sweep_at BETWEEN a.sweep_at AND a.last_sweep_at
    INNER JOIN raw_topics AS t
        ON
            a.cluster = t.cluster AND a.topic = t.topic AND a.partition = t.partition
            AND s.sweep_at BETWEEN t.sweep_at AND t.last_sweep_at
    LEFT JOIN rates AS r
        ON a.cluster = r.cluster AND s.sweep_at = r.to_sweep AND a.topic = r.topic AND a.partition = r.partition
),

arrivals AS (
    SELECT
        c.*,
        s.group_id,
        s.member_id,
        s.topic,
        s.leader = c.broker AS led,
        -- where the partition's own rate was not measured, its share of the topic's
        coalesce(
            try_divide(if(c.kind = 'sweeps', s.records_per_s, NULL), coalesce(b.records_per_batch, 1.0D)),
            try_divide(b.batches_per_s, s.partitions_of_topic),
            0.0D
        ) AS arrivals_per_s
    FROM broker_counters AS c
    INNER JOIN assigned AS s
        ON c.cluster = s.cluster AND c.to_sweep = s.sweep_at AND array_contains(s.replicas, c.broker)
    LEFT JOIN batches AS b
        ON c.cluster = b.cluster AND c.to_sweep = b.to_sweep AND c.kind = b.kind AND s.topic = b.topic
)

SELECT
    cluster,
    broker,
    kind,
    to_sweep,
    group_id,
    member_id,
    topic,
    try_cast(try_sum(try_cast(if(led, arrivals_per_s, 0) AS DECIMAL(28, 9))) AS DOUBLE) AS led_arrivals_per_s,
    try_cast(try_sum(try_cast(arrivals_per_s AS DECIMAL(28, 9))) AS DOUBLE) AS hosted_arrivals_per_s,
    max(seconds) AS seconds,
    count_if(led) AS led_partitions
FROM arrivals
GROUP BY cluster, broker, kind, to_sweep, group_id, member_id, topic
