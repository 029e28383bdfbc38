-- One cause and one strength per uneven topic: first what follows slow leaders, then hot partitions that do not.
-- in:  skew_followed, skew_hot_topics, skew_contrasts
-- out: one row per cluster and topic; rank_in_cause 1 is the worst topic of its cluster and cause
WITH caused AS (
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
        chance,
        slow_correlation,
        mean_correlation,
        p99_correlation,
        slow_mean_ms,
        slow_p50_ms,
        slow_p99_ms,
        timely_mean_ms,
        timely_p99_ms,
        brokers,
        neighbours,
        cooled,
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
        cast(NULL AS DOUBLE) AS chance,
        cast(NULL AS DOUBLE) AS slow_correlation,
        cast(NULL AS DOUBLE) AS mean_correlation,
        cast(NULL AS DOUBLE) AS p99_correlation,
        cast(NULL AS DOUBLE) AS slow_mean_ms,
        cast(NULL AS DOUBLE) AS slow_p50_ms,
        cast(NULL AS DOUBLE) AS slow_p99_ms,
        cast(NULL AS DOUBLE) AS timely_mean_ms,
        cast(NULL AS DOUBLE) AS timely_p99_ms,
        array(h.hottest.leader) AS brokers,
        0 AS neighbours,
        0 AS cooled,
        h.usual_neighbours > 0 OR h.moved > 0 AS proven
    FROM skew_hot_topics AS h
    LEFT ANTI JOIN skew_followed AS f ON h.cluster = f.cluster AND h.topic = f.topic
),

-- topics of the cluster that would look bound to slow leaders by chance alone
expected AS (
    SELECT
        cluster,
        try_cast(
            try_sum(
                if(slow_units >= 2 AND chance <= :telling_chance, try_cast(chance AS DECIMAL(28, 15)), 0)
            ) AS DOUBLE
        ) AS expected_telling,
        try_cast(try_sum(try_cast(chance AS DECIMAL(28, 15))) AS DOUBLE) AS expected_of_all
    FROM skew_contrasts
    GROUP BY cluster
),

pooled AS (
    SELECT
        c.*,
        e.expected_telling,
        e.expected_of_all,
        CASE WHEN c.ratio < 1 THEN 1 / greatest(c.ratio, 1e-6) ELSE c.ratio END AS extent,
        count_if(c.contrasted AND c.neighbours >= 2 AND c.chance <= :telling_chance)
            OVER (PARTITION BY c.cluster, c.cause) AS found_telling,
        count_if(c.contrasted) OVER (PARTITION BY c.cluster, c.cause) AS found_of_all
    FROM caused AS c
    LEFT JOIN expected AS e ON c.cluster = e.cluster
),

weighed AS (
    SELECT
        *,
        CASE
            WHEN
                cause = 'leader_bound'
                AND contrasted
                AND slow_correlation >= :min_rank_correlation
                -- a partition that cools down elsewhere; neighbours on one slow leader; single ones of many topics
                AND (
                    cooled >= 1
                    OR (
                        neighbours >= 2
                        AND chance <= :telling_chance
                        AND found_telling - expected_telling >= :noise_z * sqrt(expected_telling)
                    )
                    OR (
                        found_of_all >= 3
                        AND found_of_all - expected_of_all >= :noise_z * sqrt(expected_of_all)
                    )
                )
                THEN 'conclusive'
            WHEN cause = 'key_bound' AND proven THEN 'conclusive'
            ELSE 'suggestive'
        END AS strength
    FROM pooled
)

SELECT
    *,
    row_number() OVER (PARTITION BY cluster, cause ORDER BY strength ASC, extent DESC, topic ASC) AS rank_in_cause
FROM weighed
