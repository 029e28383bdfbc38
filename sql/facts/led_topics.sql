-- How many partitions of each topic a broker held and led at each sweep.
-- in:  raw_partitions
-- out: one row per broker, topic and sweep; counts
SELECT
    cluster,
    broker,
    sweep_at,
    topic,
    count_if(replicas_count > 0) AS leaders,
    count(*) AS replicas
FROM raw_partitions
GROUP BY cluster, broker, sweep_at, topic
