-- Followers that an in-sync set lacks, at each sweep with metadata, and what their brokers and leaders showed then.
WITH sweeps AS (
    SELECT
        cluster,
        sweep_at,
        lag(sweep_at) OVER (PARTITION BY cluster ORDER BY sweep_at) AS previous_sweep
    FROM cluster_sweeps
    WHERE topics_read
),

-- what the controller told the brokers; a set that is short at its leader alone has lost any of its followers
short_sets AS (
    SELECT
        s.sweep_at AS seen_at,
        t.*,
        explode(array_except(t.replicas, t.isr)) AS follower
    FROM raw_topics AS t
    INNER JOIN sweeps AS s ON t.cluster = s.cluster AND s.sweep_at BETWEEN t.sweep_at AND t.last_sweep_at
    WHERE t.leader IS NOT NULL AND size(t.isr) < size(t.replicas)
    UNION ALL
    SELECT
        p.sweep_at AS seen_at,
        t.*,
        explode(array_remove(t.replicas, t.leader)) AS follower
    FROM raw_partitions AS p
    INNER JOIN raw_topics AS t
        ON
            p.cluster = t.cluster
            AND p.sweep_at BETWEEN t.sweep_at AND t.last_sweep_at
            AND p.topic = t.topic AND p.partition = t.partition AND p.broker = t.leader
    WHERE p.replicas_count > 0 AND p.isr_count < p.replicas_count AND size(t.isr) >= size(t.replicas)
)

SELECT
    m.cluster,
    m.seen_at AS sweep_at,
    s.previous_sweep,
    m.topic,
    m.partition,
    m.topic_id,
    m.leader,
    m.follower,
    m.replicas,
    sort_array(m.isr) AS isr,
    b.broker IS NOT NULL AS is_listed,
    max(f.lag) AS fetcher_lag,
    max(if(p.broker = m.leader, p.isr_count, NULL)) AS leader_isr_count,
    max(if(p.broker = m.leader, p.log_end_offset, NULL)) AS leader_log_end_offset,
    max(if(p.broker = m.leader, p.read_at, NULL)) AS leader_read_at,
    max(if(p.broker = m.follower, p.log_end_offset, NULL)) AS follower_log_end_offset,
    max(if(p.broker = m.follower, p.read_at, NULL)) AS follower_read_at
FROM short_sets AS m
INNER JOIN sweeps AS s ON m.cluster = s.cluster AND m.seen_at = s.sweep_at
LEFT JOIN raw_brokers AS b
    ON m.cluster = b.cluster AND m.seen_at = b.sweep_at AND m.follower = b.broker AND b.host IS NOT NULL
LEFT JOIN raw_partitions AS p
    ON
        m.cluster = p.cluster AND m.seen_at = p.sweep_at AND m.topic = p.topic AND m.partition = p.partition
        AND p.broker IN (m.leader, m.follower)
LEFT JOIN raw_fetcher_lags AS f
    ON
        m.cluster = f.cluster AND m.seen_at = f.sweep_at AND m.topic = f.topic AND m.partition = f.partition
        AND m.follower = f.broker
GROUP BY ALL
