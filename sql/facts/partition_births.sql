-- Since which usable sweep the partitions and topics exist on which groups began.
-- in:  raw_topics, group_coordinators (its sweeps are usable), commit_begins
-- out: one row per partition of such a topic and topic id; '' where releases have no ids. born, topic_born: number of
--      the first sweep that shows the partition, or any of its topic; partitions_before: those as old as the topic
WITH sweeps AS (
    SELECT DISTINCT
        cluster,
        sweep_at,
        sweep_number
    FROM group_coordinators
),

topics AS (
    SELECT DISTINCT
        cluster,
        topic
    FROM commit_begins
),

partition_births AS (
    SELECT
        t.cluster,
        t.topic,
        t.partition,
        coalesce(t.topic_id, '') AS topic_id,
        min(s.sweep_number) AS born
    FROM raw_topics AS t
    INNER JOIN topics AS w ON t.cluster = w.cluster AND t.topic = w.topic
    INNER JOIN sweeps AS s ON t.cluster = s.cluster AND t.sweep_at = s.sweep_at
    GROUP BY t.cluster, t.topic, t.partition, coalesce(t.topic_id, '')
),

births AS (
    SELECT
        *,
        min(born) OVER (PARTITION BY cluster, topic, topic_id) AS topic_born,
        count(*) OVER (PARTITION BY cluster, topic, topic_id) AS partition_count
    FROM partition_births
)

SELECT
    *,
    try_sum(CASE WHEN born = topic_born THEN 1 ELSE 0 END) OVER (PARTITION BY cluster, topic, topic_id)
        AS partitions_before
FROM births
