-- What is left of a window's expiries and fetches when all that is legal is taken off, beside what is read there.
-- in:  fetch_windows, legal_waits, unknown_waits, read_windows, look_windows, look_days, broker_days
-- out: one row per cluster, broker and window
WITH cluster_sizes AS (
    SELECT
        cluster,
        count(*) - 1 AS other_nodes
    FROM broker_days
    GROUP BY cluster
),

prompt_topics AS (
    SELECT
        cluster,
        broker,
        collect_set(topic) AS topics
    FROM look_days
    WHERE prompt
    GROUP BY cluster, broker
),

left_over AS (
    SELECT
        t.cluster,
        t.broker,
        t.time_window,
        t.from_at,
        t.to_at,
        t.seconds,
        t.fetches,
        t.expired,
        t.longest_s,
        t.wait_s,
        t.p50_ms,
        t.p75_ms,
        t.p95_ms,
        t.p98_ms,
        t.p99_ms,
        t.p999_ms,
        r.batches_per_s,
        r.read_topics,
        r.read_groups,
        r.read_bytes,
        r.selected_topics,
        r.selected_groups,
        r.selected_bytes,
        r.follower_topics,
        r.follower_groups,
        r.follower_bytes,
        r.bypassed_topics,
        r.bypassed_groups,
        u.stranger_share,
        u.unseen_share,
        u.delayed_members,
        k.look_topics,
        k.look_groups,
        k.look_bytes,
        k.proven AS look_proven,
        k.carried_bytes,
        array_except(r.follower_topics, coalesce(q.topics, array())) AS unsettled_topics,
        coalesce(l.legal_expired, 0) AS legal_expired,
        coalesce(l.legal_fetches, 0) AS legal_fetches,
        -- a look has seen at least so many
        greatest(
            t.expired - coalesce(l.legal_expired, 0) - u.unspent, CASE WHEN k.proven THEN k.expired END
        ) AS excess,
        -- KRaft controllers before 3.3 count the metadata fetches of the other nodes, one each 500 ms, as FetchConsumer
        t.fetches - coalesce(l.legal_expired, 0) - u.unspent
        - CASE
            WHEN
                b.process_roles LIKE '%controller%'
                AND b.was_active_controller
                AND regexp_like(b.kafka_release, '^(2[.]8|3[.][012])[.]')
                THEN least(t.fetches - t.expired, 2.0D * n.other_nodes * t.seconds)
            ELSE 0
        END AS busy_fetches
    FROM fetch_windows AS t
    INNER JOIN broker_days AS b ON t.cluster = b.cluster AND t.broker = b.broker
    INNER JOIN cluster_sizes AS n ON t.cluster = n.cluster
    INNER JOIN read_windows AS r ON t.cluster = r.cluster AND t.broker = r.broker AND t.time_window = r.time_window
    INNER JOIN unknown_waits AS u ON t.cluster = u.cluster AND t.broker = u.broker AND t.time_window = u.time_window
    LEFT JOIN legal_waits AS l ON t.cluster = l.cluster AND t.broker = l.broker AND t.time_window = l.time_window
    LEFT JOIN look_windows AS k ON t.cluster = k.cluster AND t.broker = k.broker AND t.time_window = k.time_window
    LEFT JOIN prompt_topics AS q ON t.cluster = q.cluster AND t.broker = q.broker
)

SELECT
    *,
    excess / greatest(busy_fetches, 1) AS busy_ratio,
    exp(-coalesce(batches_per_s, 0) * wait_s) AS moving_share,
    -- answers that came before the wait was over, per batch that arrived: delayed readers get few of them
    (busy_fetches - excess) / greatest(batches_per_s * seconds, 1) AS prompt_share
FROM left_over
