-- Frozen and lagging sets as one row per cluster and cause: totals, and who is named in the finding.
-- in:  isr_waiting
-- out: one row per cluster and cause; subjects: at most 4 brokers and 15 partitions, then how many more
WITH by_partition AS (
    SELECT
        cluster,
        cause,
        topic,
        partition,
        max(seconds) AS seconds
    FROM isr_waiting
    GROUP BY cluster, cause, topic, partition
),

partitions_named AS (
    SELECT
        cluster,
        cause,
        count(*) AS partition_count,
        slice(
            sort_array(collect_list(STRUCT(-seconds AS badness, topic, partition))), 1, 15
        ) AS worst
    FROM by_partition
    GROUP BY cluster, cause
),

by_broker AS (
    SELECT
        cluster,
        cause,
        broker,
        count(DISTINCT topic, partition) AS partition_count
    FROM isr_waiting
    GROUP BY cluster, cause, broker
),

brokers_named AS (
    SELECT
        cluster,
        cause,
        slice(sort_array(collect_list(STRUCT(-partition_count AS badness, broker))), 1, 4) AS worst
    FROM by_broker
    GROUP BY cluster, cause
),

totals AS (
    SELECT
        cluster,
        cause,
        strength,
        min(from_at) AS from_at,
        max(to_at) AS to_at,
        max(seconds) AS seconds,
        try_sum(records) AS records,
        max(lag) AS lag,
        max(isr_expands) AS isr_expands,
        max(failed_isr_updates) AS failed_isr_updates,
        max(leader_replicas) AS leader_replicas,
        count_if(is_preferred) AS preferred_count
    FROM isr_waiting
    GROUP BY cluster, cause, strength
)

SELECT
    t.*,
    p.partition_count,
    get(b.worst, 0).broker AS worst_broker,
    concat(
        transform(b.worst, x -> concat('broker ', x.broker)),
        transform(p.worst, x -> concat('partition ', x.topic, '-', x.partition)),
        CASE
            WHEN p.partition_count > 15
                THEN array(concat('and ', format_number(p.partition_count - 15, 0), ' more partitions'))
            ELSE array()
        END
    ) AS subjects
FROM totals AS t
INNER JOIN brokers_named AS b ON t.cluster = b.cluster AND t.cause = b.cause
INNER JOIN partitions_named AS p ON t.cluster = p.cluster AND t.cause = p.cause
