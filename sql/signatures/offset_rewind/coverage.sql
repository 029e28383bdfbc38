-- Could a step back be seen, in committed offsets and in log ends?
-- in:  cluster_days, offset_reads, broker_days, intervals
-- out: one row per cluster: whether it was evaluated, and one sentence per input that is missing
WITH spans AS (
    SELECT
        c.cluster,
        coalesce(o.covered, 0) AS covered
    FROM cluster_days AS c
    LEFT JOIN offset_reads AS o ON c.cluster = o.cluster
    WHERE array_contains(:clusters, c.cluster)
),

read_twice AS (
    SELECT DISTINCT
        cluster,
        broker
    FROM intervals
    WHERE kind = 'sweeps'
),

brokers AS (
    SELECT
        b.cluster,
        -- a read that was cut off does not tell of all logs
        count_if(r.broker IS NOT NULL AND b.ok_reads + b.partial_reads > 0) / count(*) AS covered,
        sort_array(
            collect_list(
                CASE
                    WHEN r.broker IS NULL OR b.ok_reads + b.partial_reads = 0
                        THEN concat('broker ', b.broker, ': its logs were not read in whole at two sweeps')
                END
            )
        ) AS missing
    FROM broker_days AS b
    LEFT JOIN read_twice AS r ON b.cluster = r.cluster AND b.broker = r.broker
    WHERE b.is_broker AND array_contains(:clusters, b.cluster)
    GROUP BY b.cluster
)

SELECT
    s.cluster,
    s.covered >= :min_coverage AND coalesce(b.covered, 0) >= :min_coverage AS evaluated,
    concat(
        CASE
            WHEN s.covered < :min_coverage
                THEN array(
                    concat(
                        'committed offsets were not read at two sweeps that span the day''s; covered: ',
                        format_number(100 * s.covered, 0), ' %'
                    )
                )
            ELSE array()
        END,
        coalesce(b.missing, array('no broker was read'))
    ) AS missing
FROM spans AS s
LEFT JOIN brokers AS b ON s.cluster = b.cluster
