-- What each number of a close look did from one reading to the next.
-- in:  raw_looks, raw_look_reads
-- out: one row per look, number and reading after its first; step is null where a counter ran back. The earlier value
--      was taken at from_ms or after, the later one at to_ms or before, both ms since started_at.
WITH reads AS (
    SELECT
        r.cluster,
        r.broker,
        r.signature,
        r.sweep_at,
        l.started_at,
        r.metric,
        r.topic,
        r.partition,
        r.slot,
        r.value,
        r.offset_ms + r.spent_ms / 2 AS to_ms,
        lag(r.slot) OVER number_reads AS slot_before,
        lag(r.offset_ms - r.spent_ms / 2) OVER number_reads AS from_ms,
        lag(r.value) OVER number_reads AS value_before
    FROM raw_look_reads AS r
    INNER JOIN raw_looks AS l
        ON
            r.cluster = l.cluster
            AND r.sweep_at = l.sweep_at
            AND r.broker = l.broker
            AND r.signature = l.signature
    WHERE to_date(r.sweep_at) = :ds AND l.outcome IN ('ok', 'partial')
    WINDOW number_reads AS (
        PARTITION BY r.cluster, r.sweep_at, r.broker, r.signature, r.metric, r.topic, r.partition ORDER BY r.slot
    )
)

SELECT
    cluster,
    broker,
    signature,
    sweep_at,
    started_at,
    metric,
    topic,
    partition,
    slot,
    from_ms,
    to_ms,
    CASE WHEN value >= value_before THEN try_subtract(value, value_before) END AS step
FROM reads
WHERE slot = try_add(slot_before, 1)
