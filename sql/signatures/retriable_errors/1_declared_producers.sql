-- What owners declare of producers without retries.
-- in:  cluster_days
-- out: one row per cluster and declared producer fleet: without_retries (retries: 0 is declared), or default_zero (all
--      its versions lie below 2.1, where that is the default, and nothing else is declared)
WITH fleets AS (
    SELECT
        cluster,
        explode(
            from_json(
                declaration,
                'client_configs STRUCT<producers: ARRAY<STRUCT<
                    software: STRING, version: STRING, listener: STRING, retries: STRING>>>'
            ).client_configs.producers
        ) AS fleet
    FROM cluster_days
    WHERE array_contains(:clusters, cluster)
),

-- a version is one release, a line, or bounds joined by commas, of which one upper bound is enough
bounds AS (
    SELECT
        f.cluster,
        f.fleet.software,
        f.fleet.version AS versions,
        f.fleet.listener,
        f.fleet.retries,
        transform(
            split(f.fleet.version, ','),
            part -> STRUCT(
                regexp_extract(trim(part), '^([<>=]*)', 1) AS sign,
                1000L * try_cast(regexp_extract(trim(part), '([0-9]+)[.][0-9]+', 1) AS INT)
                + try_cast(regexp_extract(trim(part), '[0-9]+[.]([0-9]+)', 1) AS INT) AS line
            )
        ) AS parts
    FROM fleets AS f
)

SELECT
    cluster,
    software,
    versions,
    listener,
    coalesce(retries = '0', FALSE) AS without_retries,
    retries IS NULL
    AND software = 'apache-kafka-java'
    AND coalesce(
        exists(
            parts,
            p -> (p.sign = '<' AND p.line <= 2001) OR (p.sign IN ('<=', '=', '==', '') AND p.line < 2001)
        ),
        FALSE
    ) AS default_zero
FROM bounds
