-- What the kernel logged of a listener's own port while its connections came; it may be read a minute later.
-- out: one row per burst of which there are lines
SELECT
    b.cluster,
    b.broker,
    b.listener,
    b.to_sweep,
    try_sum(m.line_count) AS flood_lines,
    min(m.first_at) AS flood_from,
    max(m.last_at) AS flood_to
FROM bursts AS b
INNER JOIN log_marks AS m
    ON
        b.cluster = m.cluster AND b.broker = m.broker AND m.mark = 'syn_flood'
        AND unix_micros(m.last_at) BETWEEN unix_micros(b.from_at) AND unix_micros(b.to_at) + 90000000
INNER JOIN broker_settings AS s
    ON
        b.cluster = s.cluster AND b.broker = s.broker AND s.name = 'listeners'
        AND array_contains(
            -- NAME://host:port, and so on
            split(regexp_replace(s.config_value, '://[^,]*:', ':'), ' *, *'), concat(b.listener, ':', m.port)
        )
GROUP BY b.cluster, b.broker, b.listener, b.to_sweep
