-- What a broker's kernel did to connections between two reads of its node_exporter, and its limits.
-- in:  overlapped_sweeps; raw_hosts of the day and of each cluster's last earlier sweep
-- out: one row per broker and answered read of the day. Counts are since the read before (since boot where the host
--      was started in between), null at the first read and where the exporter does not show the counter.
WITH reads AS (
    SELECT
        h.*,
        lag(h.sweep_at) OVER (PARTITION BY h.cluster, h.broker ORDER BY h.sweep_at) AS from_sweep,
        lag(h.read_at) OVER (PARTITION BY h.cluster, h.broker ORDER BY h.sweep_at) AS from_at,
        lag(h.listen_overflows) OVER (PARTITION BY h.cluster, h.broker ORDER BY h.sweep_at) AS from_overflows,
        lag(h.listen_drops) OVER (PARTITION BY h.cluster, h.broker ORDER BY h.sweep_at) AS from_drops,
        lag(h.syncookies_sent) OVER (PARTITION BY h.cluster, h.broker ORDER BY h.sweep_at) AS from_cookies_sent,
        lag(h.syncookies_received) OVER (PARTITION BY h.cluster, h.broker ORDER BY h.sweep_at) AS from_cookies_received,
        lag(h.boot_time_s) OVER (PARTITION BY h.cluster, h.broker ORDER BY h.sweep_at) AS from_boot_s
    FROM raw_hosts AS h
    LEFT ANTI JOIN overlapped_sweeps AS o ON h.cluster = o.cluster AND h.sweep_at = o.sweep_at
    WHERE h.outcome = 'ok'
),

-- a boot time moves by a second when the clock is adjusted
judged AS (
    SELECT
        *,
        coalesce(boot_time_s > from_boot_s + 60, FALSE) AS rebooted
    FROM reads
)

SELECT
    cluster,
    broker,
    from_sweep,
    sweep_at AS to_sweep,
    from_at,
    read_at AS to_at,
    tcp_syncookies,
    somaxconn,
    tcp_max_syn_backlog,
    CASE WHEN from_sweep IS NOT NULL THEN listen_overflows - if(rebooted, 0, from_overflows) END AS listen_overflows,
    CASE WHEN from_sweep IS NOT NULL THEN listen_drops - if(rebooted, 0, from_drops) END AS listen_drops,
    CASE WHEN from_sweep IS NOT NULL THEN syncookies_sent - if(rebooted, 0, from_cookies_sent) END AS syncookies_sent,
    CASE
        WHEN from_sweep IS NOT NULL THEN syncookies_received - if(rebooted, 0, from_cookies_received)
    END AS syncookies_received
FROM judged
WHERE to_date(sweep_at) = :ds
