-- The partitions behind a detection, with the leader of each and how long it took for Produce.
-- in:  skew_topics, skew_units
-- out: at most 40 rows per cluster, the worst topic and its busiest partitions first
WITH parts AS (
    SELECT
        t.cluster,
        t.cause,
        t.rank_in_cause,
        u.topic,
        u.partition,
        u.broker AS leader,
        try_sum(u.windows) AS windows,
        try_sum(u.records) AS records,
        round(
            try_divide(try_cast(try_sum(try_cast(u.weighted_share AS DECIMAL(38, 12))) AS DOUBLE), try_sum(u.weight)), 3
        ) AS times_the_mean,
        round(
            try_divide(try_cast(try_sum(try_cast(u.mean_ms_sum AS DECIMAL(38, 9))) AS DOUBLE), try_sum(u.requests)), 2
        ) AS produce_mean_ms,
        round(
            try_divide(try_cast(try_sum(try_cast(u.p99_ms_sum AS DECIMAL(38, 9))) AS DOUBLE), try_sum(u.requests)), 1
        ) AS produce_p99_ms
    FROM skew_topics AS t
    INNER JOIN skew_units AS u ON t.cluster = u.cluster AND t.topic = u.topic
    WHERE u.contrasted OR NOT t.contrasted
    GROUP BY t.cluster, t.cause, t.rank_in_cause, u.topic, u.partition, u.broker
),

ranked AS (
    SELECT
        *,
        row_number() OVER (
            PARTITION BY cluster ORDER BY rank_in_cause ASC, cause ASC, times_the_mean DESC, partition ASC, leader ASC
        ) AS place
    FROM parts
)

SELECT
    cluster,
    topic,
    partition,
    leader,
    windows,
    records,
    times_the_mean,
    produce_mean_ms,
    produce_p99_ms
FROM ranked
WHERE place <= 40
ORDER BY cluster, place
