-- How fast does each volume of log directories fill?
-- in:  disk_points
-- out: one row per volume. Four days or more are measured by days, else the time since the last sweep before the day by
--      thirds. slow: the middle one of the steps, so that one burst is no pace, and no more than what is left over all
--      of them when as much is freed again as was freed at once today. fast: the most of the last step, the middle one
--      and the mean. recent: over the thirds. A step over which the volume was made larger or smaller is left out
WITH steps AS (
    SELECT
        *,
        if(
            abs(total_bytes - from_total_bytes) <= total_bytes / 100,
            try_cast((unix_micros(read_at) - unix_micros(from_read_at)) / 1e6D AS DECIMAL(28, 9)),
            NULL
        ) AS seconds,
        if(seconds > 0, used_bytes - from_used_bytes, NULL) AS grown,
        try_divide(grown, seconds) AS rate,
        spacing = if(
            count_if(spacing = 'days') OVER (PARTITION BY cluster, broker, log_dir) > 3, 'days', 'thirds'
        ) AS counts
    FROM disk_points
)

SELECT
    cluster,
    broker,
    log_dir,
    max(log_dirs) AS log_dirs,
    max_by(total_bytes, read_at) AS total_bytes,
    max_by(total_bytes - used_bytes, read_at) AS usable_bytes,
    min(if(counts, read_at, NULL)) AS from_at,
    max(read_at) AS to_at,
    try_sum(if(counts AND grown IS NOT NULL, seconds, 0)) AS measured_s,
    try_divide(
        try_sum(grown) FILTER (WHERE spacing = 'thirds'),
        try_sum(seconds) FILTER (WHERE spacing = 'thirds' AND grown IS NOT NULL)
    ) AS recent,
    percentile(if(counts, rate, NULL), 0.5) AS middle,
    try_divide(try_sum(if(counts, grown, NULL)), measured_s) AS mean,
    least(middle, mean - try_divide(max(largest_fall_bytes), measured_s)) AS slow,
    greatest(middle, mean, max_by(if(counts, rate, NULL), if(counts AND rate IS NOT NULL, read_at, NULL))) AS fast
FROM steps
GROUP BY cluster, broker, log_dir
