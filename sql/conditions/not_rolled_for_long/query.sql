-- When was each broker's process last started?
-- in:  process_days, cluster_days
-- out: one row per cluster; the oldest process first
WITH ages AS (
    SELECT
        cluster,
        process_start,
        started_read,
        broker,
        concat(CASE WHEN is_broker THEN 'broker ' ELSE 'controller ' END, broker) AS place,
        (unix_micros(started_read) - unix_micros(process_start)) / 86400e6D AS age_days
    FROM process_days
),

counted AS (
    SELECT
        cluster,
        count(*) AS processes,
        count_if(age_days > :max_days) AS overdue,
        sort_array(
            collect_list(
                CASE
                    WHEN age_days IS NOT NULL
                        THEN STRUCT(process_start AS process_start, broker, place, age_days, started_read)
                END
            )
        ) AS hits,
        sort_array(
            collect_list(CASE WHEN age_days IS NULL THEN concat('the process start of ', place, ' was not read') END)
        ) AS missing
    FROM ages
    GROUP BY cluster
),

held AS (
    SELECT
        *,
        CASE
            WHEN overdue > 0 THEN TRUE
            WHEN size(missing) = 0 THEN FALSE
        END AS holds
    FROM counted
)

SELECT
    h.cluster,
    h.holds,
    h.missing,
    CASE
        WHEN h.holds IS NOT NULL
            THEN concat(
                h.overdue, ' of ', h.processes, ' processes are older than ', cast(:max_days AS INT),
                ' days; the oldest was started on ', date_format(get(h.hits, 0).process_start, 'yyyy-MM-dd')
            )
    END AS sentence,
    transform(filter(h.hits, f -> f.age_days > :max_days), f -> f.place) AS subjects,
    CASE
        WHEN h.holds IS NOT NULL
            THEN transform(
                h.hits,
                f -> STRUCT(
                    'age' AS line,
                    f.place AS place,
                    f.age_days AS amount,
                    f.process_start AS from_at,
                    f.started_read AS to_at
                )
            )
    END AS evidence
FROM held AS h
INNER JOIN cluster_days AS c ON h.cluster = c.cluster
ORDER BY h.cluster
