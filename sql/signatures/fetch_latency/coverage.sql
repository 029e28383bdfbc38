-- Could the symptom be looked for at all?
-- in:  broker_days, fetch_spans, cluster_days, unread_groups
-- out: one row per cluster: whether it was evaluated, and one sentence per input that is missing
WITH measured AS (
    SELECT
        b.cluster,
        b.broker,
        max(s.broker) IS NOT NULL AS has_spans
    FROM broker_days AS b
    LEFT JOIN fetch_spans AS s ON b.cluster = s.cluster AND b.broker = s.broker
    WHERE b.is_broker AND array_contains(:clusters, b.cluster)
    GROUP BY b.cluster, b.broker
),

brokers AS (
    SELECT
        cluster,
        count_if(has_spans) / count(*) >= :min_coverage AS evaluated,
        sort_array(
            collect_list(
                CASE
                    WHEN NOT has_spans
                        THEN concat(
                            'broker ', broker, ': no two reads of one process with the counters of consumer fetches'
                        )
                END
            )
        ) AS missing
    FROM measured
    GROUP BY cluster
),

unread AS (
    SELECT
        cluster,
        count(*) AS sweeps
    FROM unread_groups
    GROUP BY cluster
)

SELECT
    b.cluster,
    b.evaluated,
    concat(
        b.missing,
        CASE
            WHEN NOT c.groups_read
                THEN array('consumer groups could not be read, so what idle readers let expire is not known')
            WHEN u.sweeps > 0
                THEN array(concat(
                    'consumer groups could not be read at ', u.sweeps, ' of ', c.sweep_count,
                    ' sweeps; intervals that end there are not judged'
                ))
            ELSE array()
        END
    ) AS missing
FROM brokers AS b
INNER JOIN cluster_days AS c ON b.cluster = c.cluster
LEFT JOIN unread AS u ON b.cluster = u.cluster
