-- Could the symptom be looked for at all?
-- in:  broker_days, intervals, produce_times, partition_rates
-- out: one row per cluster: whether it was evaluated, and one sentence per input that is missing
WITH spans AS (
    SELECT
        cluster,
        broker,
        count(*) AS spans
    FROM intervals
    WHERE kind = 'sweeps' AND seconds > 0
    GROUP BY cluster, broker
),

times AS (
    SELECT DISTINCT
        cluster,
        broker
    FROM produce_times
),

-- Kafka makes the Produce times at the first Produce: a broker that leads nothing with records needs none
led AS (
    SELECT DISTINCT
        cluster,
        broker
    FROM partition_rates
    WHERE records > 0
),

measured AS (
    SELECT
        b.cluster,
        b.broker,
        -- a read whose log ends were cut off or refused gives an interval, and no rates
        coalesce(s.spans, 0) >= :min_windows AND b.ok_reads + b.partial_reads >= :min_windows AS has_spans,
        t.broker IS NOT NULL OR l.broker IS NULL AS has_times
    FROM broker_days AS b
    LEFT JOIN spans AS s ON b.cluster = s.cluster AND b.broker = s.broker
    LEFT JOIN times AS t ON b.cluster = t.cluster AND b.broker = t.broker
    LEFT JOIN led AS l ON b.cluster = l.cluster AND b.broker = l.broker
    WHERE b.is_broker AND array_contains(:clusters, b.cluster)
)

SELECT
    cluster,
    count_if(has_spans AND has_times) / count(*) >= :min_coverage AS evaluated,
    sort_array(
        collect_list(
            CASE
                WHEN NOT has_spans
                    THEN concat(
                        'broker ', broker, ': fewer than ', cast(:min_windows AS INT),
                        ' intervals between sweeps that read all its partitions, ',
                        'so the rates of the partitions that it leads are not known'
                    )
                WHEN NOT has_times
                    THEN concat(
                        'broker ', broker, ': no two reads of one process with its Produce times, ',
                        'so whether it is slow is not known'
                    )
            END
        )
    ) AS missing
FROM measured
GROUP BY cluster
