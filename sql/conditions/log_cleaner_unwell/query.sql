-- Which brokers have a log cleaner that is dead, gave partitions up, or is switched off?
-- in:  process_days, cluster_days
-- out: one row per cluster; brokers with dead threads first, then those with the most partitions given up
WITH judged AS (
    SELECT
        cluster,
        broker,
        first_read,
        last_read,
        cleaner_dead_threads,
        uncleanable_partitions,
        uncleanable_bytes,
        cleaner_idle_ms / 3600e3D AS idle_hours,
        coalesce(cleaner_enabled = 'false', FALSE) AS disabled,
        -- the gauge of dead threads decides where there is one (from 2.4.0)
        coalesce(cleaner_dead_threads > 0, cleaner_idle_ms / 3600e3D > :max_idle_hours, FALSE) AS dead,
        coalesce(uncleanable_partitions > 0, FALSE) AS gave_up,
        -- a cleaner that is switched off has no gauges
        cleaner_dead_threads IS NOT NULL OR cleaner_idle_ms IS NOT NULL OR cleaner_enabled = 'false' AS was_read
    FROM process_days
    WHERE is_broker
),

faults AS (
    SELECT
        *,
        dead OR disabled OR gave_up AS unwell,
        array(
            CASE WHEN cleaner_dead_threads > 0 THEN STRUCT('dead_threads' AS line, cleaner_dead_threads AS amount) END,
            CASE WHEN dead AND cleaner_dead_threads IS NULL THEN STRUCT('idle_hours' AS line, idle_hours AS amount) END,
            CASE
                WHEN gave_up THEN STRUCT('uncleanable_partitions' AS line, uncleanable_partitions AS amount)
            END,
            CASE WHEN gave_up THEN STRUCT('uncleanable_bytes' AS line, uncleanable_bytes AS amount) END,
            CASE WHEN disabled THEN STRUCT('disabled' AS line, 1 AS amount) END
        ) AS figures
    FROM judged
),

counted AS (
    SELECT
        cluster,
        count(*) AS brokers,
        count_if(dead) AS dead,
        count_if(gave_up) AS gave_up,
        count_if(disabled) AS disabled,
        count_if(unwell) AS unwell,
        max(cleaner_dead_threads) AS most_dead,
        max(uncleanable_partitions) AS most_given_up,
        min(first_read) AS first_read,
        max(last_read) AS last_read,
        sort_array(
            collect_list(
                CASE
                    WHEN unwell
                        THEN STRUCT(
                            NOT dead AND NOT disabled AS later,
                            -coalesce(uncleanable_partitions, 0) AS given_up,
                            broker,
                            filter(figures, l -> l IS NOT NULL) AS figures,
                            coalesce(first_read, last_read) AS first_read,
                            last_read
                        )
                END
            )
        ) AS hits,
        sort_array(
            collect_list(
                CASE
                    WHEN NOT coalesce(was_read, FALSE)
                        THEN concat('the log cleaner of broker ', broker, ' was not read')
                END
            )
        ) AS missing
    FROM faults
    GROUP BY cluster
),

held AS (
    SELECT
        *,
        CASE
            WHEN unwell > 0 THEN TRUE
            WHEN size(missing) = 0 THEN FALSE
        END AS holds
    FROM counted
)

SELECT
    c.cluster,
    h.holds,
    CASE
        WHEN h.holds IS NOT NULL
            THEN concat(
                'of ', h.brokers, ' brokers, ', h.dead, ' have a dead log cleaner, ', h.gave_up,
                ' have partitions that it gave up, ', h.disabled, ' have it switched off'
            )
    END AS sentence,
    coalesce(transform(h.hits, f -> concat('broker ', f.broker)), array()) AS subjects,
    coalesce(h.missing, array('no broker was read')) AS missing,
    CASE
        WHEN h.holds
            THEN flatten(
                transform(
                    h.hits,
                    f -> transform(
                        f.figures,
                        l -> STRUCT(
                            l.line AS line,
                            concat('broker ', f.broker) AS place,
                            try_cast(l.amount AS DOUBLE) AS amount,
                            coalesce(f.first_read, c.first_sweep) AS from_at,
                            coalesce(f.last_read, c.last_sweep) AS to_at
                        )
                    )
                )
            )
        WHEN NOT h.holds
            THEN array(
                STRUCT(
                    'dead_threads' AS line,
                    'all brokers' AS place,
                    try_cast(h.most_dead AS DOUBLE) AS amount,
                    h.first_read AS from_at,
                    h.last_read AS to_at
                ),
                STRUCT(
                    'uncleanable_partitions' AS line,
                    'all brokers' AS place,
                    try_cast(h.most_given_up AS DOUBLE) AS amount,
                    h.first_read AS from_at,
                    h.last_read AS to_at
                )
            )
    END AS evidence
FROM cluster_days AS c
LEFT JOIN held AS h ON c.cluster = h.cluster
ORDER BY c.cluster
