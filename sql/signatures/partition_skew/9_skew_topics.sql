-- One cause and one strength per uneven topic: first what follows slow leaders, then hot partitions that do not.
-- in:  skew_followed, skew_turns, skew_partitions
-- out: one row per cluster and topic; rank_in_cause 1 is the worst topic of its cluster and cause
WITH leaders AS (
    SELECT
        cluster,
        topic,
        leader,
        try_cast(try_sum(try_cast(relative_rate AS DECIMAL(28, 15))) AS DOUBLE) AS share_sum,
        try_cast(try_sum(try_cast(relative_rate * relative_rate AS DECIMAL(28, 15))) AS DOUBLE) AS squares,
        count(*) AS led,
        count_if(hot) AS hot,
        count_if(NOT hot AND relative_rate <= :min_window_ratio * middle) AS usual_ones,
        count_if(hot AND hot_leaders >= 2) AS moved
    FROM skew_partitions
    GROUP BY cluster, topic, leader
),

spread AS (
    SELECT
        cluster,
        topic,
        try_cast(
            try_sum(try_cast(try_divide(share_sum * share_sum, led) AS DECIMAL(28, 15))) AS DOUBLE
        ) AS squares_of_leaders,
        try_cast(try_sum(try_cast(share_sum AS DECIMAL(28, 15))) AS DOUBLE) AS sum_of_shares,
        try_cast(try_sum(try_cast(squares AS DECIMAL(28, 15))) AS DOUBLE) AS squares,
        try_sum(hot) AS hot,
        try_sum(led) AS n,
        max(CASE WHEN hot > 0 THEN usual_ones ELSE 0 END) AS usual_neighbours,
        max(moved) AS moved,
        bool_and(hot = 0 OR hot = led) AS whole_leaders
    FROM leaders
    GROUP BY cluster, topic
    HAVING try_sum(hot) > 0
),

hottest_partitions AS (
    SELECT
        cluster,
        topic,
        max(struct(ratio, partition, leader, topic_share, gini, robust_z, hot_windows, windows, noise, from_at, to_at))
            AS hottest
    FROM skew_partitions
    WHERE hot
    GROUP BY cluster, topic
),

-- do the hot partitions lie anywhere, or does a whole leader stand out?
hot_topics AS (
    SELECT
        s.*,
        h.hottest,
        (s.squares_of_leaders - try_divide(s.sum_of_shares * s.sum_of_shares, s.n))
        / nullif(s.squares - try_divide(s.sum_of_shares * s.sum_of_shares, s.n), 0) AS between_share
    FROM spread AS s
    INNER JOIN hottest_partitions AS h ON s.cluster = h.cluster AND s.topic = h.topic
),

caused AS (
    SELECT
        cluster,
        topic,
        cause,
        TRUE AS contrasted,
        from_at,
        to_at,
        ratio,
        noise,
        windows,
        CASE cause WHEN 'adaptive' THEN cold_windows ELSE hot_windows END AS showing_windows,
        gini,
        max_over_median,
        robust_z,
        top_share,
        between_share,
        slow_correlation,
        mean_correlation,
        p99_correlation,
        slow_mean_ms,
        slow_p50_ms,
        slow_p99_ms,
        timely_mean_ms,
        timely_p99_ms,
        brokers,
        FALSE AS proven
    FROM skew_followed
    UNION ALL
    SELECT
        h.cluster,
        h.topic,
        CASE
            WHEN h.hot >= 3 AND h.hot < h.n AND h.whole_leaders AND h.between_share >= :min_between_share
                THEN 'leader_bound'
            ELSE 'key_bound'
        END AS cause,
        FALSE AS contrasted,
        h.hottest.from_at,
        h.hottest.to_at,
        h.hottest.ratio,
        h.hottest.noise,
        h.hottest.windows,
        h.hottest.hot_windows AS showing_windows,
        h.hottest.gini,
        h.hottest.ratio AS max_over_median,
        h.hottest.robust_z,
        h.hottest.topic_share AS top_share,
        h.between_share,
        cast(NULL AS DOUBLE) AS slow_correlation,
        cast(NULL AS DOUBLE) AS mean_correlation,
        cast(NULL AS DOUBLE) AS p99_correlation,
        cast(NULL AS DOUBLE) AS slow_mean_ms,
        cast(NULL AS DOUBLE) AS slow_p50_ms,
        cast(NULL AS DOUBLE) AS slow_p99_ms,
        cast(NULL AS DOUBLE) AS timely_mean_ms,
        cast(NULL AS DOUBLE) AS timely_p99_ms,
        array(h.hottest.leader) AS brokers,
        h.usual_neighbours > 0 OR h.moved > 0 AS proven
    FROM hot_topics AS h
    LEFT ANTI JOIN skew_followed AS f ON h.cluster = f.cluster AND h.topic = f.topic
),

weighed AS (
    SELECT
        c.*,
        coalesce(t.turns, 0) AS turns,
        coalesce(t.moved, 0) AS moved,
        CASE WHEN c.ratio < 1 THEN 1 / greatest(c.ratio, 1e-6) ELSE c.ratio END AS extent,
        CASE
            -- that slow leaders get more, all day, is as true where the records make them slow
            WHEN c.cause = 'leader_bound' AND c.contrasted AND (t.turns >= :min_turns OR t.moved >= 1) THEN 'conclusive'
            WHEN c.cause = 'key_bound' AND c.proven THEN 'conclusive'
            ELSE 'suggestive'
        END AS strength
    FROM caused AS c
    LEFT JOIN skew_turns AS t ON c.cluster = t.cluster AND c.topic = t.topic
)

SELECT
    *,
    row_number() OVER (PARTITION BY cluster, cause ORDER BY strength ASC, extent DESC, topic ASC) AS rank_in_cause
FROM weighed
