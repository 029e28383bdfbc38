-- Were there Produce errors that a retry mends, while producers that may not retry were connected?
-- in:  produce_errors, failed_topics, declared_producers
-- out: one row per cluster and cause: always suggestive, since a broker counts errors and not lost records
WITH losing AS (
    SELECT *
    FROM produce_errors
    WHERE cause IS NOT NULL AND may_lose
),

-- share: of all partition batches of the brokers and intervals with such errors
spans AS (
    SELECT
        cluster,
        cause,
        broker,
        to_sweep,
        kind,
        try_sum(errors) AS errors,
        max(batches) AS batches
    FROM losing
    GROUP BY cluster, cause, broker, to_sweep, kind
),

brokers AS (
    SELECT
        cluster,
        cause,
        broker,
        try_sum(errors) AS errors,
        try_sum(batches) AS batches
    FROM spans
    GROUP BY cluster, cause, broker
),

shares AS (
    SELECT
        cluster,
        cause,
        try_sum(errors) AS errors,
        try_sum(batches) AS batches,
        sort_array(collect_list(STRUCT(-errors AS fewer, broker))) AS brokers
    FROM brokers
    GROUP BY cluster, cause
),

-- the brokers count failed batches by topic for want of replicas, and not for the other causes
short_topics AS (
    SELECT
        s.cluster,
        s.cause,
        f.topic,
        try_sum(f.failed_batches) AS failed
    FROM spans AS s
    INNER JOIN failed_topics AS f ON s.cluster = f.cluster AND s.broker = f.broker AND s.to_sweep = f.to_sweep
    WHERE s.cause = 'min_isr'
    GROUP BY s.cluster, s.cause, f.topic
),

topics AS (
    SELECT
        cluster,
        cause,
        sort_array(collect_list(STRUCT(-failed AS fewer, topic))) AS topics
    FROM short_topics
    GROUP BY cluster, cause
),

clients AS (
    SELECT
        cluster,
        cause,
        min(from_at) AS from_at,
        max(to_at) AS to_at,
        max(nameless) AS nameless,
        max(old_java) AS old_java,
        max(CASE WHEN connections > 0 THEN least(1, try_divide(nameless + old_java, connections)) END) AS share_at_most,
        array_sort(array_distinct(flatten(collect_list(nameless_on)))) AS nameless_on,
        array_sort(array_distinct(flatten(collect_list(old_java_on)))) AS old_java_on
    FROM losing
    GROUP BY cluster, cause
),

apart AS (
    SELECT
        cluster,
        try_sum(errors) AS errors
    FROM produce_errors
    WHERE cause IS NULL
    GROUP BY cluster
),

declared AS (
    SELECT
        cluster,
        count(*) AS fleets,
        array_sort(
            collect_set(
                concat(
                    'client ', software, ' ', versions, coalesce(concat(' on listener ', listener), ''), ' (declared)'
                )
            )
        ) AS fleet_names
    FROM declared_producers
    WHERE without_retries OR default_zero
    GROUP BY cluster
),

named AS (
    SELECT
        b.cluster,
        b.cause,
        b.errors,
        b.batches,
        c.from_at,
        c.to_at,
        c.nameless,
        c.old_java,
        c.share_at_most,
        a.errors AS apart,
        transform(b.brokers, x -> concat('broker ', x.broker)) AS brokers,
        concat(
            coalesce(d.fleet_names, array()),
            transform(
                coalesce(c.old_java_on, array()), x -> concat('client apache-kafka-java before 2.1 on listener ', x)
            ),
            transform(coalesce(c.nameless_on, array()), x -> concat('client unknown on listener ', x))
        ) AS clients,
        transform(coalesce(t.topics, array()), x -> concat('topic ', x.topic)) AS topics
    FROM shares AS b
    INNER JOIN clients AS c ON b.cluster = c.cluster AND b.cause = c.cause
    LEFT JOIN topics AS t ON b.cluster = t.cluster AND b.cause = t.cause
    LEFT JOIN apart AS a ON b.cluster = a.cluster
    LEFT JOIN declared AS d ON b.cluster = d.cluster
    WHERE b.errors >= :min_errors
),

-- at most 20 subjects: six brokers, five clients, seven topics, and how many more there are of brokers and topics
listed AS (
    SELECT
        *,
        concat(
            slice(brokers, 1, 6),
            CASE WHEN size(brokers) > 6 THEN array(concat('and ', size(brokers) - 6, ' more brokers')) ELSE array() END,
            slice(clients, 1, 5),
            slice(topics, 1, 7),
            CASE WHEN size(topics) > 7 THEN array(concat('and ', size(topics) - 7, ' more topics')) ELSE array() END
        ) AS subjects
    FROM named
)

SELECT
    cluster,
    cause,
    from_at,
    to_at,
    subjects,
    errors,
    share_at_most,
    apart,
    'suggestive' AS strength,
    array_join(slice(brokers, 1, 6), ', ') AS place,
    nullif(nameless, 0) AS nameless,
    nullif(old_java, 0) AS old_java,
    STRUCT(0 AS lost_partition_batches_at_least, errors AS lost_partition_batches_at_most) AS bounds,
    try_divide(errors, batches) AS error_share
FROM listed
ORDER BY cluster, cause
