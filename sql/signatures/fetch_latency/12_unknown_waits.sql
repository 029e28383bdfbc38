-- Expiries that readers may have made of whom it is not known where, or that, they read here.
-- in:  fetch_windows, legal_waits, read_topics, member_topics, follower_reads
-- out: one row per cluster, broker and window: unspent expiries; stranger_share and unseen_share of the fetches, at
--      most; delayed_members, who can wait here for nothing but what is read from it as a follower
WITH unspent AS (
    -- expiries that members should have shown at their leaders and did not: those members may wait at a follower
    SELECT
        t.cluster,
        t.time_window,
        try_cast(
            try_sum(
                try_cast(greatest(0, (1 - :missing_share) * l.legal_expired - t.expired) AS DECIMAL(28, 9))
            ) AS DOUBLE
        ) AS unspent
    FROM fetch_windows AS t
    INNER JOIN legal_waits AS l ON t.cluster = l.cluster AND t.broker = l.broker AND t.time_window = l.time_window
    GROUP BY t.cluster, t.time_window
),

seen AS (
    SELECT DISTINCT
        cluster,
        broker,
        topic,
        time_window
    FROM member_topics
    WHERE led_partitions > 0
),

-- of topics whose readers are in no group, the slowest bounds the share that may expire legally; of topics of whose
-- readers no member was seen here, as of a job between two sweeps, one that reads a single partition does
strangers AS (
    SELECT
        x.cluster,
        x.broker,
        x.time_window,
        max(CASE WHEN x.groups IS NULL THEN exp(-coalesce(x.batches_per_s, 0) * w.wait_s) END) AS stranger_share,
        max(
            CASE
                WHEN m.topic IS NULL
                    THEN exp(try_divide(-x.batches, x.seconds) / greatest(x.leaders, 1) * w.wait_s)
            END
        ) AS unseen_share
    FROM read_topics AS x
    INNER JOIN fetch_windows AS w ON x.cluster = w.cluster AND x.broker = w.broker AND x.time_window = w.time_window
    LEFT JOIN seen AS m
        ON x.cluster = m.cluster AND x.broker = m.broker AND x.topic = m.topic AND x.time_window = m.time_window
    GROUP BY x.cluster, x.broker, x.time_window
),

-- each of them expires once per wait at most. One that reads an idle topic here, too, may wait for that: a consumer
-- that still holds records of one topic asks for the others alone
delayed AS (
    SELECT
        m.cluster,
        m.broker,
        m.time_window,
        count(DISTINCT m.group_id, m.member_id) AS delayed_members
    FROM member_topics AS m
    INNER JOIN follower_reads AS f
        ON m.cluster = f.cluster AND m.broker = f.broker AND m.topic = f.topic AND m.time_window = f.time_window
    WHERE m.topics = 1
    GROUP BY m.cluster, m.broker, m.time_window
)

SELECT
    t.cluster,
    t.broker,
    t.time_window,
    coalesce(u.unspent, 0) AS unspent,
    coalesce(x.stranger_share, 0) AS stranger_share,
    coalesce(x.unseen_share, 0) AS unseen_share,
    coalesce(d.delayed_members, 0) AS delayed_members
FROM fetch_windows AS t
LEFT JOIN unspent AS u ON t.cluster = u.cluster AND t.time_window = u.time_window
LEFT JOIN strangers AS x ON t.cluster = x.cluster AND t.broker = x.broker AND t.time_window = x.time_window
LEFT JOIN delayed AS d ON t.cluster = d.cluster AND t.broker = d.broker AND t.time_window = d.time_window
