-- The points of all plots, at most so many per series: where sweeps are nearer together the highest of each step stays.
-- out: one row per cluster and what is drawn, which is a series of a plot: points as JSON, [[from, to, value], ...] in
--      time order, seconds of the day; and one per thing that was not measured, in `drawn.missing`, without any
WITH stepped AS (
    SELECT
        p.cluster,
        p.amount,
        struct(
            p.plot, p.panel, p.panel_object, p.panel_place, p.panel_count, p.series, p.series_object, p.series_detail,
            p.place, p.series_count, p.missing, p.broker, p.sweeps, p.of_sweeps
        ) AS drawn,
        unix_seconds(p.from_at) - unix_seconds(cast(:ds AS TIMESTAMP)) AS from_s,
        unix_seconds(p.to_at) - unix_seconds(cast(:ds AS TIMESTAMP)) AS to_s,
        -- the last sweep ends the last step, or it would have one for itself
        least(
            floor(
                try_divide(
                    (unix_seconds(p.to_at) - unix_seconds(d.first_sweep)) * :most_points,
                    greatest(unix_seconds(d.last_sweep) - unix_seconds(d.first_sweep), 1)
                )
            ),
            :most_points - 1
        ) AS step
    FROM plot_points AS p
    INNER JOIN cluster_days AS d ON p.cluster = d.cluster
),

binned AS (
    SELECT
        cluster,
        drawn,
        step,
        min(from_s) AS from_s,
        max(to_s) AS to_s,
        round(max(amount), 3) AS amount
    FROM stepped
    GROUP BY cluster, drawn, step
)

SELECT
    b.cluster,
    b.drawn,
    to_json(
        transform(
            sort_array(
                collect_list(struct(b.to_s, b.from_s, b.amount)) FILTER (WHERE b.from_s + b.to_s + b.amount IS NOT NULL)
            ),
            p -> array(try_cast(p.from_s AS DOUBLE), try_cast(p.to_s AS DOUBLE), p.amount)
        )
    ) AS points
FROM binned AS b
GROUP BY b.cluster, b.drawn
HAVING count(b.from_s + b.to_s + b.amount) > 0 OR b.drawn.missing IS NOT NULL
ORDER BY b.cluster, b.drawn.plot, b.drawn.panel_place, b.drawn.place, b.drawn.missing, b.drawn.broker
