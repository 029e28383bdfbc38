-- How many records each topic took in each interval, with the sums over partitions of slow and of timely leaders.
-- in:  partition_rates, skew_leaders
-- out: one row per cluster, topic and interval that is neither idle nor tiny; rates are records per s and partition
-- a leader was read once in an interval, so its partitions share the seconds: whole records are summed first
WITH led AS (
    SELECT
        cluster,
        topic,
        broker,
        from_sweep,
        to_sweep,
        min(from_at) AS from_at,
        max(to_at) AS to_at,
        max(seconds) AS seconds,
        try_sum(records) AS records,
        max(records) AS max_records,
        count(*) AS partition_count
    FROM partition_rates
    -- topics of Kafka itself are written by key
    WHERE array_contains(:clusters, cluster) AND NOT coalesce(went_back, FALSE) AND substring(topic, 1, 2) != '__'
    GROUP BY cluster, topic, broker, from_sweep, to_sweep
)

SELECT
    r.cluster,
    r.topic,
    r.from_sweep,
    r.to_sweep,
    try_cast(try_sum(try_cast(try_divide(r.records, r.seconds) AS DECIMAL(28, 12))) AS DOUBLE) AS rate_sum,
    try_cast(
        try_sum(try_cast(if(s.pace = 'slow', try_divide(r.records, r.seconds), 0) AS DECIMAL(28, 12))) AS DOUBLE
    ) AS slow_rate_sum,
    try_cast(
        try_sum(try_cast(if(s.pace = 'timely', try_divide(r.records, r.seconds), 0) AS DECIMAL(28, 12))) AS DOUBLE
    ) AS timely_rate_sum,
    min(r.from_at) AS from_at,
    max(r.to_at) AS to_at,
    max(r.seconds) AS seconds,
    try_sum(r.partition_count) AS partition_count,
    try_sum(r.records) AS records,
    max(try_divide(r.max_records, r.seconds)) AS max_rate,
    coalesce(try_sum(r.partition_count) FILTER (WHERE s.pace = 'slow'), 0) AS slow_partitions,
    coalesce(try_sum(r.partition_count) FILTER (WHERE s.pace = 'timely'), 0) AS timely_partitions,
    coalesce(try_sum(r.partition_count) FILTER (WHERE s.pace IS NOT NULL), 0) AS paced_partitions
FROM led AS r
LEFT JOIN skew_leaders AS s
    ON r.cluster = s.cluster AND r.broker = s.broker AND r.from_sweep = s.from_sweep AND r.to_sweep = s.to_sweep
GROUP BY r.cluster, r.topic, r.from_sweep, r.to_sweep
HAVING try_sum(r.partition_count) >= :min_partitions AND try_sum(r.records) >= :min_records
