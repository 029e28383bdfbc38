-- When slowness begins or ends, or a partition moves between a slow leader and another: do the records follow?
-- out: one row per cluster and topic where they did. turns: beginnings and ends of a leader's slowness that the records
--      followed; moved: the most partitions that moved together and were hot under the slow leader alone
WITH parts AS (
    SELECT
        w.*,
        r.partition,
        r.broker,
        l.pace,
        l.mean_ms,
        coalesce(d.rack, '') AS rack,
        try_divide(r.records, r.seconds) AS rate
    FROM skew_topics AS x
    INNER JOIN skew_windows AS w ON x.cluster = w.cluster AND x.topic = w.topic
    INNER JOIN partition_rates AS r
        ON w.cluster = r.cluster AND w.topic = r.topic AND w.from_sweep = r.from_sweep AND w.to_sweep = r.to_sweep
    INNER JOIN skew_leaders AS l
        ON r.cluster = l.cluster AND r.broker = l.broker AND r.from_sweep = l.from_sweep AND r.to_sweep = l.to_sweep
    LEFT JOIN broker_days AS d ON r.cluster = d.cluster AND r.broker = d.broker
    WHERE x.by_leader AND x.cause = 'leader_bound' AND NOT coalesce(r.went_back, FALSE)
),

-- the same partitions in two near windows, under a slow leader in the one and under one that is not in the other;
-- producers may prefer the leaders of their rack, so a partition that goes to another rack tells nothing
changed AS (
    SELECT
        s.cluster,
        s.topic,
        s.broker,
        s.from_sweep AS slow_sweep,
        t.from_sweep AS timely_sweep,
        s.broker != t.broker AS moved,
        max(t.rate_sum - s.rate_sum) AS grown,
        max(try_divide(s.timely_rate_sum, s.timely_partitions)) AS slow_usual,
        max(t.rate_sum - t.slow_rate_sum) AS other_rate,
        max(t.partition_count - t.slow_partitions) AS other_partitions,
        min(s.rate) AS least_rate,
        1.0D * try_sum(try_cast(s.rate AS DECIMAL(28, 12))) AS slow_rate,
        1.0D * try_sum(try_cast(t.rate AS DECIMAL(28, 12))) AS timely_rate,
        count(*) AS n
    FROM parts AS s
    INNER JOIN partition_skew_thresholds AS h ON s.cluster = h.cluster
    INNER JOIN parts AS t ON s.cluster = t.cluster AND s.topic = t.topic AND s.partition = t.partition
    WHERE
        s.contrasted AND s.pace = 'slow' AND t.pace != 'slow'
        AND s.mean_ms >= h.slow_ratio * t.mean_ms
        AND if(s.broker = t.broker, t.calm, s.rack = t.rack)
        AND s.partition_count = t.partition_count
        AND greatest(unix_micros(s.from_at) - unix_micros(t.to_at), unix_micros(t.from_at) - unix_micros(s.to_at))
        <= 1e6 * h.max_apart * greatest(s.seconds, t.seconds)
    GROUP BY s.cluster, s.topic, s.broker, s.broker != t.broker, s.from_sweep, t.from_sweep
),

taken AS (
    SELECT
        cluster,
        broker,
        from_sweep,
        to_sweep,
        try_sum(records) AS records
    FROM partition_rates
    WHERE NOT coalesce(went_back, FALSE)
    GROUP BY cluster, broker, from_sweep, to_sweep
),

traffic AS (
    SELECT
        cluster,
        broker,
        from_sweep,
        to_sweep,
        try_sum(bytes_in) AS bytes_in
    FROM topic_counters
    WHERE kind = 'sweeps'
    GROUP BY cluster, broker, from_sweep, to_sweep
),

loads AS (
    SELECT
        l.cluster,
        l.broker,
        l.from_sweep,
        l.to_sweep,
        l.pace = 'slow' AS slow,
        try_divide(l.requests, l.seconds) AS requests,
        coalesce(try_divide(r.records, l.seconds), 0) AS records,
        try_divide(b.bytes_in, l.seconds) AS bytes_in
    FROM skew_leaders AS l
    LEFT JOIN taken AS r
        ON l.cluster = r.cluster AND l.broker = r.broker AND l.from_sweep = r.from_sweep AND l.to_sweep = r.to_sweep
    LEFT JOIN traffic AS b
        ON l.cluster = b.cluster AND l.broker = b.broker AND l.from_sweep = b.from_sweep AND l.to_sweep = b.to_sweep
),

-- the most that the broker bore while it was not slow, or the least that one that is not bears at the same time
borne AS (
    SELECT
        *,
        count_if(NOT slow) OVER (PARTITION BY cluster, broker ORDER BY from_sweep) AS spell,
        greatest(max(if(slow, NULL, records)) OVER own, min(if(slow, NULL, records)) OVER beside) AS most_records,
        greatest(max(if(slow, NULL, requests)) OVER own, min(if(slow, NULL, requests)) OVER beside) AS most_requests,
        greatest(max(if(slow, NULL, bytes_in)) OVER own, min(if(slow, NULL, bytes_in)) OVER beside) AS most_bytes
    FROM loads
    WINDOW own AS (PARTITION BY cluster, broker), beside AS (PARTITION BY cluster, from_sweep, to_sweep)
)

SELECT
    c.cluster,
    c.topic,
    count(DISTINCT if(c.moved, NULL, c.broker), b.spell, c.timely_sweep < c.slow_sweep) AS turns,
    max(if(c.moved, c.n, 0)) AS moved
FROM changed AS c
INNER JOIN partition_skew_thresholds AS t ON c.cluster = t.cluster
INNER JOIN borne AS b
    ON
        c.cluster = b.cluster AND c.broker = b.broker
        AND (c.slow_sweep = b.from_sweep OR (c.moved AND c.timely_sweep = b.from_sweep))
WHERE
    c.slow_rate > c.timely_rate
    AND c.slow_rate >= t.min_leader_ratio * c.slow_usual * c.n
    AND c.least_rate >= t.min_window_ratio * c.slow_usual
    AND c.timely_rate * (c.other_partitions - c.n) <= t.min_window_ratio * (c.other_rate - c.timely_rate) * c.n
    AND c.other_partitions > c.n
    -- what they gained, the others lost: no key or tenant came or went
    AND c.grown + c.slow_rate - c.timely_rate
    BETWEEN t.min_exchanged * (c.slow_rate - c.timely_rate) AND try_divide(c.slow_rate - c.timely_rate, t.min_exchanged)
    -- slow for a reason of its own: under no more than was borne in time
    AND b.slow
    AND b.records <= b.most_records
    AND b.requests <= b.most_requests
    AND coalesce(b.bytes_in <= b.most_bytes, TRUE)
GROUP BY c.cluster, c.topic
