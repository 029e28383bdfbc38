-- Could a skipped start be seen at all?
-- in:  cluster_days, offset_reads, broker_days
-- out: one row per cluster: whether it was evaluated, and one sentence per input that is missing
WITH spans AS (
    SELECT
        c.cluster,
        coalesce(o.covered, 0) AS covered
    FROM cluster_days AS c
    LEFT JOIN offset_reads AS o ON c.cluster = o.cluster
    WHERE array_contains(:clusters, c.cluster)
),

brokers AS (
    SELECT
        cluster,
        -- a read that was cut off does not tell of all logs
        count_if(ok_reads + partial_reads > 0) / count(*) AS covered,
        sort_array(
            collect_list(
                CASE
                    WHEN ok_reads + partial_reads = 0
                        THEN concat(
                            'broker ', broker, ': its logs were never read in whole, so where they start is not known'
                        )
                END
            )
        ) AS missing
    FROM broker_days
    WHERE is_broker AND array_contains(:clusters, cluster)
    GROUP BY cluster
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
