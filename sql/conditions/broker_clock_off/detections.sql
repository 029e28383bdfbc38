-- How far is each process' clock off the collector's?
-- out: one row per process; the clock that is farthest off first. A difference that whole seconds and a slow answer
--      explain is none, and no evidence: it is another one at each read. The others are told in whole seconds, too.
SELECT
    p.cluster,
    cast(p.broker AS STRING) AS object_name,
    NULL AS object_detail,
    p.clock_read AS from_at,
    p.clock_read AS to_at,
    CASE WHEN p.clock_off_s IS NULL THEN 'unread' ELSE 'difference' END AS metric,
    CASE WHEN p.is_broker THEN 'broker' ELSE 'controller' END AS kind,
    row_number() OVER (PARTITION BY p.cluster ORDER BY abs(p.clock_off_s) DESC, p.broker ASC) AS ordinal,
    CASE WHEN p.clock_off_at_least_s > 0 THEN round(p.clock_off_s) END AS amount,
    coalesce(p.clock_off_at_least_s > t.max_off, FALSE) AS is_subject
FROM broker_days AS p
INNER JOIN broker_clock_off_thresholds AS t ON p.cluster = t.cluster
