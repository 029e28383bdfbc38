-- Expiries beyond the legal ones per broker and window, and what causes them; a close look decides where there is one.
-- in:  fetch_windows, topic_windows, group_windows, follower_reads, bypassed_leaders, legal_waits, broker_days,
--      reader_sessions, fetch_spans, config_days, look_topics
-- out: one row per cluster, broker and window; cause is null where nothing is wrong. proven: no
--      healthy workload makes these rows. topics, groups and bytes_out are those of the cause
WITH topic_rates AS (
    SELECT
        cluster,
        topic,
        time_window,
        try_cast(try_sum(try_cast(try_divide(batches, seconds) AS DECIMAL(28, 9))) AS DOUBLE) AS batches_per_s
    FROM topic_windows
    GROUP BY cluster, topic, time_window
),

readers AS (
    SELECT
        cluster,
        topic,
        time_window,
        array_distinct(flatten(collect_list(groups))) AS groups
    FROM group_windows
    GROUP BY cluster, topic, time_window
),

-- expiries that members should have shown at their leaders and did not: those members may wait at a follower
unspent AS (
    SELECT
        t.cluster,
        t.time_window,
        try_cast(
            try_sum(
                try_cast(greatest(0, (1 - :missing_share) * l.legal_expired - t.expired) AS DECIMAL(28, 9))
            ) AS DOUBLE
        ) AS unspent
    FROM fetch_windows AS t
    INNER JOIN legal_waits AS l ON t.cluster = l.cluster AND t.broker = l.broker AND t.time_window = l.time_window
    GROUP BY t.cluster, t.time_window
),

-- topics read here whose readers are in no group: the slowest of them bounds the share that may expire legally
strangers AS (
    SELECT
        x.cluster,
        x.broker,
        x.time_window,
        max(exp(-coalesce(r.batches_per_s, 0) * w.wait_s)) AS legal_share
    FROM topic_windows AS x
    INNER JOIN fetch_windows AS w ON x.cluster = w.cluster AND x.broker = w.broker AND x.time_window = w.time_window
    LEFT JOIN topic_rates AS r ON x.cluster = r.cluster AND x.topic = r.topic AND x.time_window = r.time_window
    LEFT JOIN readers AS g ON x.cluster = g.cluster AND x.topic = g.topic AND x.time_window = g.time_window
    WHERE x.bytes_out > 0 AND g.topic IS NULL
    GROUP BY x.cluster, x.broker, x.time_window
),

-- topics of whose readers no member was seen here, as of a job between two sweeps: one that reads a single partition
-- may let this share expire
members_seen AS (
    SELECT DISTINCT
        m.cluster,
        m.broker,
        m.topic,
        s.time_window
    FROM reader_sessions AS m
    INNER JOIN fetch_spans AS s
        ON m.cluster = s.cluster AND m.broker = s.broker AND m.to_sweep = s.to_sweep AND m.kind = s.kind
    WHERE m.led_partitions > 0
),

unseen AS (
    SELECT
        x.cluster,
        x.broker,
        x.time_window,
        max(exp(try_divide(-x.batches, x.seconds) / greatest(x.leaders, 1) * w.wait_s)) AS unseen_share
    FROM topic_windows AS x
    INNER JOIN fetch_windows AS w ON x.cluster = w.cluster AND x.broker = w.broker AND x.time_window = w.time_window
    LEFT ANTI JOIN members_seen AS m
        ON x.cluster = m.cluster AND x.broker = m.broker AND x.topic = m.topic AND x.time_window = m.time_window
    WHERE x.bytes_out > 0
    GROUP BY x.cluster, x.broker, x.time_window
),

arrived AS (
    SELECT
        x.cluster,
        x.broker,
        x.time_window,
        max(r.batches_per_s) AS batches_per_s,
        sort_array(collect_set(x.topic)) AS topics,
        sort_array(array_distinct(flatten(collect_list(coalesce(g.groups, array()))))) AS groups,
        try_sum(x.bytes_out) AS bytes_out
    FROM topic_windows AS x
    INNER JOIN topic_rates AS r ON x.cluster = r.cluster AND x.topic = r.topic AND x.time_window = r.time_window
    LEFT JOIN readers AS g ON x.cluster = g.cluster AND x.topic = g.topic AND x.time_window = g.time_window
    WHERE x.bytes_out > 0
    GROUP BY x.cluster, x.broker, x.time_window
),

follower_arrived AS (
    SELECT
        cluster,
        broker,
        time_window,
        sort_array(collect_set(topic)) AS topics,
        sort_array(array_distinct(flatten(collect_list(groups)))) AS groups,
        try_sum(bytes_out) AS bytes_out
    FROM follower_reads
    GROUP BY cluster, broker, time_window
),

bypassed_arrived AS (
    SELECT
        cluster,
        broker,
        time_window,
        sort_array(collect_set(topic)) AS topics,
        sort_array(array_distinct(flatten(collect_list(groups)))) AS groups
    FROM bypassed_leaders
    GROUP BY cluster, broker, time_window
),

-- topics read here of which it follows a part, at brokers that may send consumers to a follower
selected AS (
    SELECT
        x.cluster,
        x.broker,
        x.time_window,
        sort_array(collect_set(x.topic)) AS topics,
        sort_array(array_distinct(flatten(collect_list(coalesce(g.groups, array()))))) AS groups,
        try_sum(x.bytes_out) AS bytes_out
    FROM topic_windows AS x
    INNER JOIN config_days AS c
        ON
            x.cluster = c.cluster
            AND x.broker = c.broker
            AND c.name = 'replica.selector.class'
            AND c.config_value != ''
    LEFT JOIN readers AS g ON x.cluster = g.cluster AND x.topic = g.topic AND x.time_window = g.time_window
    WHERE x.bytes_out > 0 AND x.replicas > x.leaders
    GROUP BY x.cluster, x.broker, x.time_window
),

-- group members that may wait here for what is read from it as a follower: each expires once per wait at most
delayed_members AS (
    SELECT
        m.cluster,
        m.broker,
        s.time_window,
        count(DISTINCT m.group_id, m.member_id) AS members
    FROM reader_sessions AS m
    INNER JOIN fetch_spans AS s
        ON m.cluster = s.cluster AND m.broker = s.broker AND m.to_sweep = s.to_sweep AND m.kind = s.kind
    INNER JOIN follower_reads AS f
        ON m.cluster = f.cluster AND m.broker = f.broker AND m.topic = f.topic AND s.time_window = f.time_window
    GROUP BY m.cluster, m.broker, s.time_window
),

-- one pass of readers over a topic: what it sends is what came in, so its readers are those of one group
passes AS (
    SELECT
        cluster,
        topic,
        time_window
    FROM topic_windows
    GROUP BY cluster, topic, time_window
    HAVING try_sum(bytes_out) <= :excess_factor * try_sum(bytes_in)
),

-- a slow reader's period may fall together with an idle one's within a look, not in look after look: with expiries
-- beside a share q of all slots, twice the bytes there has a chance of (1 + q) / 2 at most (Markov)
often AS (
    SELECT
        cluster,
        broker,
        topic,
        count_if(shows = 'prompt') = 0
        AND try_cast(
            try_sum(
                try_cast(
                    CASE WHEN shows = 'seems' THEN ln((1 + try_divide(waiting_slots, slots)) / 2) ELSE 0 END
                    AS DECIMAL(28, 9)
                )
            ) AS DOUBLE
        ) <= ln(:max_look_chance) AS proven
    FROM look_topics
    GROUP BY cluster, broker, topic
),

looks AS (
    SELECT
        k.cluster,
        k.broker,
        s.time_window,
        sort_array(collect_set(k.topic)) AS topics,
        sort_array(array_distinct(flatten(collect_list(coalesce(g.groups, array()))))) AS groups,
        max(x.bytes_out) AS bytes_out,
        max(CASE WHEN k.carried_expired > 0 THEN k.carried_expired ELSE k.expired END) AS expired,
        max(k.carried_bytes) AS carried_bytes,
        max(
            (k.leaders = 0 AND k.shows IN ('delayed', 'seems'))
            OR (k.shows IN ('partly', 'seems') AND e.topics IS NOT NULL AND p.topic IS NOT NULL)
        ) AS proven
    FROM look_topics AS k
    INNER JOIN fetch_spans AS s ON k.cluster = s.cluster AND k.broker = s.broker AND k.sweep_at = s.to_sweep
    INNER JOIN often AS o ON k.cluster = o.cluster AND k.broker = o.broker AND k.topic = o.topic
    LEFT JOIN topic_windows AS x
        ON k.cluster = x.cluster AND k.broker = x.broker AND k.topic = x.topic AND s.time_window = x.time_window
    LEFT JOIN readers AS g ON k.cluster = g.cluster AND k.topic = g.topic AND s.time_window = g.time_window
    LEFT JOIN selected AS e ON k.cluster = e.cluster AND k.broker = e.broker AND s.time_window = e.time_window
    LEFT JOIN passes AS p ON k.cluster = p.cluster AND k.topic = p.topic AND s.time_window = p.time_window
    WHERE k.shows IN ('delayed', 'partly', 'waits') OR (k.shows = 'seems' AND o.proven)
    GROUP BY k.cluster, k.broker, s.time_window
),

-- topics of which every look of the day shows that they go out at once
prompt_topics AS (
    SELECT
        cluster,
        broker,
        array_except(
            collect_set(CASE WHEN shows = 'prompt' THEN topic END),
            collect_set(CASE WHEN shows != 'prompt' THEN topic END)
        ) AS topics
    FROM look_topics
    GROUP BY cluster, broker
),

cluster_sizes AS (
    SELECT
        cluster,
        count(*) - 1 AS other_nodes
    FROM broker_days
    GROUP BY cluster
),

judged AS (
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
        a.batches_per_s,
        a.topics AS read_topics,
        a.groups AS read_groups,
        a.bytes_out AS read_bytes,
        f.topics AS follower_topics,
        f.groups AS follower_groups,
        f.bytes_out AS follower_bytes,
        y.topics AS bypassed_topics,
        y.groups AS bypassed_groups,
        e.topics AS selected_topics,
        e.groups AS selected_groups,
        e.bytes_out AS selected_bytes,
        k.topics AS look_topics,
        k.groups AS look_groups,
        k.bytes_out AS look_bytes,
        k.proven AS look_proven,
        k.carried_bytes,
        array_except(f.topics, coalesce(q.topics, array())) AS unsettled_topics,
        coalesce(d.members, 0) AS delayed_members,
        coalesce(l.legal_expired, 0) AS legal_expired,
        coalesce(l.legal_fetches, 0) AS legal_fetches,
        coalesce(s.legal_share, 0) AS stranger_share,
        coalesce(v.unseen_share, 0) AS unseen_share,
        -- a look has seen at least so many
        greatest(
            t.expired - coalesce(l.legal_expired, 0) - coalesce(u.unspent, 0), CASE WHEN k.proven THEN k.expired END
        ) AS excess,
        -- KRaft controllers before 3.3 count the metadata fetches of the other nodes, one each 500 ms, as FetchConsumer
        t.fetches - coalesce(l.legal_expired, 0) - coalesce(u.unspent, 0)
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
    LEFT JOIN legal_waits AS l ON t.cluster = l.cluster AND t.broker = l.broker AND t.time_window = l.time_window
    LEFT JOIN unspent AS u ON t.cluster = u.cluster AND t.time_window = u.time_window
    LEFT JOIN strangers AS s ON t.cluster = s.cluster AND t.broker = s.broker AND t.time_window = s.time_window
    LEFT JOIN unseen AS v ON t.cluster = v.cluster AND t.broker = v.broker AND t.time_window = v.time_window
    LEFT JOIN arrived AS a ON t.cluster = a.cluster AND t.broker = a.broker AND t.time_window = a.time_window
    LEFT JOIN follower_arrived AS f
        ON t.cluster = f.cluster AND t.broker = f.broker AND t.time_window = f.time_window
    LEFT JOIN bypassed_arrived AS y
        ON t.cluster = y.cluster AND t.broker = y.broker AND t.time_window = y.time_window
    LEFT JOIN selected AS e ON t.cluster = e.cluster AND t.broker = e.broker AND t.time_window = e.time_window
    LEFT JOIN looks AS k ON t.cluster = k.cluster AND t.broker = k.broker AND t.time_window = k.time_window
    LEFT JOIN prompt_topics AS q ON t.cluster = q.cluster AND t.broker = q.broker
    LEFT JOIN delayed_members AS d ON t.cluster = d.cluster AND t.broker = d.broker AND t.time_window = d.time_window
),

rated AS (
    SELECT
        *,
        excess / greatest(busy_fetches, 1) AS busy_ratio,
        exp(-coalesce(batches_per_s, 0) * wait_s) AS moving_share,
        -- answers that came before the wait was over, per batch that arrived: delayed readers get few of them
        (busy_fetches - excess) / greatest(batches_per_s * seconds, 1) AS prompt_share
    FROM judged
),

caused AS (
    SELECT
        *,
        CASE
            WHEN look_topics IS NOT NULL
                THEN CASE
                    WHEN look_proven OR follower_topics IS NOT NULL OR selected_topics IS NOT NULL THEN 'follower'
                    ELSE 'min_bytes'
                END
            WHEN
                size(unsettled_topics) > 0
                AND busy_ratio >= :min_ratio
                AND busy_ratio - greatest(stranger_share, moving_share) >= :min_margin
                AND prompt_share < :max_prompt_share
                THEN 'follower'
            -- a redirect costs one fetch per consumer and metadata.max.age.ms; an idle reader expires at each wait
            WHEN
                follower_topics IS NULL
                AND read_topics IS NULL
                AND bypassed_topics IS NOT NULL
                AND excess > 0
                AND excess <= try_divide(:max_redirect_rate * seconds, wait_s) * greatest(1, size(bypassed_groups))
                THEN 'redirect'
            WHEN
                follower_topics IS NULL
                AND bypassed_topics IS NULL
                AND busy_ratio >= CASE
                    WHEN selected_topics IS NULL THEN :min_bytes_ratio ELSE :min_selected_ratio
                END
                AND busy_ratio - greatest(stranger_share, moving_share) >= :min_margin
                AND busy_ratio - unseen_share >= :min_unseen_margin
                AND prompt_share < :max_prompt_share
                -- where followers may be read, they explain what fetch.min.bytes would
                THEN CASE WHEN selected_topics IS NULL THEN 'min_bytes' ELSE 'follower' END
        END AS cause
    FROM rated
)

SELECT
    *,
    CASE cause
        WHEN 'follower' THEN coalesce(look_topics, follower_topics, selected_topics)
        WHEN 'redirect' THEN bypassed_topics
        ELSE coalesce(look_topics, read_topics)
    END AS topics,
    CASE cause
        WHEN 'follower' THEN coalesce(look_groups, follower_groups, selected_groups)
        WHEN 'redirect' THEN bypassed_groups
        ELSE coalesce(look_groups, read_groups)
    END AS groups,
    coalesce(
        CASE cause WHEN 'follower' THEN coalesce(look_bytes, follower_bytes, selected_bytes) ELSE read_bytes END, 0
    ) AS bytes_out,
    -- a longer interval averages bursts with silence; expiries beyond those of the members seen are of unknown readers,
    -- who may be idle
    coalesce(look_proven, FALSE)
    OR (
        longest_s <= :max_interval_s
        AND (
            cause = 'redirect'
            OR (
                cause = 'follower'
                AND follower_topics IS NOT NULL
                AND excess <= (1 + :min_margin) * try_divide(seconds, wait_s) * delayed_members
            )
        )
    ) AS proven
FROM caused
