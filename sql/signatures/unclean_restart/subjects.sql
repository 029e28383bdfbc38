-- Topics of which the restarted brokers lost producer ids.
-- out: one row per restart and topic
SELECT
    cluster,
    cause,
    strength,
    ordinal,
    explode(topics) AS topic
FROM unclean_restart_detections
