-- Replicas of restarted brokers that were asked for producer ids, up to the sweep that reads the new process.
-- in:  restarts, raw_producers
-- out: one row per restart, sweep and partition; a replica that knew no id is among them
SELECT
    r.cluster,
    r.broker,
    r.from_sweep,
    r.to_sweep,
    p.sweep_at,
    p.topic,
    p.partition,
    min(p.read_at) AS asked_at
FROM restarts AS r
INNER JOIN raw_producers AS p ON r.cluster = p.cluster AND r.broker = p.broker AND r.to_sweep >= p.sweep_at
GROUP BY r.cluster, r.broker, r.from_sweep, r.to_sweep, p.sweep_at, p.topic, p.partition
