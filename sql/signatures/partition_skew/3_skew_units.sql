-- Each partition's records under each of its leaders, while that leader was slow and while it was not.
-- out: one row per cluster, topic, partition, leader, pace, contrasted and calm: sums over its windows. weighed: of the
--      partition's rate over the mean of the topic's, by the records of the topic, which are the weight; *_us: of the
--      leader's Produce times, by its requests. Of the whole partition: day_rate and calm_rate are such means,
--      longest_led 1 is of the leader that it had longest, stayed_hot: in half of the windows of several leaders
WITH shares AS (
    SELECT
        r.*,
        s.* EXCEPT (cluster, broker, from_sweep, to_sweep, seconds),
        w.contrasted,
        w.min_windows,
        w.records AS weight,
        w.calm AND w.calm_windows >= w.min_windows AS calm,
        try_divide(try_divide(r.records, r.seconds), try_divide(w.rate_sum, w.partition_count)) * w.records AS weighed,
        try_divide(r.records, r.seconds) * (w.partition_count - 1)
        >= w.min_window_ratio * greatest(w.rate_sum - try_divide(r.records, r.seconds), 1e-9) AS hot
    FROM partition_rates AS r
    INNER JOIN skew_windows AS w
        ON r.cluster = w.cluster AND r.topic = w.topic AND r.from_sweep = w.from_sweep AND r.to_sweep = w.to_sweep
    LEFT JOIN skew_leaders AS s
        ON r.cluster = s.cluster AND r.broker = s.broker AND r.from_sweep = s.from_sweep AND r.to_sweep = s.to_sweep
    WHERE NOT coalesce(r.went_back, FALSE)
),

units AS (
    SELECT
        cluster,
        topic,
        partition,
        broker,
        pace,
        contrasted,
        calm,
        min_windows,
        -- whole parts and twelve digits of the rest are summed as whole numbers, which no order changes; decimals would
        -- do so too, and take most of the time of a large cluster's day
        try_sum(try_cast(floor(weighed) AS BIGINT))
        + try_sum(try_cast(floor((weighed - floor(weighed)) * 1e12) AS BIGINT)) / 1e12 AS weighed,
        try_sum(weight) AS weight,
        try_sum(records) AS records,
        try_sum(requests) AS requests,
        try_sum(try_cast(mean_ms * requests * 1000 AS BIGINT)) AS mean_us,
        try_sum(try_cast(p50_ms * requests * 1000 AS BIGINT)) AS p50_us,
        try_sum(try_cast(p99_ms * requests * 1000 AS BIGINT)) AS p99_us,
        count(*) AS windows,
        count_if(hot) AS hot_windows,
        try_sum(count(*)) OVER of_leader AS led_windows,
        if(2 * try_sum(count_if(hot)) OVER of_leader >= try_sum(count(*)) OVER of_leader, broker, NULL) AS hot_leader
    FROM shares
    GROUP BY cluster, topic, partition, broker, pace, contrasted, calm, min_windows
    WINDOW of_leader AS (PARTITION BY cluster, topic, partition, broker)
)

SELECT
    *,
    try_divide(1.0D * try_sum(try_cast(weighed AS DECIMAL(38, 12))) OVER whole, try_sum(weight) OVER whole) AS day_rate,
    1.0D * try_sum(if(calm, try_cast(weighed AS DECIMAL(38, 12)), NULL)) OVER whole
    / nullif(try_sum(if(calm, weight, NULL)) OVER whole, 0) AS calm_rate,
    try_sum(hot_windows) OVER whole AS day_hot_windows,
    max(if(led_windows >= min_windows, hot_leader, NULL)) OVER whole
    != min(if(led_windows >= min_windows, hot_leader, NULL)) OVER whole AS stayed_hot,
    row_number() OVER (PARTITION BY cluster, topic, partition ORDER BY led_windows DESC, broker ASC) AS longest_led
FROM units
WINDOW whole AS (PARTITION BY cluster, topic, partition)
