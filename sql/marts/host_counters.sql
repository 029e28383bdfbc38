-- What a broker's kernel did to connections between two reads of its node_exporter, or since boot where the host was
-- started in between, and its limits.
WITH reads AS (
    SELECT
        h.*,
        -- a boot time moves by a second when the clock is adjusted
        h.boot_time_s > lag(h.boot_time_s) OVER before + 60 AS rebooted
    FROM raw_hosts AS h
    LEFT ANTI JOIN cluster_sweeps AS o ON h.cluster = o.cluster AND h.sweep_at = o.sweep_at AND o.overlapped
    WHERE h.outcome = 'ok'
    WINDOW before AS (PARTITION BY h.cluster, h.broker ORDER BY h.sweep_at)
)

SELECT
    cluster,
    broker,
    sweep_at AS to_sweep,
    tcp_syncookies,
    somaxconn,
    tcp_max_syn_backlog,
    unscaled_connections,
    bare_connections,
    lag(sweep_at) OVER before AS from_sweep,
    lag(bare_connections) OVER before AS from_bare_connections,
    listen_overflows - if(rebooted, 0, lag(listen_overflows) OVER before) AS listen_overflows,
    listen_drops - if(rebooted, 0, lag(listen_drops) OVER before) AS listen_drops,
    syncookies_sent - if(rebooted, 0, lag(syncookies_sent) OVER before) AS syncookies_sent
FROM reads
WINDOW before AS (PARTITION BY cluster, broker ORDER BY sweep_at)
QUALIFY to_date(sweep_at) = :ds
