-- Where the logs of replicas that were asked for producer ids began and ended at each of these sweeps.
-- in:  asked_replicas, raw_partitions, raw_brokers
-- out: one row per restart, sweep and partition. end_before: the log end that the agent had told before the broker was
--      asked for ids, so that what an id wrote later lies there or above: of the same sweep, or of the one before that.
WITH told AS (
    SELECT
        a.cluster,
        a.broker,
        a.from_sweep,
        a.to_sweep,
        a.sweep_at,
        a.topic,
        a.partition,
        max(p.log_start_offset) AS log_start_offset,
        min(p.log_end_offset) AS log_end_offset,
        -- read_at is the middle of the agent's request
        coalesce(max((unix_micros(a.asked_at) - unix_micros(p.read_at)) / 1e6D > b.seconds), FALSE) AS is_read_before
    FROM asked_replicas AS a
    INNER JOIN raw_partitions AS p
        ON
            a.cluster = p.cluster
            AND a.broker = p.broker
            AND a.sweep_at = p.sweep_at
            AND a.topic = p.topic
            AND a.partition = p.partition
    INNER JOIN raw_brokers AS b ON a.cluster = b.cluster AND a.broker = b.broker AND a.sweep_at = b.sweep_at
    WHERE p.log_start_offset >= 0 AND p.log_end_offset >= 0
    GROUP BY a.cluster, a.broker, a.from_sweep, a.to_sweep, a.sweep_at, a.topic, a.partition
)

SELECT
    cluster,
    broker,
    from_sweep,
    to_sweep,
    sweep_at,
    topic,
    partition,
    log_start_offset,
    log_end_offset,
    CASE
        WHEN is_read_before THEN log_end_offset
        ELSE lag(log_end_offset) OVER (PARTITION BY cluster, broker, to_sweep, topic, partition ORDER BY sweep_at)
    END AS end_before
FROM told
