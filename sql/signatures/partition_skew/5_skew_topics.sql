-- What each uneven topic shows: first what follows slow leaders, then hot partitions that do not.
-- in:  skew_shares, partition_skew_thresholds
-- out: one row per cluster and topic by_leader, where it has windows to compare, and one over the day; one of both has a
--      cause at most. ratio: median of slow leaders over that of timely ones, or hottest partition over the median;
--      proven: a hot partition has a usual one beside it at its leader, or stayed hot under another leader
WITH beside AS (
    SELECT
        *,
        NOT hot AND max(hot) OVER (PARTITION BY cluster, topic, by_leader, broker) AS beside_hot
    FROM skew_shares
),

topics AS (
    SELECT
        s.cluster,
        s.topic,
        s.by_leader,
        max(s.from_at) AS topic_from,
        max(s.to_at) AS topic_to,
        max(s.windows) AS windows,
        coalesce(max_by(s.day_hot_windows, struct(s.share, s.partition)) FILTER (WHERE s.hot), max(s.hot_windows))
            AS hot_windows,
        max(s.cold_windows) AS cold_windows,
        max(s.records) AS records,
        max(s.hot_records) AS hot_records,
        max(s.cold_records) AS cold_records,
        max(s.noise) AS noise,
        max(s.gini) AS gini,
        max(s.between_share) AS between_share,
        max(s.ratio) FILTER (WHERE s.by_leader OR s.hot) AS max_over_median,
        max(s.robust_z) FILTER (WHERE s.by_leader OR s.hot) AS robust_z,
        max(s.topic_share) FILTER (WHERE s.by_leader OR s.hot) AS top_share,
        count_if(s.hot) >= 3 AND count_if(NOT s.hot) > 0 AND count_if(s.beside_hot) = 0 AS whole_leaders,
        count_if(s.hot AND s.stayed_hot OR s.beside_hot AND s.share <= t.min_window_ratio * s.usual_share) > 0
            AS proven,
        median(s.share) FILTER (WHERE s.pace = 'timely') AS timely_share,
        coalesce(
            try_divide(
                median(s.share) FILTER (WHERE s.pace = 'slow'), median(s.share) FILTER (WHERE s.pace = 'timely')
            ),
            max(s.ratio) FILTER (WHERE s.hot)
        ) AS ratio,
        -- the same partitions while no leader was slow: what follows slowness was not there before
        try_divide(
            median(s.calm_share) FILTER (WHERE s.pace = 'slow' AND s.calm_windows >= t.min_windows),
            median(s.calm_share) FILTER (WHERE s.pace = 'timely')
        ) AS calm_ratio,
        -- rank-biserial: 1 where every partition of a slow leader has more than any other, 0 without relation
        try_divide(
            try_sum(if(s.pace = 'slow', s.share_lean, 0)), count_if(s.pace = 'slow') * count_if(s.pace = 'timely')
        ) AS slow_correlation,
        try_divide(
            try_sum(s.share_lean * s.mean_lean),
            sqrt(try_sum(s.share_lean * s.share_lean)) * sqrt(try_sum(s.mean_lean * s.mean_lean))
        ) AS mean_correlation,
        try_divide(
            try_sum(s.share_lean * s.p99_lean),
            sqrt(try_sum(s.share_lean * s.share_lean)) * sqrt(try_sum(s.p99_lean * s.p99_lean))
        ) AS p99_correlation,
        max(s.leader_mean_ms) FILTER (WHERE s.pace = 'slow') AS slow_mean_ms,
        max_by(s.leader_p50_ms, struct(s.leader_mean_ms, s.broker)) FILTER (WHERE s.pace = 'slow') AS slow_p50_ms,
        max_by(s.leader_p99_ms, struct(s.leader_mean_ms, s.broker)) FILTER (WHERE s.pace = 'slow') AS slow_p99_ms,
        max(s.leader_mean_ms) FILTER (WHERE s.pace = 'timely') AS timely_mean_ms,
        max(s.leader_p99_ms) FILTER (WHERE s.pace = 'timely') AS timely_p99_ms,
        if(s.by_leader, sort_array(collect_set(if(s.pace = 'slow', s.broker, NULL))), NULL) AS slow_brokers
    FROM beside AS s
    INNER JOIN partition_skew_thresholds AS t ON s.cluster = t.cluster
    GROUP BY s.cluster, s.topic, s.by_leader
),

judged AS (
    SELECT
        c.*,
        CASE
            WHEN c.ratio IS NULL THEN NULL
            WHEN NOT c.by_leader
                THEN if(c.whole_leaders AND c.between_share >= t.min_between_share, 'leader_bound', 'key_bound')
            WHEN
                c.ratio >= t.min_leader_ratio
                AND ln(c.ratio / t.cured_ratio) >= t.noise_z * c.noise
                AND c.between_share >= t.min_between_share
                AND c.hot_windows >= t.min_windows
                AND c.hot_records >= t.min_window_share * c.records
                AND c.ratio >= t.min_window_ratio * coalesce(c.calm_ratio, 0)
                THEN 'leader_bound'
            WHEN
                c.ratio <= t.max_adaptive_ratio
                AND -ln(greatest(c.ratio, 1e-6)) >= t.noise_z * c.noise
                AND c.between_share >= t.min_between_share
                AND c.cold_windows >= t.min_windows
                AND c.cold_records >= t.min_window_share * c.records
                AND coalesce(c.ratio * t.min_window_ratio <= c.calm_ratio, TRUE)
                THEN 'adaptive'
        END AS seen_as
    FROM topics AS c
    INNER JOIN partition_skew_thresholds AS t ON c.cluster = t.cluster
)

SELECT
    *,
    if(by_leader OR max(if(by_leader, seen_as, NULL)) OVER (PARTITION BY cluster, topic) IS NULL, seen_as, NULL)
        AS cause
FROM judged
