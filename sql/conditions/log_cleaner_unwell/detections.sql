-- Which brokers have a log cleaner that is dead, gave partitions up, or is switched off?
-- out: one row per broker and number: brokers with dead threads first, then those with the most partitions given up.
--      Where all are well, the largest numbers of any broker
WITH judged AS (
    SELECT
        p.* EXCEPT (cluster),
        c.cluster,
        c.first_sweep,
        c.last_sweep,
        d.died_lines,
        d.died_from,
        d.died_to,
        p.cluster IS NOT NULL AS is_there,
        p.cleaner_idle_ms / 3600e3D AS idle_hours,
        coalesce(p.cleaner_enabled = 'false', FALSE) AS is_disabled,
        coalesce(p.uncleanable_partitions > 0, FALSE) AS has_given_up,
        -- the gauge of dead threads decides where there is one (from 2.4.0)
        coalesce(p.cleaner_dead_threads > 0, p.cleaner_idle_ms / 3600e3D > t.max_idle_hours, FALSE)
        OR coalesce(d.died_lines > 0, FALSE) AS is_dead
    FROM cluster_days AS c
    INNER JOIN log_cleaner_unwell_thresholds AS t ON c.cluster = t.cluster
    LEFT JOIN broker_days AS p ON c.cluster = p.cluster AND p.is_broker
    LEFT JOIN dead_cleaners AS d ON p.cluster = d.cluster AND p.broker = d.broker
),

figures AS (
    SELECT
        cluster,
        broker,
        died_from,
        died_to,
        is_dead OR is_disabled OR has_given_up AS unwell,
        coalesce(first_read, last_read, first_sweep) AS from_at,
        coalesce(last_read, last_sweep) AS to_at,
        row_number() OVER (
            PARTITION BY cluster
            ORDER BY is_dead OR is_disabled DESC, coalesce(uncleanable_partitions, 0) DESC, broker ASC
        ) AS ordinal,
        CASE WHEN is_there THEN 1D END AS brokers,
        CASE WHEN NOT is_there THEN 1D END AS no_brokers,
        -- a cleaner that is switched off has no gauges
        CASE WHEN is_there AND NOT is_disabled AND cleaner_dead_threads IS NULL AND idle_hours IS NULL THEN 1D END
            AS unread,
        CASE WHEN is_dead THEN 1D END AS dead,
        CASE WHEN has_given_up THEN 1D END AS gave_up,
        CASE WHEN is_disabled THEN 1D END AS disabled,
        try_cast(CASE WHEN cleaner_dead_threads > 0 THEN cleaner_dead_threads END AS DOUBLE) AS dead_threads,
        CASE WHEN is_dead AND cleaner_dead_threads IS NULL THEN idle_hours END AS idle_hours,
        try_cast(died_lines AS DOUBLE) AS died_lines,
        try_cast(CASE WHEN has_given_up THEN uncleanable_partitions END AS DOUBLE) AS uncleanable_partitions,
        try_cast(CASE WHEN has_given_up THEN uncleanable_bytes END AS DOUBLE) AS uncleanable_bytes
    FROM judged
),

healthy AS (
    SELECT
        cluster,
        max(cleaner_dead_threads) AS dead_threads,
        max(uncleanable_partitions) AS uncleanable_partitions,
        min(first_read) AS from_at,
        max(last_read) AS to_at
    FROM judged
    GROUP BY cluster
    HAVING NOT max(is_dead OR is_disabled OR has_given_up)
)

SELECT
    cluster,
    metric,
    CASE WHEN metric != 'no_brokers' THEN 'broker' END AS kind,
    cast(broker AS STRING) AS object_name,
    NULL AS object_detail,
    ordinal,
    amount,
    if(metric = 'died_lines', died_from, from_at) AS from_at,
    if(metric = 'died_lines', died_to, to_at) AS to_at,
    unwell AS is_subject
FROM figures
    UNPIVOT (
        amount FOR metric IN (
            brokers, no_brokers, unread, dead, gave_up, disabled, dead_threads, died_lines, idle_hours,
            uncleanable_partitions, uncleanable_bytes
        )
    )
UNION ALL
SELECT
    cluster,
    metric,
    NULL AS kind,
    NULL AS object_name,
    NULL AS object_detail,
    0 AS ordinal,
    amount,
    from_at,
    to_at,
    FALSE AS is_subject
FROM healthy
    UNPIVOT (amount FOR metric IN (dead_threads, uncleanable_partitions))
