-- How far is each broker's clock off the collector's?
-- in:  process_days, cluster_days
-- out: one row per cluster; the clock that is farthest off first. A difference that whole seconds and a slow answer
--      explain is none, and no evidence: it is another one at each read. The others are told in whole seconds, too.
WITH clocks AS (
    SELECT
        cluster,
        broker,
        clock_off_s,
        clock_read,
        clock_off_at_least_s,
        concat(CASE WHEN is_broker THEN 'broker ' ELSE 'controller ' END, broker) AS place,
        coalesce(clock_off_at_least_s > :max_off, FALSE) AS is_off
    FROM process_days
),

counted AS (
    SELECT
        cluster,
        count(*) AS processes,
        count_if(is_off) AS differing,
        sort_array(
            collect_list(
                CASE
                    WHEN clock_off_at_least_s > 0
                        THEN STRUCT(-abs(clock_off_s) AS nearness, broker, place, is_off, clock_off_s, clock_read)
                END
            )
        ) AS hits,
        sort_array(
            collect_list(CASE WHEN clock_off_s IS NULL THEN concat('the clock of ', place, ' was not read') END)
        ) AS missing
    FROM clocks
    GROUP BY cluster
),

held AS (
    SELECT
        *,
        CASE
            WHEN differing > 0 THEN TRUE
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
                'clocks that differ from the collector''s by more than ', cast(:max_off AS INT), ' s: ',
                h.differing, ' of ', h.processes
            )
    END AS sentence,
    transform(filter(h.hits, f -> f.is_off), f -> f.place) AS subjects,
    CASE
        WHEN h.holds IS NOT NULL
            THEN transform(
                h.hits,
                f -> STRUCT(
                    'difference' AS line,
                    f.place AS place,
                    round(f.clock_off_s) AS amount,
                    f.clock_read AS from_at,
                    f.clock_read AS to_at
                )
            )
    END AS evidence
FROM held AS h
INNER JOIN cluster_days AS c ON h.cluster = c.cluster
ORDER BY h.cluster
