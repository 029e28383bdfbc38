-- Everything that went back or is about to, as one list of places.
-- in:  rewound_groups, lost_log_ends, unclean_leaders, unsafe_coordinators
-- out: one row per cluster, cause and place; subjects worst first within a row
SELECT
    cluster,
    cause,
    CASE WHEN sure THEN 'conclusive' ELSE 'suggestive' END AS strength,
    from_sweep AS from_at,
    to_sweep AS to_at,
    group_id,
    topic,
    cast(NULL AS INT) AS lost_partition,
    records_back AS weight,
    records_back,
    partitions_back,
    partitions_held,
    rewound_groups,
    read_again_with_earliest,
    skipped_with_latest,
    cast(NULL AS BIGINT) AS records_lost,
    cast(NULL AS BIGINT) AS outside_isr,
    cast(NULL AS BIGINT) AS unclean_elections,
    CASE WHEN cause = 'stale_load' THEN coordinator END AS broker
FROM rewound_groups
UNION ALL
SELECT
    cluster,
    'truncation' AS cause,
    CASE WHEN sure THEN 'conclusive' ELSE 'suggestive' END AS strength,
    from_sweep AS from_at,
    to_sweep AS to_at,
    cast(NULL AS STRING) AS group_id,
    topic,
    partition AS lost_partition,
    records_lost AS weight,
    cast(NULL AS BIGINT) AS records_back,
    cast(NULL AS BIGINT) AS partitions_back,
    cast(NULL AS BIGINT) AS partitions_held,
    cast(NULL AS BIGINT) AS rewound_groups,
    cast(NULL AS BIGINT) AS read_again_with_earliest,
    cast(NULL AS BIGINT) AS skipped_with_latest,
    records_lost,
    CASE WHEN NOT led_in_isr THEN 1L END AS outside_isr,
    unclean_elections,
    broker
FROM lost_log_ends
UNION ALL
SELECT
    cluster,
    'unclean_election' AS cause,
    -- without topic ids the leader may be that of a topic created anew
    CASE WHEN proven AND same_topic THEN 'conclusive' ELSE 'suggestive' END AS strength,
    from_sweep AS from_at,
    to_sweep AS to_at,
    cast(NULL AS STRING) AS group_id,
    topic,
    partition AS lost_partition,
    1L AS weight,
    cast(NULL AS BIGINT) AS records_back,
    cast(NULL AS BIGINT) AS partitions_back,
    cast(NULL AS BIGINT) AS partitions_held,
    cast(NULL AS BIGINT) AS rewound_groups,
    cast(NULL AS BIGINT) AS read_again_with_earliest,
    cast(NULL AS BIGINT) AS skipped_with_latest,
    -- the log may have grown past what was lost
    cast(NULL AS BIGINT) AS records_lost,
    1L AS outside_isr,
    unclean_elections,
    broker
FROM unclean_leaders
UNION ALL
SELECT
    cluster,
    'stale_load' AS cause,
    'suggestive' AS strength,
    from_at,
    to_at,
    cast(NULL AS STRING) AS group_id,
    '__consumer_offsets' AS topic,
    cast(NULL AS INT) AS lost_partition,
    try_cast(offsets_log_mb AS BIGINT) AS weight,
    cast(NULL AS BIGINT) AS records_back,
    cast(NULL AS BIGINT) AS partitions_back,
    cast(NULL AS BIGINT) AS partitions_held,
    cast(NULL AS BIGINT) AS rewound_groups,
    cast(NULL AS BIGINT) AS read_again_with_earliest,
    cast(NULL AS BIGINT) AS skipped_with_latest,
    cast(NULL AS BIGINT) AS records_lost,
    cast(NULL AS BIGINT) AS outside_isr,
    cast(NULL AS BIGINT) AS unclean_elections,
    broker
FROM unsafe_coordinators
