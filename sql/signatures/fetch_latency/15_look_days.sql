-- What all looks of the day show together of a topic at a broker.
-- A slow reader's period may fall together with an idle one's within a look, not in look after look. The closeness of
-- bytes and expiries that know nothing of each other is 1 on average, whatever their periods, so that its product over
-- the day's looks exceeds 1 / p with a chance of p at most (Ville).
-- in:  look_topics
-- out: one row per cluster, broker and topic. prompt: every look that tells shows that it goes out at once; beside: it
--      goes out beside expiries and by no chance, of a topic that the broker only follows. That is no proof of delay:
--      one client may read an idle topic and a busy one by turns
SELECT
    cluster,
    broker,
    topic,
    count_if(shows = 'prompt') > 0 AND count_if(shows != 'prompt') = 0 AS prompt,
    max(leaders) = 0
    AND min(replicas) > 0
    AND count_if(shows = 'prompt') = 0
    AND try_cast(
        try_sum(
            try_cast(
                CASE WHEN expired >= :min_expired THEN ln(greatest(closeness, 0.1) / :close_factor) END
                AS DECIMAL(28, 9)
            )
        ) AS DOUBLE
    ) >= -ln(:max_look_chance) AS beside
FROM look_topics
GROUP BY cluster, broker, topic
