-- Could the symptom be looked for at all?
-- in:  broker_days, connection_spans, storms, host_counters
-- out: one row per cluster: whether it was evaluated, and one sentence per input that is missing
WITH spans AS (
    SELECT
        cluster,
        broker,
        max(backlog_known) AS backlog_known,
        count_if(kind = 'sweeps' OR seconds <= :burst_s) AS spans
    FROM connection_spans
    GROUP BY cluster, broker
),

hosts AS (
    SELECT
        cluster,
        broker,
        max(somaxconn IS NOT NULL) AS has_limits
    FROM host_counters
    GROUP BY cluster, broker
),

-- where nothing is proven, the kernel's counters would have told
doubts AS (
    SELECT
        cluster,
        broker,
        max(NOT host_read) AS without_host
    FROM storms
    GROUP BY cluster, broker
    HAVING min(strength) = 'suggestive'
),

measured AS (
    SELECT
        b.cluster,
        b.broker,
        coalesce(s.spans, 0) > 0 AS has_spans,
        flatten(array(
            if(
                coalesce(s.spans, 0) > 0,
                array(),
                array(concat('broker ', b.broker, ': no two reads of one process with the counters of connections'))
            ),
            if(
                coalesce(s.backlog_known, TRUE),
                array(),
                array(
                    concat('broker ', b.broker, ': socket.listen.backlog.size was not read; 50 is assumed')
                )
            ),
            if(
                coalesce(d.without_host, FALSE),
                array(
                    concat('broker ', b.broker, ': no kernel counters, so whether the backlog overflowed is not known')
                ),
                array()
            ),
            if(
                coalesce(h.has_limits, TRUE),
                array(),
                array(
                    concat('broker ', b.broker, ': net.core.somaxconn was not read (node_exporter''s sysctl collector)')
                )
            )
        )) AS missing
    FROM broker_days AS b
    LEFT JOIN spans AS s ON b.cluster = s.cluster AND b.broker = s.broker
    LEFT JOIN hosts AS h ON b.cluster = h.cluster AND b.broker = h.broker
    LEFT JOIN doubts AS d ON b.cluster = d.cluster AND b.broker = d.broker
    WHERE b.is_broker AND array_contains(:clusters, b.cluster)
)

SELECT
    cluster,
    count_if(has_spans) / count(*) >= :min_coverage AS evaluated,
    flatten(
        transform(array_sort(collect_list(named_struct('broker', broker, 'missing', missing))), x -> x.missing)
    ) AS missing
FROM measured
GROUP BY cluster
