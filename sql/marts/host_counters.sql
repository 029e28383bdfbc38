-- What a broker's kernel did to connections between two reads of its node_exporter, and its limits.
-- in:  cluster_sweeps; raw_hosts of the day and of each cluster's last earlier sweep
-- out: one row per broker and answered read of the day. Counts are since the read before (since boot where the host
--      was started in between), null at the first read and where the exporter does not show the counter.
WITH reads AS (
    SELECT
        h.*,
        lag(h.sweep_at) OVER before AS from_sweep,
        lag(h.listen_overflows) OVER before AS from_overflows,
        lag(h.listen_drops) OVER before AS from_drops,
        lag(h.syncookies_sent) OVER before AS from_cookies_sent,
        -- a boot time moves by a second when the clock is adjusted
        coalesce(h.boot_time_s > lag(h.boot_time_s) OVER before + 60, FALSE) AS rebooted
    FROM raw_hosts AS h
    LEFT ANTI JOIN cluster_sweeps AS o ON h.cluster = o.cluster AND h.sweep_at = o.sweep_at AND o.overlapped
    WHERE h.outcome = 'ok'
    WINDOW before AS (PARTITION BY h.cluster, h.broker ORDER BY h.sweep_at)
)

SELECT
    cluster,
    broker,
    from_sweep,
    sweep_at AS to_sweep,
    tcp_syncookies,
    somaxconn,
    tcp_max_syn_backlog,
    CASE WHEN from_sweep IS NOT NULL THEN listen_overflows - if(rebooted, 0, from_overflows) END AS listen_overflows,
    CASE WHEN from_sweep IS NOT NULL THEN listen_drops - if(rebooted, 0, from_drops) END AS listen_drops,
    CASE WHEN from_sweep IS NOT NULL THEN syncookies_sent - if(rebooted, 0, from_cookies_sent) END AS syncookies_sent
FROM reads
WHERE to_date(sweep_at) = :ds
