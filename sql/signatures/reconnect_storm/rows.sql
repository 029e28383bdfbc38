-- The storms behind a detection, the worst first, each with the backlog that it would have needed.
-- in:  storms
-- out: at most 40 rows per cluster
WITH ranked AS (
    SELECT
        cluster,
        cause,
        from_at,
        to_at,
        created AS new_connections,
        concat('broker ', broker, ', ', listener) AS place,
        concat(coalesce(cast(held_before AS STRING), '?'), ' before, ', held, ' after') AS connections_held,
        CASE
            WHEN cause = 'auth_failures' THEN '-' ELSE concat(together, ' to ', kept, ', in force ', backlog)
        END AS backlog_needed,
        coalesce(proof, hint) AS shown_by,
        row_number() OVER (
            PARTITION BY cluster
            ORDER BY strength ASC, together DESC, kept DESC, to_at DESC, broker ASC, listener ASC
        ) AS place_in_letter
    FROM storms
)

SELECT
    cluster,
    place,
    cause,
    from_at,
    to_at,
    new_connections,
    connections_held,
    backlog_needed,
    shown_by
FROM ranked
WHERE place_in_letter <= 40
ORDER BY cluster, place_in_letter
