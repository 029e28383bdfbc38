-- Produce answers that tell an idempotent producer that the broker does not know its sequence, per interval.
-- in:  intervals, raw_brokers, raw_broker_metrics, raw_request_errors
-- out: one row per broker and interval of one process; counts, null where a read was not whole. An error's counter is
--      made at its first event, so that a whole read without it is 0.
WITH errors AS (
    SELECT
        cluster,
        broker,
        sweep_at,
        try_sum(CASE WHEN error = 'OUT_OF_ORDER_SEQUENCE_NUMBER' THEN errors END) AS out_of_order,
        try_sum(CASE WHEN error = 'UNKNOWN_PRODUCER_ID' THEN errors END) AS unknown_producer_ids
    FROM raw_request_errors
    WHERE request = 'Produce'
    GROUP BY cluster, broker, sweep_at
),

reads AS (
    SELECT
        b.cluster,
        b.broker,
        b.sweep_at,
        m.invalid_offset_or_sequence,
        CASE WHEN b.outcome = 'ok' THEN coalesce(e.out_of_order, 0) ELSE e.out_of_order END AS out_of_order,
        CASE
            WHEN b.outcome = 'ok' THEN coalesce(e.unknown_producer_ids, 0)
            ELSE e.unknown_producer_ids
        END AS unknown_producer_ids
    FROM raw_brokers AS b
    INNER JOIN raw_broker_metrics AS m ON b.cluster = m.cluster AND b.broker = m.broker AND b.sweep_at = m.sweep_at
    LEFT JOIN errors AS e ON b.cluster = e.cluster AND b.broker = e.broker AND b.sweep_at = e.sweep_at
)

SELECT
    i.cluster,
    i.broker,
    i.kind,
    i.from_sweep,
    i.to_sweep,
    i.from_at,
    i.to_at,
    i.seconds,
    try_subtract(t.out_of_order, CASE WHEN i.kind = 'start' THEN 0 ELSE f.out_of_order END) AS out_of_order,
    try_subtract(
        t.unknown_producer_ids, CASE WHEN i.kind = 'start' THEN 0 ELSE f.unknown_producer_ids END
    ) AS unknown_producer_ids,
    t.invalid_offset_or_sequence
    - CASE WHEN i.kind = 'start' THEN 0 ELSE f.invalid_offset_or_sequence END AS invalid_records
FROM intervals AS i
INNER JOIN reads AS t ON i.cluster = t.cluster AND i.broker = t.broker AND i.to_sweep = t.sweep_at
LEFT JOIN reads AS f ON i.cluster = f.cluster AND i.broker = f.broker AND i.from_sweep = f.sweep_at
WHERE i.same_process AND i.seconds > 0
