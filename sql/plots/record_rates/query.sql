-- Records per second of the hottest partitions of two topics: the busiest and the most uneven.
-- out: one row per partition and interval
WITH placed AS (
    SELECT
        cluster,
        topic,
        partition,
        row_number() OVER (PARTITION BY cluster, topic ORDER BY try_sum(records) DESC, partition ASC) AS place,
        count(*) OVER (PARTITION BY cluster, topic) AS series_count,
        try_sum(try_sum(records)) OVER (PARTITION BY cluster, topic) AS topic_records,
        max(try_sum(records)) OVER (PARTITION BY cluster, topic) AS most_records
    FROM partition_rates
    WHERE NOT went_back AND records >= 0 AND NOT startswith(topic, '__')
    GROUP BY cluster, topic, partition
),

compared AS (
    SELECT
        *,
        max(topic_records) OVER (PARTITION BY cluster) AS busiest,
        round(try_divide(try_multiply(most_records, series_count), topic_records), 3) AS unevenness
    FROM placed
    WHERE place <= :most_series AND topic_records > 0
),

chosen AS (
    SELECT
        *,
        dense_rank() OVER (PARTITION BY cluster ORDER BY topic_records DESC, topic ASC) AS busy_place,
        dense_rank() OVER (
            PARTITION BY cluster
            ORDER BY
                topic_records >= :min_share * busiest AND series_count > 1 DESC, unevenness DESC, topic_records DESC,
                topic ASC
        ) AS uneven_place,
        CASE
            WHEN busy_place > 1 THEN 'uneven' WHEN uneven_place > 1 OR series_count = 1 THEN 'busiest' ELSE 'both'
        END AS panel
    FROM compared
    QUALIFY busy_place = 1 OR (uneven_place = 1 AND series_count > 1)
)

SELECT
    c.cluster,
    c.panel,
    c.topic AS panel_object,
    'partition' AS series,
    c.partition AS series_object,
    c.place,
    c.series_count,
    r.from_at,
    r.to_at,
    if(c.busy_place = 1, 1, 2) AS panel_place,
    try_divide(r.records, r.seconds) AS amount
FROM chosen AS c
INNER JOIN partition_rates AS r ON c.cluster = r.cluster AND c.topic = r.topic AND c.partition = r.partition
WHERE NOT r.went_back AND r.records >= 0
