-- Which releases do the processes of a cluster run?
-- in:  process_days, cluster_days
-- out: one row per cluster; brokers on the rarest release first
WITH releases AS (
    SELECT
        cluster,
        kafka_release,
        count(*) AS processes,
        min(first_read) AS from_at,
        max(last_read) AS to_at,
        sort_array(collect_list(broker)) AS brokers,
        sort_array(
            collect_list(
                STRUCT(broker, concat(CASE WHEN is_broker THEN 'broker ' ELSE 'controller ' END, broker) AS place)
            )
        ) AS places
    FROM process_days
    WHERE kafka_release IS NOT NULL
    GROUP BY cluster, kafka_release
),

hits AS (
    SELECT
        cluster,
        sort_array(collect_list(STRUCT(processes AS processes, kafka_release, brokers, places, from_at, to_at)))
            AS releases
    FROM releases
    GROUP BY cluster
),

starts AS (
    SELECT
        cluster,
        max(process_start) AS last_start,
        max(last_read) AS last_read,
        sort_array(
            collect_list(
                CASE
                    WHEN kafka_release IS NULL
                        THEN concat(
                            'the release of ', CASE WHEN is_broker THEN 'broker ' ELSE 'controller ' END, broker,
                            ' was not read'
                        )
                END
            )
        ) AS missing
    FROM process_days
    GROUP BY cluster
),

held AS (
    SELECT
        s.cluster,
        s.last_start,
        s.last_read,
        s.missing,
        coalesce(f.releases, array()) AS releases,
        CASE
            WHEN size(f.releases) > 1 THEN TRUE
            WHEN size(s.missing) = 0 THEN FALSE
        END AS holds
    FROM starts AS s
    LEFT JOIN hits AS f ON s.cluster = f.cluster
)

SELECT
    h.cluster,
    h.holds,
    h.missing,
    CASE
        WHEN h.holds IS NOT NULL
            THEN concat(
                'the processes run ', size(h.releases), ' releases: ',
                array_join(
                    transform(h.releases, r -> concat(r.kafka_release, ' on ', array_join(r.brokers, ', '))), '; '
                )
            )
    END AS sentence,
    CASE
        WHEN h.holds THEN flatten(transform(h.releases, r -> transform(r.places, p -> p.place)))
        ELSE array()
    END AS subjects,
    CASE
        WHEN h.holds IS NOT NULL
            THEN concat(
                array(
                    STRUCT(
                        'releases' AS line,
                        'the cluster' AS place,
                        try_cast(size(h.releases) AS DOUBLE) AS amount,
                        get(h.releases, 0).from_at AS from_at,
                        h.last_read AS to_at
                    )
                ),
                transform(
                    h.releases,
                    r -> STRUCT(
                        'brokers' AS line,
                        concat('release ', r.kafka_release) AS place,
                        try_cast(r.processes AS DOUBLE) AS amount,
                        r.from_at AS from_at,
                        r.to_at AS to_at
                    )
                ),
                CASE
                    WHEN h.holds AND h.last_start IS NOT NULL
                        THEN array(
                            STRUCT(
                                'hours' AS line,
                                'the cluster' AS place,
                                (unix_micros(h.last_read) - unix_micros(h.last_start)) / 3600e6D AS amount,
                                h.last_start AS from_at,
                                h.last_read AS to_at
                            )
                        )
                    ELSE array()
                END
            )
    END AS evidence
FROM held AS h
INNER JOIN cluster_days AS c ON h.cluster = c.cluster
ORDER BY h.cluster
