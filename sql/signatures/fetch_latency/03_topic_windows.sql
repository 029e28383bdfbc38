-- What each broker took in and gave out per topic and window.
-- in:  topic_traffic, fetch_spans
-- out: one row per cluster, broker, topic and window; bytes_out is what consumers got, leaders > 0 where it leads any
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
    max(x.replicas) AS replicas
FROM topic_traffic AS x
INNER JOIN fetch_spans AS s
    ON x.cluster = s.cluster AND x.broker = s.broker AND x.to_sweep = s.to_sweep AND x.kind = s.kind
GROUP BY x.cluster, x.broker, x.topic, s.time_window
