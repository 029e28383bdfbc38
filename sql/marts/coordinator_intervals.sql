-- Intervals of one broker process in which requests found no coordinator, or one that loads, and what explains it.
-- in:  broker_counters, error_counters, leaderless_partitions, raw_topics
WITH asked AS (
    SELECT
        c.cluster,
        c.broker,
        c.to_sweep,
        e.errors,
        c.offsets_loading,
        -- also the answer where a transaction cannot be verified (3.7.1) and where producer ids have run out (3.3.2)
        e.error = 'COORDINATOR_LOAD_IN_PROGRESS' AND e.request NOT IN ('Produce', 'TxnOffsetCommit')
        AND (e.request != 'InitProducerId' OR try_cast(split_part(c.kafka_release, '.', 1) AS INT) < 3) AS is_loading,
        e.error = 'COORDINATOR_NOT_AVAILABLE' AND e.request != 'Produce' AS is_unavailable,
        contains(e.request, 'Transactions') OR e.request = 'InitProducerId'
        OR (contains(e.request, 'Txn') AND e.request != 'TxnOffsetCommit') AS of_transactions
    FROM broker_counters AS c
    LEFT JOIN error_counters AS e
        ON
            c.cluster = e.cluster AND c.broker = e.broker AND c.to_sweep = e.to_sweep AND c.kind = e.kind
            AND e.error LIKE 'COORDINATOR_%'
    WHERE c.kind = 'sweeps'
),

answers AS (
    SELECT
        cluster,
        broker,
        to_sweep,
        coalesce(try_sum(errors) FILTER (WHERE is_loading AND NOT of_transactions), 0) AS loading,
        coalesce(try_sum(errors) FILTER (WHERE is_loading AND of_transactions), 0) AS transactions_loading,
        coalesce(try_sum(errors) FILTER (WHERE is_unavailable AND NOT of_transactions), 0) AS unavailable,
        coalesce(try_sum(errors) FILTER (WHERE is_unavailable AND of_transactions), 0) AS transactions_unavailable,
        max(offsets_loading) AS offsets_loading
    FROM asked
    GROUP BY cluster, broker, to_sweep
),

leads AS (
    SELECT
        cluster,
        topic,
        sweep_at,
        leader,
        -- the first sweep tells of no change
        NOT leader <=> lag(leader) OVER of_partition AND lag(topic) OVER of_partition IS NOT NULL AS is_new
    FROM raw_topics
    WHERE topic IN ('__consumer_offsets', '__transaction_state')
    WINDOW of_partition AS (PARTITION BY cluster, topic, partition ORDER BY sweep_at)
),

moves AS (
    SELECT
        cluster,
        leader,
        sweep_at,
        count_if(topic = '__consumer_offsets') AS group_moves,
        count_if(topic = '__transaction_state') AS transaction_moves
    FROM leads
    WHERE is_new
    GROUP BY cluster, leader, sweep_at
),

lost AS (
    SELECT
        cluster,
        sweep_at,
        count(*) AS leaderless
    FROM leaderless_partitions
    WHERE topic IN ('__consumer_offsets', '__transaction_state')
    GROUP BY cluster, sweep_at
)

SELECT
    a.* EXCEPT (offsets_loading),
    coalesce(l.leaderless, 0) AS leaderless,
    coalesce(m.group_moves, 0) AS group_moves,
    coalesce(m.transaction_moves, 0) AS transaction_moves
FROM answers AS a
LEFT JOIN lost AS l ON a.cluster = l.cluster AND a.to_sweep = l.sweep_at
LEFT JOIN moves AS m ON a.cluster = m.cluster AND a.broker = m.leader AND a.to_sweep = m.sweep_at
WHERE
    greatest(a.loading, a.transactions_loading, a.unavailable, a.transactions_unavailable, a.offsets_loading) > 0
