-- The share of the time in which threads had work, on brokers that are detected.
-- in:  handler_saturation_detections, handler_states
-- out: one row per detected broker, chart and interval, 1 where there was no idle time
SELECT DISTINCT
    d.cluster,
    h.from_at,
    h.to_at,
    d.broker AS object_name,
    if(d.cause = 'network', 'network', 'handlers') AS chart,
    greatest(0D, 1 - if(d.cause = 'network', h.network_idle, h.shown_idle)) AS amount
FROM handler_saturation_detections AS d
INNER JOIN handler_states AS h ON d.cluster = h.cluster AND d.broker = h.broker
WHERE
    d.cause != 'stopping' AND d.ordinal <= 4 AND if(d.cause = 'network', h.network_idle, h.shown_idle) IS NOT NULL
