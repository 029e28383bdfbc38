-- Records that read_committed consumers do not get, of the partitions whose transactions are detected.
-- in:  hanging_transaction_detections, open_transactions
-- out: one row per detected partition and sweep that saw the transaction
SELECT
    d.cluster,
    'held' AS chart,
    d.topic AS object_name,
    cast(d.partition_id AS STRING) AS object_detail,
    o.read_at AS from_at,
    o.read_at AS to_at,
    max(o.high_watermark - o.last_stable_offset) AS amount
FROM hanging_transaction_detections AS d
INNER JOIN open_transactions AS o
    ON
        d.cluster = o.cluster AND d.topic = o.topic AND d.partition_id = o.partition
        AND d.producer_id = o.producer_id AND d.start_offset = o.start_offset
WHERE d.ordinal <= 4 AND o.high_watermark >= o.last_stable_offset
GROUP BY d.cluster, d.topic, d.partition_id, o.read_at
