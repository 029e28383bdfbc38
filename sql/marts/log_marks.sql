-- Lines of each mark between two reads of a broker's log. A script on the host counts on over the sweeps; of a Loki
-- each sweep has its own span. What was counted before the first read is of the day where it is of the last hour.
WITH reads AS (
    SELECT
        l.cluster,
        l.broker,
        l.log,
        l.sweep_at,
        l.counted_from,
        lag(l.sweep_at) OVER before AS previous_sweep,
        lag(l.counted_from) OVER before AS previous_from
    FROM raw_log_marks AS l
    LEFT ANTI JOIN cluster_sweeps AS o ON l.cluster = o.cluster AND l.sweep_at = o.sweep_at AND o.overlapped
    WHERE l.outcome = 'ok' AND l.mark IS NULL
    WINDOW before AS (PARTITION BY l.cluster, l.broker, l.log ORDER BY l.sweep_at)
)

SELECT
    m.cluster,
    m.broker,
    m.mark,
    m.port,
    r.previous_sweep AS from_sweep,
    m.sweep_at AS to_sweep,
    m.first_at,
    m.last_at,
    m.lines - coalesce(p.lines, 0) AS line_count,
    m.number - coalesce(p.number, 0) AS numbers
FROM raw_log_marks AS m
INNER JOIN reads AS r
    ON m.cluster = r.cluster AND m.broker = r.broker AND m.log = r.log AND m.sweep_at = r.sweep_at
LEFT JOIN raw_log_marks AS p
    ON
        m.cluster = p.cluster AND m.broker = p.broker AND m.mark = p.mark AND m.port <=> p.port
        AND r.previous_sweep = p.sweep_at AND r.counted_from = r.previous_from
WHERE
    to_date(m.sweep_at) = :ds
    AND m.lines > coalesce(p.lines, 0)
    AND (r.previous_sweep IS NOT NULL OR unix_micros(m.last_at) >= unix_micros(m.sweep_at) - 3600000000)
