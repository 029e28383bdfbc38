-- Do a topic's producers tell of themselves (KIP-714) that they sent as before when a leader's slowness began or ended?
-- out: one row per cluster and topic of which nearly all records are of producers that push their metrics, each as busy
--      in the slow windows as in the calm ones beside them, and whose batches waited longer in the slow ones. So no
--      producer came or went with the slowness
WITH windows AS (
    SELECT
        w.cluster,
        w.topic,
        w.from_sweep,
        w.to_sweep,
        w.from_at,
        w.to_at,
        w.seconds,
        w.rate_sum,
        w.contrasted,
        w.calm
    FROM skew_topics AS x
    INNER JOIN skew_windows AS w ON x.cluster = w.cluster AND x.topic = w.topic
    WHERE x.by_leader AND x.cause = 'leader_bound' AND (w.contrasted OR w.calm)
),

pairs AS (
    SELECT
        s.cluster,
        s.topic,
        s.from_sweep AS slow_sweep,
        c.from_sweep AS calm_sweep,
        s.rate_sum AS slow_rate_sum,
        c.rate_sum AS calm_rate_sum,
        s.to_sweep AS slow_to_sweep,
        explode(array(s.to_sweep, c.to_sweep)) AS to_sweep
    FROM windows AS s
    INNER JOIN partition_skew_thresholds AS t ON s.cluster = t.cluster
    INNER JOIN windows AS c ON s.cluster = c.cluster AND s.topic = c.topic
    WHERE
        s.contrasted AND c.calm
        AND greatest(unix_micros(s.from_at) - unix_micros(c.to_at), unix_micros(c.from_at) - unix_micros(s.to_at))
        <= 1e6 * t.max_apart * greatest(s.seconds, c.seconds)
),

rates AS (
    SELECT
        r.cluster,
        r.topic,
        r.slow_sweep,
        r.calm_sweep,
        p.client,
        max(r.slow_rate_sum) AS slow_rate_sum,
        max(r.calm_rate_sum) AS calm_rate_sum,
        coalesce(
            max(
                if(
                    r.to_sweep = r.slow_to_sweep,
                    try_divide(try_subtract(p.sends, p.retries), (unix_micros(p.to_at) - unix_micros(p.from_at)) / 1e6),
                    NULL
                )
            ), 0
        ) AS slow_rate,
        coalesce(
            max(
                if(
                    r.to_sweep = r.slow_to_sweep,
                    NULL,
                    try_divide(try_subtract(p.sends, p.retries), (unix_micros(p.to_at) - unix_micros(p.from_at)) / 1e6)
                )
            ), 0
        ) AS calm_rate,
        max(if(r.to_sweep = r.slow_to_sweep, q.queue_time_max_ms, NULL)) AS slow_wait_ms,
        max(if(r.to_sweep = r.slow_to_sweep, NULL, q.queue_time_max_ms)) AS calm_wait_ms
    FROM pairs AS r
    -- a window of which no producer tells anything is one that they did not tell of
    LEFT JOIN producer_intervals AS p ON r.cluster = p.cluster AND r.topic = p.topic AND r.to_sweep = p.to_sweep
    LEFT JOIN producer_intervals AS q
        ON p.cluster = q.cluster AND p.client = q.client AND p.to_sweep = q.to_sweep AND q.topic IS NULL
    GROUP BY r.cluster, r.topic, r.slow_sweep, r.calm_sweep, p.client
),

compared AS (
    SELECT
        cluster,
        topic,
        least(
            try_divide(try_sum(try_cast(slow_rate AS DECIMAL(28, 9))), max(slow_rate_sum)),
            try_divide(try_sum(try_cast(calm_rate AS DECIMAL(28, 9))), max(calm_rate_sum))
        ) AS told_share,
        try_divide(
            try_sum(try_cast(abs(slow_rate - calm_rate) AS DECIMAL(28, 9))),
            try_sum(try_cast(calm_rate AS DECIMAL(28, 9)))
        ) AS difference,
        max(slow_wait_ms) AS slow_wait_ms,
        max(calm_wait_ms) AS calm_wait_ms
    FROM rates
    GROUP BY cluster, topic, slow_sweep, calm_sweep
)

SELECT
    c.cluster,
    c.topic,
    round(min(c.told_share), 4) AS told_share,
    round(max(c.difference), 4) AS producer_change,
    min(c.slow_wait_ms) AS slow_wait_ms,
    max(c.calm_wait_ms) AS calm_wait_ms
FROM compared AS c
INNER JOIN partition_skew_thresholds AS t ON c.cluster = t.cluster
GROUP BY c.cluster, c.topic
HAVING
    min(coalesce(c.told_share, 0)) >= max(t.min_told)
    AND max(coalesce(c.difference, 1)) <= max(t.max_producer_change)
    AND min(coalesce(c.slow_wait_ms >= t.slow_ratio * c.calm_wait_ms, FALSE))
