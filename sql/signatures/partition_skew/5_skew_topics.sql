-- What each uneven topic shows: first what follows slow leaders, then hot partitions that do not.
-- out: one row per cluster and topic by_leader, where it has windows to compare, and one over the day; where both have
--      a cause the first holds. ratio: median of slow leaders over that of timely ones, or hottest partition over the
--      median; proven: a hot partition has a usual one beside it at its leader, or stayed hot under another leader
WITH beside AS (
    SELECT
        *,
        if(pace = 'slow', relative_rate, NULL) AS slow_rate,
        if(pace = 'timely', relative_rate, NULL) AS timely_rate,
        NOT hot AND max(hot) OVER (PARTITION BY cluster, topic, by_leader, broker) AS beside_hot
    FROM skew_rates
),

topics AS (
    SELECT
        cluster,
        topic,
        by_leader,
        max(windows) AS windows,
        max(records) AS records,
        max(hot_windows) AS hot_windows,
        max(hot_records) AS hot_records,
        max(cold_windows) AS cold_windows,
        max(cold_records) AS cold_records,
        max(noise) AS noise,
        max(between_share) AS between_share,
        median(timely_rate) AS timely_rate,
        coalesce(try_divide(median(slow_rate), median(timely_rate)), max(if(hot, ratio, NULL))) AS ratio,
        -- the same partitions while no leader was slow: what follows slowness was not there before
        try_divide(median(if(pace = 'slow', calm_rate, NULL)), median(if(pace = 'timely', calm_rate, NULL)))
            AS calm_ratio,
        count_if(hot) >= 3 AND count_if(NOT hot) > 0 AND count_if(beside_hot) = 0 AS whole_leaders,
        count_if((hot AND stayed_hot) OR (beside_hot AND usual)) > 0 AS proven
    FROM beside
    GROUP BY cluster, topic, by_leader
)

SELECT
    c.*,
    CASE
        WHEN c.ratio IS NULL THEN NULL
        WHEN NOT c.by_leader
            THEN if(c.whole_leaders AND c.between_share >= t.min_between_share, 'leader_bound', 'key_bound')
        WHEN coalesce(c.between_share < t.min_between_share, TRUE) THEN NULL
        WHEN
            c.ratio >= t.min_leader_ratio
            AND ln(try_divide(c.ratio, t.cured_ratio)) >= t.noise_z * c.noise
            AND c.hot_windows >= t.min_windows
            AND c.hot_records >= t.min_window_share * c.records
            AND c.ratio >= t.min_window_ratio * coalesce(c.calm_ratio, 0)
            THEN 'leader_bound'
        WHEN
            c.ratio <= t.max_adaptive_ratio
            AND -ln(greatest(c.ratio, 1e-6)) >= t.noise_z * c.noise
            AND c.cold_windows >= t.min_windows
            AND c.cold_records >= t.min_window_share * c.records
            AND coalesce(c.ratio * t.min_window_ratio <= c.calm_ratio, TRUE)
            THEN 'adaptive'
    END AS cause
FROM topics AS c
INNER JOIN partition_skew_thresholds AS t ON c.cluster = t.cluster
