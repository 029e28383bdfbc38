-- Which processes run a release line that the project does not patch any more?
-- in:  process_days, release_days (the release catalogue), cluster_days
-- out: one row per cluster. A vendor's build has a support of its own, so it answers nothing.
WITH judged AS (
    SELECT
        p.cluster,
        p.broker,
        p.kafka_release,
        p.first_read,
        p.last_read,
        r.comparable,
        r.newest_patch,
        NOT r.supported AS unsupported,
        concat(CASE WHEN p.is_broker THEN 'broker ' ELSE 'controller ' END, p.broker) AS place
    FROM process_days AS p
    LEFT JOIN release_days AS r ON p.kafka_release = r.kafka_release
),

releases AS (
    SELECT
        cluster,
        kafka_release,
        max(newest_patch) AS newest_patch,
        count(*) AS processes,
        min(first_read) AS from_at,
        max(last_read) AS to_at,
        sort_array(collect_list(STRUCT(broker AS broker, place))) AS places
    FROM judged
    WHERE unsupported
    GROUP BY cluster, kafka_release
),

hits AS (
    SELECT
        cluster,
        sort_array(collect_list(STRUCT(-processes AS fewer, kafka_release, newest_patch, places, from_at, to_at)))
            AS releases
    FROM releases
    GROUP BY cluster
),

unread AS (
    SELECT
        cluster,
        count(*) AS processes,
        sort_array(
            collect_list(
                CASE
                    WHEN kafka_release IS NULL THEN concat('the release of ', place, ' was not read')
                    WHEN NOT comparable
                        THEN concat(place, ' runs ', kafka_release, ', an unknown build; its vendor tells its support')
                END
            )
        ) AS missing
    FROM judged
    GROUP BY cluster
),

held AS (
    SELECT
        u.cluster,
        u.processes,
        u.missing,
        coalesce(f.releases, array()) AS releases,
        CASE
            WHEN f.cluster IS NOT NULL THEN TRUE
            WHEN size(u.missing) = 0 THEN FALSE
        END AS holds
    FROM unread AS u
    LEFT JOIN hits AS f ON u.cluster = f.cluster
)

SELECT
    h.cluster,
    h.holds,
    h.missing,
    CASE
        WHEN h.holds
            THEN concat(
                'no fixes are published any more for ',
                array_join(
                    transform(
                        h.releases,
                        r -> concat(
                            r.kafka_release, ' (', -r.fewer, ' of ', h.processes,
                            ' processes; last patch of its line: ', r.newest_patch, ')'
                        )
                    ),
                    ', '
                )
            )
        WHEN NOT h.holds THEN 'every process runs a release line that still gets fixes'
    END AS sentence,
    flatten(transform(h.releases, r -> transform(r.places, p -> p.place))) AS subjects,
    CASE
        WHEN h.holds
            THEN transform(
                h.releases,
                r -> STRUCT(
                    'brokers' AS line,
                    concat('release ', r.kafka_release) AS place,
                    -r.fewer AS amount,
                    r.from_at AS from_at,
                    r.to_at AS to_at
                )
            )
    END AS evidence
FROM held AS h
INNER JOIN cluster_days AS c ON h.cluster = c.cluster
ORDER BY h.cluster
