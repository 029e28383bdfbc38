-- How many records each topic took in each interval, with the sums over partitions of slow and of timely leaders.
-- in:  partition_rates, skew_leaders
-- out: one row per cluster, topic and interval that is neither idle nor tiny; rates are records per s and partition
SELECT
    r.cluster,
    r.topic,
    r.from_sweep,
    r.to_sweep,
    cast(sum(cast(r.records / r.seconds AS DECIMAL(28, 12))) AS DOUBLE) AS rate_sum,
    cast(
        sum(cast(CASE WHEN s.pace = 'slow' THEN r.records / r.seconds ELSE 0 END AS DECIMAL(28, 12))) AS DOUBLE
    ) AS slow_rate_sum,
    cast(
        sum(cast(CASE WHEN s.pace = 'timely' THEN r.records / r.seconds ELSE 0 END AS DECIMAL(28, 12))) AS DOUBLE
    ) AS timely_rate_sum,
    min(r.from_at) AS from_at,
    max(r.to_at) AS to_at,
    max(r.seconds) AS seconds,
    count(*) AS partition_count,
    sum(r.records) AS records,
    max(r.records / r.seconds) AS max_rate,
    count_if(s.pace = 'slow') AS slow_partitions,
    count_if(s.pace = 'timely') AS timely_partitions
FROM partition_rates AS r
LEFT JOIN skew_leaders AS s
    ON r.cluster = s.cluster AND r.broker = s.broker AND r.from_sweep = s.from_sweep AND r.to_sweep = s.to_sweep
-- topics of Kafka itself are written by key
WHERE array_contains(:clusters, r.cluster) AND NOT coalesce(r.went_back, FALSE) AND substring(r.topic, 1, 2) != '__'
GROUP BY r.cluster, r.topic, r.from_sweep, r.to_sweep
HAVING count(*) >= :min_partitions AND sum(r.records) >= :min_records
