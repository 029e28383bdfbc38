-- Each partition's records under each of its leaders, while that leader was slow and while it was not.
-- in:  partition_rates, skew_stays, skew_leaders
-- out: one row per cluster, topic, partition, leader, pace, contrasted and calm. Sums over the row's windows, each
--      with the records of the topic as its weight; share is the partition's rate over the mean of the topic's
WITH shares AS (
    SELECT
        r.cluster,
        r.topic,
        r.partition,
        r.broker,
        r.records,
        r.seconds,
        s.pace,
        s.requests,
        s.mean_ms,
        s.p50_ms,
        s.p99_ms,
        w.contrasted,
        w.calm,
        w.records AS topic_records,
        try_divide(try_divide(r.records, r.seconds), try_divide(w.rate_sum, w.partition_count)) * w.records AS weighed,
        try_divide(r.records, r.seconds)
        * (w.partition_count - 1)
        / greatest(w.rate_sum - try_divide(r.records, r.seconds), 1e-9) AS of_others
    FROM partition_rates AS r
    INNER JOIN skew_stays AS w
        ON r.cluster = w.cluster AND r.topic = w.topic AND r.from_sweep = w.from_sweep AND r.to_sweep = w.to_sweep
    LEFT JOIN skew_leaders AS s
        ON r.cluster = s.cluster AND r.broker = s.broker AND r.from_sweep = s.from_sweep AND r.to_sweep = s.to_sweep
    WHERE NOT coalesce(r.went_back, FALSE)
)

SELECT
    cluster,
    topic,
    partition,
    broker,
    pace,
    contrasted,
    calm,
    -- whole parts and nine or twelve digits of the rest are summed as whole numbers, which no order changes; decimals
    -- would do so too, and take most of the time of a large cluster's day
    try_sum(try_cast(floor(seconds) AS BIGINT))
    + try_sum(try_cast(floor((seconds - floor(seconds)) * 1e9) AS BIGINT)) / 1e9 AS seconds,
    try_sum(try_cast(floor(weighed) AS BIGINT))
    + try_sum(try_cast(floor((weighed - floor(weighed)) * 1e12) AS BIGINT)) / 1e12 AS weighted_share,
    -- Produce times of the leader are weighted by its requests
    try_sum(try_cast(floor(mean_ms * requests) AS BIGINT))
    + try_sum(try_cast(floor((mean_ms * requests - floor(mean_ms * requests)) * 1e9) AS BIGINT)) / 1e9 AS mean_ms_sum,
    try_sum(try_cast(floor(p50_ms * requests) AS BIGINT))
    + try_sum(try_cast(floor((p50_ms * requests - floor(p50_ms * requests)) * 1e9) AS BIGINT)) / 1e9 AS p50_ms_sum,
    try_sum(try_cast(floor(p99_ms * requests) AS BIGINT))
    + try_sum(try_cast(floor((p99_ms * requests - floor(p99_ms * requests)) * 1e9) AS BIGINT)) / 1e9 AS p99_ms_sum,
    try_sum(requests) AS requests,
    count(*) AS windows,
    count_if(of_others >= :min_window_ratio) AS hot_windows,
    try_sum(records) AS records,
    try_sum(topic_records) AS weight
FROM shares
GROUP BY cluster, topic, partition, broker, pace, contrasted, calm
