-- What the plot of connections cannot show.
-- out: one row per broker whose listeners were not read
SELECT
    b.cluster,
    'unread' AS missing,
    b.broker
FROM broker_days AS b
LEFT ANTI JOIN listener_connections AS l ON b.cluster = l.cluster AND b.broker = l.broker AND l.held IS NOT NULL
WHERE b.is_broker
