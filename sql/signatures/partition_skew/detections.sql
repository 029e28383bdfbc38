-- Are records spread unevenly over the partitions of a topic, and does that follow slow leaders?
-- out: one row per cluster, cause, topic and row of skew_rates, with the numbers of the topic. hot_partition and broker
--      null: not to be named; topic_rank 1 is the worst topic of its cause, whose strength the cause has
WITH caused AS (
    SELECT
        x.*,
        t.min_window_ratio,
        max(x.by_leader) OVER (PARTITION BY x.cluster, x.topic) AS follows,
        if(x.cause = 'leader_bound' AND x.by_leader, coalesce(m.turns, 0), NULL) AS turns,
        if(x.cause = 'leader_bound' AND x.by_leader, coalesce(m.moved, 0), NULL) AS moved,
        if(x.cause = 'leader_bound' AND x.by_leader, p.told_share, NULL) AS told_share,
        if(x.cause = 'leader_bound' AND x.by_leader, p.producer_change, NULL) AS producer_change,
        if(x.cause = 'leader_bound' AND x.by_leader, p.slow_wait_ms, NULL) AS slow_wait_ms,
        if(x.cause = 'leader_bound' AND x.by_leader, p.calm_wait_ms, NULL) AS calm_wait_ms,
        CASE
            WHEN x.cause = 'key_bound' AND x.proven THEN 'conclusive'
            -- that slow leaders get more, all day, is as true where the records make them slow
            WHEN x.cause = 'leader_bound' AND x.by_leader AND (m.turns >= t.min_turns OR m.moved >= 1) THEN 'conclusive'
            -- one turn may be a job that begins then; not where every producer tells that it sent as before
            WHEN x.cause = 'leader_bound' AND x.by_leader AND m.turns >= 1 AND p.topic IS NOT NULL THEN 'conclusive'
            ELSE 'suggestive'
        END AS strength
    FROM skew_topics AS x
    INNER JOIN partition_skew_thresholds AS t ON x.cluster = t.cluster
    LEFT JOIN skew_turns AS m ON x.cluster = m.cluster AND x.topic = m.topic
    LEFT JOIN skew_producers AS p ON x.cluster = p.cluster AND x.topic = p.topic
    WHERE x.cause IS NOT NULL
),

ranked AS (
    SELECT
        *,
        row_number() OVER (
            PARTITION BY cluster, cause
            ORDER BY strength ASC, if(ratio < 1, 1 / greatest(ratio, 1e-6), ratio) DESC, topic ASC
        ) AS topic_rank
    FROM caused
    WHERE by_leader = follows
)

SELECT
    r.cluster,
    r.cause,
    r.topic,
    r.by_leader,
    r.topic_rank,
    r.turns,
    r.moved,
    r.told_share,
    r.producer_change,
    r.slow_wait_ms,
    r.calm_wait_ms,
    s.windows,
    s.between_share,
    s.gini,
    r.strength AS topic_strength,
    min(r.strength) OVER of_cause AS strength,
    min(s.from_at) OVER of_cause AS from_at,
    max(s.to_at) OVER of_cause AS to_at,
    max(r.topic_rank) OVER of_cause AS topics,
    if(r.by_leader, r.ratio, NULL) AS leader_ratio,
    if(r.by_leader, NULL, r.ratio) AS hot_ratio,
    -- twice the standard error of the producers' stays on either side
    round(r.ratio * exp(-2 * s.noise), 4) AS ratio_at_least,
    round(r.ratio * exp(2 * s.noise), 4) AS ratio_at_most,
    max(if(s.by_leader OR s.hot, s.ratio, NULL)) OVER of_topic AS max_over_median,
    max(if(s.by_leader OR s.hot, s.robust_z, NULL)) OVER of_topic AS robust_z,
    max(if(s.by_leader OR s.hot, s.topic_share, NULL)) OVER of_topic AS top_share,
    CASE
        WHEN NOT r.by_leader THEN max_by(s.day_hot_windows, if(s.hot, struct(s.ratio, s.partition), NULL)) OVER of_topic
        ELSE if(r.cause = 'adaptive', s.cold_windows, s.hot_windows)
    END AS showing_windows,
    max(if(s.pace = 'slow', s.leader_mean_ms, NULL)) OVER of_topic AS slow_mean_ms,
    max(if(s.pace = 'timely', s.leader_mean_ms, NULL)) OVER of_topic AS timely_mean_ms,
    max(if(s.pace = 'timely', s.leader_p99_ms, NULL)) OVER of_topic AS timely_p99_ms,
    max_by(s.leader_p50_ms, if(s.pace = 'slow', struct(s.leader_mean_ms, s.broker), NULL)) OVER of_topic AS slow_p50_ms,
    max_by(s.leader_p99_ms, if(s.pace = 'slow', struct(s.leader_mean_ms, s.broker), NULL)) OVER of_topic AS slow_p99_ms,
    if(r.by_leader, sort_array(collect_set(if(s.pace = 'slow', s.broker, NULL)) OVER of_topic), NULL) AS slow_brokers,
    -- rank-biserial: 1 where every partition of a slow leader has more than any other, 0 without relation
    try_sum(if(s.pace = 'slow', s.rate_lean, 0)) OVER of_topic
    / nullif(count_if(s.pace = 'slow') OVER of_topic * count_if(s.pace = 'timely') OVER of_topic, 0)
        AS slow_correlation,
    try_sum(s.rate_lean * s.mean_lean) OVER of_topic
    / nullif(sqrt(try_sum(power(s.rate_lean, 2)) OVER of_topic * try_sum(power(s.mean_lean, 2)) OVER of_topic), 0)
        AS mean_correlation,
    try_sum(s.rate_lean * s.p99_lean) OVER of_topic
    / nullif(sqrt(try_sum(power(s.rate_lean, 2)) OVER of_topic * try_sum(power(s.p99_lean, 2)) OVER of_topic), 0)
        AS p99_correlation,
    -- a hot key is no fault of the broker that happens to lead its partition
    if(s.pace = 'slow' OR (s.hot AND r.cause = 'leader_bound'), s.broker, NULL) AS broker,
    CASE
        WHEN s.hot THEN s.partition
        WHEN r.cause = 'adaptive' AND s.pace = 'slow' AND s.relative_rate <= r.timely_rate THEN s.partition
        WHEN r.cause = 'leader_bound' AND s.pace = 'slow' AND s.relative_rate >= r.min_window_ratio * r.timely_rate
            THEN s.partition
    END AS hot_partition,
    row_number() OVER (
        PARTITION BY r.cluster
        ORDER BY
            r.topic_rank ASC, r.cause ASC, if(r.cause = 'adaptive', -1, 1) * s.relative_rate DESC, s.partition ASC
    ) AS ordinal
FROM ranked AS r
INNER JOIN skew_rates AS s ON r.cluster = s.cluster AND r.topic = s.topic AND r.by_leader = s.by_leader
WINDOW of_cause AS (PARTITION BY r.cluster, r.cause), of_topic AS (PARTITION BY r.cluster, r.topic)
