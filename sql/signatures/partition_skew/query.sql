-- Are records spread unevenly over the partitions of a topic, and does that follow slow leaders?
-- in:  skew_topics, skew_units, skew_followed, skew_partitions (made of the numbered files beside this one)
-- out: one row per cluster and cause with the measures of its worst topic; signature.yaml has words and thresholds
WITH partitions AS (
    SELECT
        t.cluster,
        t.cause,
        concat(u.topic, '-', u.partition) AS label,
        try_divide(if(t.cause = 'adaptive', -u.weighted_share, u.weighted_share), u.weight) AS extent
    FROM skew_topics AS t
    INNER JOIN skew_followed AS f ON t.cluster = f.cluster AND t.topic = f.topic
    INNER JOIN skew_units AS u ON t.cluster = u.cluster AND t.topic = u.topic
    WHERE
        t.contrasted
        AND u.contrasted
        AND u.pace = 'slow'
        AND CASE t.cause
            WHEN 'adaptive' THEN try_divide(u.weighted_share, u.weight) <= f.timely_share
            ELSE try_divide(u.weighted_share, u.weight) >= :min_window_ratio * f.timely_share
        END
    UNION ALL
    SELECT
        t.cluster,
        t.cause,
        concat(p.topic, '-', p.partition) AS label,
        p.ratio AS extent
    FROM skew_topics AS t
    INNER JOIN skew_partitions AS p ON t.cluster = p.cluster AND t.topic = p.topic
    WHERE NOT t.contrasted AND p.hot
),

once AS (
    SELECT
        cluster,
        cause,
        label,
        max(extent) AS extent
    FROM partitions
    GROUP BY cluster, cause, label
),

named_partitions AS (
    SELECT
        cluster,
        cause,
        count(*) AS total,
        transform(
            slice(sort_array(collect_list(STRUCT(-extent AS extent, label))), 1, 8), x -> concat('partition ', x.label)
        ) AS labels
    FROM once
    GROUP BY cluster, cause
),

-- a hot key is no fault of the broker that happens to lead its partition
brokers AS (
    SELECT DISTINCT
        cluster,
        cause,
        explode(brokers) AS broker
    FROM skew_topics
    WHERE cause != 'key_bound'
),

named_brokers AS (
    SELECT
        cluster,
        cause,
        transform(slice(sort_array(collect_list(broker)), 1, 3), x -> concat('broker ', x)) AS labels
    FROM brokers
    GROUP BY cluster, cause
),

named_topics AS (
    SELECT
        cluster,
        cause,
        count(*) AS total,
        min(from_at) AS from_at,
        max(to_at) AS to_at,
        transform(
            slice(sort_array(collect_list(struct(rank_in_cause, topic))), 1, 7), x -> concat('topic ', x.topic)
        ) AS labels
    FROM skew_topics
    GROUP BY cluster, cause
)

SELECT
    w.cluster,
    w.cause,
    w.strength,
    n.from_at,
    n.to_at,
    w.windows,
    w.showing_windows,
    w.gini,
    w.max_over_median,
    w.robust_z,
    w.top_share,
    w.between_share,
    w.slow_correlation,
    w.mean_correlation,
    w.p99_correlation,
    w.slow_mean_ms,
    w.timely_mean_ms,
    w.slow_p50_ms,
    w.slow_p99_ms,
    w.timely_p99_ms,
    n.total AS topics,
    CASE WHEN w.cause = 'leader_bound' AND w.contrasted THEN w.turns END AS turns,
    CASE WHEN w.cause = 'leader_bound' AND w.contrasted THEN w.moved END AS moved,
    concat(
        'topic ', w.topic,
        CASE
            WHEN w.contrasted
                THEN concat('; slow: broker ', array_join(transform(w.brokers, x -> cast(x AS STRING)), ', '))
            ELSE ''
        END
    ) AS place,
    concat(
        coalesce(b.labels, array()),
        n.labels,
        CASE
            WHEN n.total > 7 THEN array(concat('and ', format_number(n.total - 7, 0), ' more topics'))
            ELSE array()
        END,
        coalesce(p.labels, array()),
        CASE
            WHEN p.total > 8 THEN array(concat('and ', format_number(p.total - 8, 0), ' more partitions'))
            ELSE array()
        END
    ) AS subjects,
    CASE WHEN w.contrasted THEN w.ratio END AS leader_ratio,
    CASE WHEN NOT w.contrasted THEN w.ratio END AS hot_ratio,
    -- twice the standard error of the producers' stays on either side
    map(
        'ratio_at_least', round(w.ratio * exp(-2 * w.noise), 4), 'ratio_at_most', round(w.ratio * exp(2 * w.noise), 4)
    ) AS bounds
FROM skew_topics AS w
INNER JOIN named_topics AS n ON w.cluster = n.cluster AND w.cause = n.cause
LEFT JOIN named_partitions AS p ON w.cluster = p.cluster AND w.cause = p.cause
LEFT JOIN named_brokers AS b ON w.cluster = b.cluster AND w.cause = b.cause
WHERE w.rank_in_cause = 1
ORDER BY w.cluster, w.cause
