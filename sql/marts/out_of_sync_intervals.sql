-- Followers that the cluster lists and the in-sync set lacks, from one sweep to the next.
WITH waits AS (
    SELECT
        *,
        lag(sweep_at) OVER before AS from_sweep,
        lag(is_listed) OVER before AS was_listed,
        lag(leader) OVER before = leader
        AND lag(replicas) OVER before = replicas
        AND lag(isr) OVER before = isr
        AND lag(topic_id) OVER before <=> topic_id AS unchanged,
        lag(leader_log_end_offset) OVER before AS from_leader_end,
        lag(follower_log_end_offset) OVER before AS from_follower_end
    FROM out_of_sync_replicas
    WINDOW before AS (PARTITION BY cluster, topic, partition, follower ORDER BY sweep_at)
),

spans AS (
    SELECT
        i.* EXCEPT (same_process),
        c.isr_expands,
        t.partition_count,
        i.same_process AND i.seconds > 0 AS same_process,
        t.failed_isr_updates - f.failed_isr_updates AS failed_isr_updates,
        greatest(f.reassigning_partitions, t.reassigning_partitions) AS reassigning_partitions,
        greatest(f.fetcher_failed_partitions, t.fetcher_failed_partitions) AS failed_partitions,
        greatest(f.fetcher_dead_threads, t.fetcher_dead_threads) AS dead_threads
    FROM broker_intervals AS i
    LEFT JOIN broker_counters AS c
        ON
            i.cluster = c.cluster AND i.broker = c.broker AND i.from_sweep = c.from_sweep AND i.to_sweep = c.to_sweep
            AND NOT c.ran_back
    LEFT JOIN raw_broker_metrics AS t ON i.cluster = t.cluster AND i.broker = t.broker AND i.to_sweep = t.sweep_at
    LEFT JOIN raw_broker_metrics AS f ON i.cluster = f.cluster AND i.broker = f.broker AND i.from_sweep = f.sweep_at
    WHERE i.kind = 'sweeps'
)

SELECT
    w.cluster,
    w.topic,
    w.partition,
    w.leader,
    w.follower,
    w.from_sweep,
    w.sweep_at AS to_sweep,
    w.leader_isr_count,
    w.fetcher_lag,
    l.same_process AS leader_same,
    f.same_process AS follower_same,
    l.isr_expands,
    l.failed_isr_updates,
    l.reassigning_partitions,
    l.partition_count AS leader_replicas,
    f.failed_partitions AS follower_failed,
    f.dead_threads AS follower_dead,
    w.unchanged AND w.was_listed AS unchanged,
    w.follower = get(w.replicas, 0) AS is_preferred,
    size(w.replicas) AS replica_count,
    size(w.isr) AS isr_count,
    coalesce(l.from_at, w.from_sweep) AS from_at,
    coalesce(l.to_at, w.sweep_at) AS to_at,
    coalesce(l.seconds, (unix_micros(w.sweep_at) - unix_micros(w.from_sweep)) / 1e6D) AS seconds,
    w.leader_log_end_offset - w.from_leader_end AS records,
    w.follower_log_end_offset - w.from_follower_end AS follower_records,
    w.from_leader_end - w.from_follower_end AS from_lag,
    w.leader_log_end_offset - w.follower_log_end_offset AS lag,
    (unix_micros(w.follower_read_at) - unix_micros(w.leader_read_at)) / 1e6D AS read_gap_s
FROM waits AS w
LEFT JOIN spans AS l
    ON w.cluster = l.cluster AND w.leader = l.broker AND w.from_sweep = l.from_sweep AND w.sweep_at = l.to_sweep
LEFT JOIN spans AS f
    ON w.cluster = f.cluster AND w.follower = f.broker AND w.from_sweep = f.from_sweep AND w.sweep_at = f.to_sweep
WHERE w.from_sweep = w.previous_sweep AND w.is_listed AND to_date(w.sweep_at) = :ds
