-- How each topic is read at each broker in each window, and what its close looks show.
-- out: one row per cluster, broker, topic and window. readers: groups that got on with it. batches_per_s arrive
--      at all brokers, unseen_per_s in a partition here of which no reader was seen. bypassed: groups (passing_by) got
--      on with what it leads, and read that elsewhere. followed: bytes went out that its own leaders do not explain, so
--      somebody reads from a follower here; settled: looks tell otherwise; answered: looks saw most bytes go out where
--      nothing expired. selected: it may send consumers to a follower, and follows a part. look_*: of fetches that
--      looks saw wait; one_pass: no more bytes went out than came
WITH traffic AS (
    SELECT
        x.cluster,
        x.broker,
        x.topic,
        s.time_window,
        try_cast(try_sum(try_cast(x.seconds AS DECIMAL(28, 9))) AS DOUBLE) AS seconds,
        try_sum(x.bytes_out) AS bytes_out,
        try_sum(x.bytes_in) AS bytes_in,
        try_sum(x.messages_in) AS messages_in,
        try_sum(x.produce_batches) AS batches,
        max(x.leaders) AS leaders,
        max(x.replicas) AS replicas,
        min(k.shows) AS look_shows, -- what proves most is the first by its name
        max(if(k.carried_expired > 0, k.carried_expired, k.expired)) AS look_expired,
        max(k.carried_bytes) AS carried_bytes
    FROM topic_counters AS x
    INNER JOIN fetch_spans AS s
        ON x.cluster = s.cluster AND x.broker = s.broker AND x.to_sweep = s.to_sweep AND x.kind = s.kind
    LEFT JOIN look_topics AS k
        ON
            x.cluster = k.cluster AND x.broker = k.broker AND x.topic = k.topic AND x.to_sweep = k.sweep_at
            AND (k.beside OR k.shows IN ('delayed', 'partly', 'waits'))
    GROUP BY x.cluster, x.broker, x.topic, s.time_window
),

seen AS (
    SELECT DISTINCT
        m.cluster,
        m.broker,
        m.topic,
        s.time_window
    FROM reader_sessions AS m
    INNER JOIN fetch_spans AS s
        ON m.cluster = s.cluster AND m.broker = s.broker AND m.to_sweep = s.to_sweep AND m.kind = s.kind
    WHERE m.led_partitions > 0
),

known AS (
    SELECT
        x.*,
        t.excess_factor,
        g.groups AS passing_by,
        r.groups AS readers,
        coalesce(o.settles, FALSE) AS settled,
        coalesce(o.answered, FALSE) AS answered,
        x.bytes_out > 0 AND x.replicas > x.leaders AND c.broker IS NOT NULL AS selected,
        coalesce(x.bytes_out < try_divide(t.bypass_share * g.records * x.bytes_in, x.messages_in), FALSE) AS bypassed,
        if(m.topic IS NULL, try_divide(x.batches, x.seconds) / greatest(x.leaders, 1), NULL) AS unseen_per_s
    FROM traffic AS x
    INNER JOIN fetch_latency_thresholds AS t ON x.cluster = t.cluster
    LEFT JOIN group_windows AS g
        ON x.cluster = g.cluster AND x.broker = g.leader AND x.topic = g.topic AND x.time_window = g.time_window
    LEFT JOIN group_windows AS r
        ON x.cluster = r.cluster AND x.topic = r.topic AND x.time_window = r.time_window AND r.all_leaders
    LEFT JOIN seen AS m
        ON x.cluster = m.cluster AND x.broker = m.broker AND x.topic = m.topic AND x.time_window = m.time_window
    LEFT JOIN look_topics AS o
        ON
            x.cluster = o.cluster AND x.broker = o.broker AND x.topic = o.topic AND (o.settles OR o.answered)
    LEFT JOIN broker_settings AS c
        ON x.cluster = c.cluster AND x.broker = c.broker AND c.name = 'replica.selector.class' AND c.config_value != ''
)

SELECT
    *,
    try_sum(bytes_out) OVER whole <= excess_factor * try_sum(bytes_in) OVER whole AS one_pass,
    try_cast(try_sum(try_cast(try_divide(batches, seconds) AS DECIMAL(28, 9))) OVER whole AS DOUBLE) AS batches_per_s,
    -- leading at neither end of an interval is not enough: while its preferred leader restarts, a broker that took
    -- records in led it meanwhile
    bytes_out > 0
    AND (
        (leaders = 0 AND messages_in = 0)
        OR (
            count_if(bypassed) OVER whole > if(bypassed, 1, 0) -- another leader is passed by, not this one
            AND bytes_out > excess_factor * greatest(1, size(readers)) * bytes_in
        )
    ) AS followed
FROM known
WINDOW whole AS (PARTITION BY cluster, topic, time_window)
