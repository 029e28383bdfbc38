-- Followers that the cluster lists and the in-sync set lacks, from one sweep to the next.
-- in:  short_sets, raw_partitions, raw_fetcher_lags, raw_broker_metrics, broker_intervals, broker_counters
-- out: one row per partition, follower and pair of consecutive sweeps with metadata that both lack it. from_lag, lag:
--      the leader's log end less the follower's, as read at the first and the second sweep; read_gap_s: the follower
--      was read so much later. follower_failed, follower_dead: partitions that the follower's broker has given up
--      fetching, and fetcher threads of it that died, the more of both reads. Null where a read lacked it.
WITH waits AS (
    SELECT
        t.cluster,
        t.topic,
        t.partition,
        t.leader,
        t.follower,
        f.sweep_at AS from_sweep,
        t.sweep_at AS to_sweep,
        t.is_preferred,
        t.replica_count,
        t.isr_count,
        f.is_listed
        AND t.leader = f.leader
        AND t.replicas_hash = f.replicas_hash
        AND t.isr_hash = f.isr_hash
        AND t.topic_id <=> f.topic_id AS unchanged
    FROM short_sets AS t
    INNER JOIN short_sets AS f
        ON
            t.cluster = f.cluster
            AND t.sweep_number = f.sweep_number + 1
            AND t.topic = f.topic
            AND t.partition = f.partition
            AND t.follower = f.follower
    WHERE t.is_listed AND to_date(t.sweep_at) = :ds
),

wanted AS (
    SELECT
        cluster,
        topic,
        partition,
        leader,
        follower,
        from_sweep,
        to_sweep,
        explode(
            array(
                STRUCT(leader AS broker, from_sweep AS sweep_at),
                STRUCT(leader AS broker, to_sweep AS sweep_at),
                STRUCT(follower AS broker, from_sweep AS sweep_at),
                STRUCT(follower AS broker, to_sweep AS sweep_at)
            )
        ) AS place
    FROM waits
),

ends AS (
    SELECT
        w.cluster,
        w.topic,
        w.partition,
        w.follower,
        w.to_sweep,
        max(CASE WHEN r.broker = w.leader AND r.sweep_at = w.from_sweep THEN r.log_end_offset END) AS leader_from,
        max(CASE WHEN r.broker = w.leader AND r.sweep_at = w.to_sweep THEN r.log_end_offset END) AS leader_to,
        max(CASE WHEN r.broker = w.follower AND r.sweep_at = w.from_sweep THEN r.log_end_offset END) AS follower_from,
        max(CASE WHEN r.broker = w.follower AND r.sweep_at = w.to_sweep THEN r.log_end_offset END) AS follower_to,
        max(CASE WHEN r.broker = w.leader AND r.sweep_at = w.to_sweep THEN r.isr_count END) AS leader_isr_count,
        max(CASE WHEN r.broker = w.leader AND r.sweep_at = w.to_sweep THEN r.read_at END) AS leader_read_at,
        max(CASE WHEN r.broker = w.follower AND r.sweep_at = w.to_sweep THEN r.read_at END) AS follower_read_at
    FROM wanted AS w
    INNER JOIN raw_partitions AS r
        ON
            w.cluster = r.cluster
            AND w.place.broker = r.broker
            AND w.place.sweep_at = r.sweep_at
            AND w.topic = r.topic
            AND w.partition = r.partition
    GROUP BY w.cluster, w.topic, w.partition, w.follower, w.to_sweep
),

fetched AS (
    SELECT
        w.cluster,
        w.topic,
        w.partition,
        w.follower,
        w.to_sweep,
        max(r.lag) AS fetcher_lag
    FROM waits AS w
    INNER JOIN raw_fetcher_lags AS r
        ON
            w.cluster = r.cluster
            AND w.follower = r.broker
            AND w.to_sweep = r.sweep_at
            AND w.topic = r.topic
            AND w.partition = r.partition
    GROUP BY w.cluster, w.topic, w.partition, w.follower, w.to_sweep
),

spans AS (
    SELECT
        i.cluster,
        i.broker,
        i.from_sweep,
        i.to_sweep,
        i.from_at,
        i.to_at,
        i.seconds,
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
            i.cluster = c.cluster
            AND i.broker = c.broker
            AND i.from_sweep = c.from_sweep
            AND i.to_sweep = c.to_sweep
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
    w.to_sweep,
    w.is_preferred,
    w.replica_count,
    w.isr_count,
    w.unchanged,
    e.leader_isr_count,
    g.fetcher_lag,
    l.same_process AS leader_same,
    f.same_process AS follower_same,
    l.isr_expands,
    l.failed_isr_updates,
    l.reassigning_partitions,
    l.partition_count AS leader_replicas,
    f.failed_partitions AS follower_failed,
    f.dead_threads AS follower_dead,
    coalesce(l.from_at, w.from_sweep) AS from_at,
    coalesce(l.to_at, w.to_sweep) AS to_at,
    coalesce(l.seconds, (unix_micros(w.to_sweep) - unix_micros(w.from_sweep)) / 1e6D) AS seconds,
    e.leader_to - e.leader_from AS records,
    e.follower_to - e.follower_from AS follower_records,
    e.leader_from - e.follower_from AS from_lag,
    e.leader_to - e.follower_to AS lag,
    (unix_micros(e.follower_read_at) - unix_micros(e.leader_read_at)) / 1e6D AS read_gap_s
FROM waits AS w
LEFT JOIN ends AS e
    ON
        w.cluster = e.cluster
        AND w.topic = e.topic
        AND w.partition = e.partition
        AND w.follower = e.follower
        AND w.to_sweep = e.to_sweep
LEFT JOIN fetched AS g
    ON
        w.cluster = g.cluster
        AND w.topic = g.topic
        AND w.partition = g.partition
        AND w.follower = g.follower
        AND w.to_sweep = g.to_sweep
LEFT JOIN spans AS l
    ON w.cluster = l.cluster AND w.leader = l.broker AND w.from_sweep = l.from_sweep AND w.to_sweep = l.to_sweep
LEFT JOIN spans AS f
    ON w.cluster = f.cluster AND w.follower = f.broker AND w.from_sweep = f.from_sweep AND w.to_sweep = f.to_sweep
