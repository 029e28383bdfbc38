-- Producers that do not try again, by their owner's word.
-- out: one row per cluster and declared producer fleet. without_retries: retries: 0 is declared; else all its versions
--      lie below 2.1, where that is the default, and nothing else is declared. is_old: these versions do.
--      client_ids: of its producers; null: not said
WITH declared AS (
    SELECT
        c.cluster,
        p.software,
        p.versions,
        p.listener,
        p.retries,
        p.client_ids,
        -- a version is one release, a line, or bounds joined by commas, of which one upper bound is enough
        coalesce(
            p.software = 'apache-kafka-java'
            AND p.versions RLIKE '(^|,) *(< *([01][.][0-9]+|2[.][01])|(<=|={0,2}) *([01][.][0-9]+|2[.]0))([^0-9]|$)',
            FALSE
        ) AS is_old
    FROM cluster_days AS c
        LATERAL VIEW inline(
            from_json(
                c.declaration,
                'client_configs STRUCT<producers: ARRAY<STRUCT<
                    software: STRING, version: STRING, listener: STRING, retries: STRING, client_ids: ARRAY<STRING>>>>'
            ).client_configs.producers
        ) p AS software, versions, listener, retries, client_ids
)

SELECT
    cluster,
    software,
    versions,
    listener,
    client_ids,
    is_old,
    retries IS NOT NULL AS without_retries
FROM declared
WHERE retries = '0' OR (retries IS NULL AND is_old)
