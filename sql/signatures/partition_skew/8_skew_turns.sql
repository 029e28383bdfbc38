-- When slowness begins or ends, or a partition moves between a slow leader and another: do the records follow?
-- in:  skew_followed, skew_stays, skew_leaders, partition_rates, topic_traffic, broker_days
-- out: one row per cluster and topic where they did. turns: beginnings and ends of a leader's slowness that the records
--      followed; moved: the most partitions that moved together and were hot under the slow leader alone
WITH topics AS (
    SELECT
        cluster,
        topic
    FROM skew_followed
    WHERE cause = 'leader_bound'
),

parts AS (
    SELECT
        r.cluster,
        r.topic,
        r.partition,
        r.broker,
        r.from_sweep,
        w.from_at,
        w.to_at,
        w.seconds,
        w.contrasted,
        w.calm,
        w.partition_count,
        w.rate_sum,
        w.slow_rate_sum,
        w.slow_partitions,
        w.timely_rate_sum,
        w.timely_partitions,
        l.pace,
        l.mean_ms,
        coalesce(d.rack, '') AS rack,
        try_divide(r.records, r.seconds) AS rate
    FROM partition_rates AS r
    INNER JOIN topics AS t ON r.cluster = t.cluster AND r.topic = t.topic
    INNER JOIN skew_stays AS w
        ON r.cluster = w.cluster AND r.topic = w.topic AND r.from_sweep = w.from_sweep AND r.to_sweep = w.to_sweep
    INNER JOIN skew_leaders AS l
        ON r.cluster = l.cluster AND r.broker = l.broker AND r.from_sweep = l.from_sweep AND r.to_sweep = l.to_sweep
    LEFT JOIN broker_days AS d ON r.cluster = d.cluster AND r.broker = d.broker
    WHERE NOT coalesce(r.went_back, FALSE)
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
        max(s.rate_sum) AS slow_total,
        max(t.rate_sum) AS timely_total,
        max(try_divide(s.timely_rate_sum, s.timely_partitions)) AS slow_usual,
        max(t.rate_sum - t.slow_rate_sum) AS other_rate,
        max(t.partition_count - t.slow_partitions) AS other_partitions,
        min(s.rate) AS least_rate,
        try_cast(try_sum(try_cast(s.rate AS DECIMAL(28, 12))) AS DOUBLE) AS slow_rate,
        try_cast(try_sum(try_cast(t.rate AS DECIMAL(28, 12))) AS DOUBLE) AS timely_rate,
        count(*) AS n
    FROM parts AS s
    INNER JOIN parts AS t ON s.cluster = t.cluster AND s.topic = t.topic AND s.partition = t.partition
    WHERE
        s.contrasted
        AND s.pace = 'slow'
        AND t.pace != 'slow'
        AND s.mean_ms >= :slow_ratio * t.mean_ms
        AND if(s.broker = t.broker, t.calm, s.rack = t.rack)
        AND s.partition_count = t.partition_count
        AND greatest(unix_micros(s.from_at) - unix_micros(t.to_at), unix_micros(t.from_at) - unix_micros(s.to_at))
        <= 1e6 * :max_apart * greatest(s.seconds, t.seconds)
    GROUP BY s.cluster, s.topic, s.broker, s.broker != t.broker, s.from_sweep, t.from_sweep
),

-- what they gained, the others lost: no key or tenant came or went
followed AS (
    SELECT
        *,
        slow_rate - timely_rate AS gained,
        timely_total - timely_rate - slow_total + slow_rate AS lost
    FROM changed
    WHERE
        slow_rate > timely_rate
        AND slow_rate >= :min_leader_ratio * slow_usual * n
        AND least_rate >= :min_window_ratio * slow_usual
        AND timely_rate * (other_partitions - n) <= :min_window_ratio * (other_rate - timely_rate) * n
        AND other_partitions > n
),

taken AS (
    SELECT
        r.cluster,
        r.broker,
        r.from_sweep,
        r.to_sweep,
        try_sum(r.records) AS records
    FROM partition_rates AS r
    WHERE NOT coalesce(r.went_back, FALSE) AND r.cluster IN (SELECT t.cluster FROM topics AS t)
    GROUP BY r.cluster, r.broker, r.from_sweep, r.to_sweep
),

traffic AS (
    SELECT
        b.cluster,
        b.broker,
        b.from_sweep,
        b.to_sweep,
        try_sum(b.bytes_in) AS bytes_in
    FROM topic_traffic AS b
    WHERE b.kind = 'sweeps' AND b.cluster IN (SELECT t.cluster FROM topics AS t)
    GROUP BY b.cluster, b.broker, b.from_sweep, b.to_sweep
),

loads AS (
    SELECT
        l.cluster,
        l.broker,
        l.from_sweep,
        l.to_sweep,
        l.pace,
        coalesce(try_divide(r.records, l.seconds), 0) AS records,
        try_divide(b.bytes_in, l.seconds) AS bytes_in,
        try_divide(l.requests, l.seconds) AS requests
    FROM skew_leaders AS l
    LEFT JOIN taken AS r
        ON l.cluster = r.cluster AND l.broker = r.broker AND l.from_sweep = r.from_sweep AND l.to_sweep = r.to_sweep
    LEFT JOIN traffic AS b
        ON l.cluster = b.cluster AND l.broker = b.broker AND l.from_sweep = b.from_sweep AND l.to_sweep = b.to_sweep
    WHERE l.cluster IN (SELECT t.cluster FROM topics AS t)
),

-- the most that the broker bore while it was not slow, and the least that one that is not bears at the same time
borne AS (
    SELECT
        *,
        count(CASE WHEN pace != 'slow' THEN 1 END) OVER (
            PARTITION BY cluster, broker ORDER BY from_sweep ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS spell,
        max(CASE WHEN pace != 'slow' THEN records END) OVER (PARTITION BY cluster, broker) AS own_records,
        max(CASE WHEN pace != 'slow' THEN bytes_in END) OVER (PARTITION BY cluster, broker) AS own_bytes,
        max(CASE WHEN pace != 'slow' THEN requests END) OVER (PARTITION BY cluster, broker) AS own_requests,
        min(CASE WHEN pace != 'slow' THEN records END) OVER (PARTITION BY cluster, from_sweep, to_sweep)
            AS least_records,
        min(CASE WHEN pace != 'slow' THEN bytes_in END) OVER (PARTITION BY cluster, from_sweep, to_sweep)
            AS least_bytes,
        min(CASE WHEN pace != 'slow' THEN requests END) OVER (PARTITION BY cluster, from_sweep, to_sweep)
            AS least_requests
    FROM loads
),

-- slow for a reason of its own: under no more than was borne in time
unloaded AS (
    SELECT
        cluster,
        broker,
        from_sweep,
        spell
    FROM borne
    WHERE
        pace = 'slow'
        AND records <= greatest(own_records, least_records)
        AND requests <= greatest(own_requests, least_requests)
        AND coalesce(bytes_in <= greatest(own_bytes, least_bytes), TRUE)
),

once AS (
    SELECT
        f.cluster,
        f.topic,
        f.broker,
        f.moved,
        u.spell,
        f.timely_sweep < f.slow_sweep AS begins,
        max(f.n) AS n
    FROM followed AS f
    INNER JOIN unloaded AS u
        ON
            f.cluster = u.cluster
            AND f.broker = u.broker
            AND (f.slow_sweep = u.from_sweep OR (f.moved AND f.timely_sweep = u.from_sweep))
    WHERE f.lost >= :min_exchanged * f.gained AND f.gained >= :min_exchanged * f.lost
    GROUP BY f.cluster, f.topic, f.broker, f.moved, u.spell, f.timely_sweep < f.slow_sweep
)

SELECT
    cluster,
    topic,
    count_if(NOT moved) AS turns,
    coalesce(max(CASE WHEN moved THEN n END), 0) AS moved
FROM once
GROUP BY cluster, topic
