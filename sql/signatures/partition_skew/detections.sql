-- Are records spread unevenly over the partitions of a topic, and does that follow slow leaders?
-- in:  skew_topics, skew_turns, skew_shares, partition_skew_thresholds
-- out: one row per cluster, cause, topic and hot partition, or partition of a slow leader (null: it does not stand out),
--      with the numbers of the topic. topic_rank 1 is the worst topic of its cause, and gives it its strength
WITH weighed AS (
    SELECT
        x.*,
        t.min_window_ratio,
        if(x.ratio < 1, 1 / greatest(x.ratio, 1e-6), x.ratio) AS extent,
        if(x.cause = 'adaptive', x.cold_windows, x.hot_windows) AS showing_windows,
        if(x.cause = 'leader_bound' AND x.by_leader, coalesce(m.turns, 0), NULL) AS turns,
        if(x.cause = 'leader_bound' AND x.by_leader, coalesce(m.moved, 0), NULL) AS moved,
        CASE
            WHEN x.cause = 'key_bound' AND x.proven THEN 'conclusive'
            -- that slow leaders get more, all day, is as true where the records make them slow
            WHEN x.cause = 'leader_bound' AND x.by_leader AND (m.turns >= t.min_turns OR m.moved >= 1) THEN 'conclusive'
            ELSE 'suggestive'
        END AS topic_strength
    FROM skew_topics AS x
    INNER JOIN partition_skew_thresholds AS t ON x.cluster = t.cluster
    LEFT JOIN skew_turns AS m ON x.cluster = m.cluster AND x.topic = m.topic
    WHERE x.cause IS NOT NULL
),

ranked AS (
    SELECT
        *,
        row_number() OVER (PARTITION BY cluster, cause ORDER BY topic_strength ASC, extent DESC, topic ASC)
            AS topic_rank,
        min(topic_strength) OVER of_cause AS strength,
        min(topic_from) OVER of_cause AS from_at,
        max(topic_to) OVER of_cause AS to_at,
        count(*) OVER of_cause AS topics
    FROM weighed
    WINDOW of_cause AS (PARTITION BY cluster, cause)
)

SELECT
    r.*,
    if(r.by_leader, r.ratio, NULL) AS leader_ratio,
    if(r.by_leader, NULL, r.ratio) AS hot_ratio,
    -- twice the standard error of the producers' stays on either side
    round(r.ratio * exp(-2 * r.noise), 4) AS ratio_at_least,
    round(r.ratio * exp(2 * r.noise), 4) AS ratio_at_most,
    -- a hot key is no fault of the broker that happens to lead its partition
    if(r.cause = 'key_bound', NULL, s.broker) AS broker,
    CASE
        WHEN
            s.hot
            OR (r.cause = 'adaptive' AND s.share <= r.timely_share)
            OR (r.cause = 'leader_bound' AND s.share >= r.min_window_ratio * r.timely_share)
            THEN s.partition
    END AS partition,
    row_number() OVER (
        PARTITION BY r.cluster
        ORDER BY r.topic_rank ASC, r.cause ASC, if(r.cause = 'adaptive', -s.share, s.share) DESC, s.partition ASC
    ) AS ordinal
FROM ranked AS r
INNER JOIN skew_shares AS s
    ON r.cluster = s.cluster AND r.topic = s.topic AND r.by_leader = s.by_leader AND (s.hot OR s.pace = 'slow')
