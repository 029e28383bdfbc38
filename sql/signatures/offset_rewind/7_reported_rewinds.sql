-- What is reported of each cause: the places that are proven, else all that point to it, worst first.
-- in:  rewind_findings
-- out: the rows of rewind_findings that are reported, ranked within cluster and cause; *_place: rank of its subjects
WITH ranked AS (
    SELECT
        *,
        min(strength) OVER (PARTITION BY cluster, cause) AS best
    FROM rewind_findings
),

placed AS (
    SELECT
        *,
        row_number() OVER (
            PARTITION BY cluster, cause
            ORDER BY weight DESC, group_id ASC, topic ASC, lost_partition ASC, broker ASC, to_at ASC
        ) AS place
    FROM ranked
    WHERE strength = best
)

SELECT
    cluster,
    cause,
    strength,
    from_at,
    to_at,
    broker,
    group_id,
    topic,
    lost_partition,
    records_back,
    partitions_back,
    partitions_held,
    rewound_groups,
    read_again_with_earliest,
    skipped_with_latest,
    records_lost,
    outside_isr,
    unclean_elections,
    place,
    min(place) OVER (PARTITION BY cluster, cause, broker) AS broker_place,
    min(place) OVER (PARTITION BY cluster, cause, group_id) AS group_place,
    min(place) OVER (PARTITION BY cluster, cause, topic) AS topic_place
FROM placed
