-- How often a listener makes connections on this day: median and median absolute deviation of the rates.
-- in:  connection_spans
-- out: one row per cluster, broker and listener; the higher of the broker's own and of all brokers', connections/s
WITH rates AS (
    SELECT
        cluster,
        broker,
        listener,
        try_divide(created, seconds) AS rate
    FROM connection_spans
    WHERE kind = 'sweeps'
),

own AS (
    SELECT
        cluster,
        broker,
        listener,
        percentile(rate, 0.5) AS rate
    FROM rates
    GROUP BY cluster, broker, listener
),

pooled AS (
    SELECT
        cluster,
        listener,
        percentile(rate, 0.5) AS rate,
        count(*) AS interval_count
    FROM rates
    GROUP BY cluster, listener
),

deviations AS (
    SELECT
        r.cluster,
        r.broker,
        r.listener,
        abs(r.rate - o.rate) AS own_deviation,
        abs(r.rate - p.rate) AS pooled_deviation
    FROM rates AS r
    INNER JOIN own AS o ON r.cluster = o.cluster AND r.broker = o.broker AND r.listener = o.listener
    INNER JOIN pooled AS p ON r.cluster = p.cluster AND r.listener = p.listener
),

own_mad AS (
    SELECT
        cluster,
        broker,
        listener,
        percentile(own_deviation, 0.5) AS mad
    FROM deviations
    GROUP BY cluster, broker, listener
),

pooled_mad AS (
    SELECT
        cluster,
        listener,
        percentile(pooled_deviation, 0.5) AS mad
    FROM deviations
    GROUP BY cluster, listener
),

everywhere AS (
    SELECT DISTINCT
        cluster,
        broker,
        listener
    FROM connection_spans
)

SELECT
    e.cluster,
    e.broker,
    e.listener,
    coalesce(p.interval_count, 0) AS interval_count,
    coalesce(greatest(o.rate, p.rate), 0.0D) AS rate,
    coalesce(greatest(om.mad, pm.mad), 0.0D) AS mad
FROM everywhere AS e
LEFT JOIN own AS o ON e.cluster = o.cluster AND e.broker = o.broker AND e.listener = o.listener
LEFT JOIN own_mad AS om ON e.cluster = om.cluster AND e.broker = om.broker AND e.listener = om.listener
LEFT JOIN pooled AS p ON e.cluster = p.cluster AND e.listener = p.listener
LEFT JOIN pooled_mad AS pm ON e.cluster = pm.cluster AND e.listener = pm.listener
