-- The subjects of each cause, each once, at the place of the worst row that names it.
-- in:  reported_rewinds
-- out: one row per cluster and cause: lists of "broker N", "group G", "topic T", "partition T-P", worst first
WITH named AS (
    SELECT
        cluster,
        cause,
        collect_set(
            CASE
                WHEN broker IS NOT NULL AND cause != 'manual'
                    THEN STRUCT(broker_place, concat('broker ', broker) AS named)
            END
        ) AS brokers,
        collect_set(
            CASE WHEN group_id IS NOT NULL THEN STRUCT(group_place, concat('group ', group_id) AS named) END
        ) AS consumer_groups,
        collect_set(STRUCT(topic_place, concat('topic ', topic) AS named)) AS topics,
        collect_list(
            CASE
                WHEN lost_partition IS NOT NULL
                    THEN STRUCT(place, concat('partition ', topic, '-', lost_partition) AS named)
            END
        ) AS lost_partitions
    FROM reported_rewinds
    GROUP BY cluster, cause
)

SELECT
    cluster,
    cause,
    transform(array_sort(brokers), x -> x.named) AS brokers,
    transform(array_sort(consumer_groups), x -> x.named) AS consumer_groups,
    transform(array_sort(topics), x -> x.named) AS topics,
    array_distinct(transform(array_sort(lost_partitions), x -> x.named)) AS lost_partitions
FROM named
