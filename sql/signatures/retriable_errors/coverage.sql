-- Could the symptom be looked for at all?
-- in:  broker_days, error_spans, client_sweeps, declared_producers, produce_errors
-- out: one row per cluster: whether it was evaluated, and one sentence per input that is missing
WITH measured AS (
    SELECT
        b.cluster,
        b.broker,
        max(s.broker) IS NOT NULL AS has_spans
    FROM broker_days AS b
    LEFT JOIN error_spans AS s ON b.cluster = s.cluster AND b.broker = s.broker
    WHERE b.is_broker AND array_contains(:clusters, b.cluster)
    GROUP BY b.cluster, b.broker
),

brokers AS (
    SELECT
        cluster,
        count_if(has_spans) / count(*) >= :min_coverage AS enough,
        sort_array(
            collect_list(
                CASE
                    WHEN NOT has_spans
                        THEN concat('broker ', broker, ': no two reads of one process with the counters of error codes')
                END
            )
        ) AS missing
    FROM measured
    GROUP BY cluster
),

clients AS (
    SELECT
        cluster,
        max(nameless) AS nameless,
        max(old_java) AS old_java
    FROM client_sweeps
    GROUP BY cluster
),

declared AS (
    SELECT
        cluster,
        count_if(without_retries OR default_zero) AS fleets
    FROM declared_producers
    GROUP BY cluster
),

counted AS (
    SELECT
        cluster,
        try_sum(CASE WHEN cause IS NOT NULL THEN errors END) AS errors
    FROM produce_errors
    GROUP BY cluster
),

judged AS (
    SELECT
        b.cluster,
        b.enough,
        b.missing,
        e.errors,
        -- without any such error it does not matter who is connected
        c.cluster IS NULL AND coalesce(d.fleets, 0) = 0 AND coalesce(e.errors, 0) >= :min_errors AS clients_needed,
        coalesce(c.nameless >= :min_nameless, FALSE)
        OR coalesce(c.old_java > 0, FALSE)
        OR coalesce(d.fleets > 0, FALSE) AS clients_without_retries
    FROM brokers AS b
    LEFT JOIN clients AS c ON b.cluster = c.cluster
    LEFT JOIN declared AS d ON b.cluster = d.cluster
    LEFT JOIN counted AS e ON b.cluster = e.cluster
)

SELECT
    cluster,
    enough AND NOT clients_needed AS evaluated,
    concat(
        missing,
        filter(
            array(
                CASE
                    WHEN clients_needed
                        THEN concat(
                            'the brokers do not tell client libraries (they do from 2.5 on), so whether producers',
                            ' without retries met the ', errors, ' retriable Produce errors of the day is not known;',
                            ' declare them under client_configs.producers'
                        )
                END,
                CASE
                    WHEN clients_without_retries
                        THEN concat(
                            'NETWORK_EXCEPTION, a connection that breaks before the answer, loses records of such',
                            ' producers too and is counted by no broker; only the client or a capture shows it'
                        )
                END
            ),
            sentence -> sentence IS NOT NULL
        )
    ) AS missing
FROM judged
