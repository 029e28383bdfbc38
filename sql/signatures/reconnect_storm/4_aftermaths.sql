-- How long a broker took to send its answers to consumers before and after a burst.
-- in:  bursts, request_times
-- out: one row per cluster, broker and burst with two reads on both sides; the median of the 99 % quantiles, ms
WITH spans AS (
    SELECT DISTINCT
        cluster,
        broker,
        to_sweep,
        from_at,
        to_at
    FROM bursts
),

sides AS (
    SELECT
        s.cluster,
        s.broker,
        s.to_sweep,
        t.p99_ms,
        t.read_at > s.to_at AS later
    FROM spans AS s
    INNER JOIN request_times AS t
        ON
            s.cluster = t.cluster
            AND s.broker = t.broker
            AND t.request = 'FetchConsumer'
            AND t.phase = 'ResponseSendTimeMs'
    WHERE
        t.p99_ms IS NOT NULL
        AND (
            (t.read_at > s.to_at AND unix_micros(t.read_at) - unix_micros(s.to_at) <= 1000000 * :aftermath_s)
            OR (t.read_at <= s.from_at AND unix_micros(s.from_at) - unix_micros(t.read_at) <= 1000000 * :aftermath_s)
        )
)

SELECT
    cluster,
    broker,
    to_sweep,
    percentile(p99_ms, 0.5) FILTER (WHERE NOT later) AS send_ms_before,
    percentile(p99_ms, 0.5) FILTER (WHERE later) AS send_ms_after
FROM sides
GROUP BY cluster, broker, to_sweep
HAVING count_if(later) >= 2 AND count_if(NOT later) >= 2
