-- Consumer groups that showed no member at any usable sweep: whoever moves their offsets is not the group.
-- in:  group_coordinators
-- out: one row per group that was listed, always Empty or Dead. MirrorMaker's sync, an operator and readers that assign
--      partitions to themselves commit so; a state that is not told may hide members
SELECT
    cluster,
    group_id
FROM group_coordinators
GROUP BY cluster, group_id
HAVING max(listed) AND NOT max(members > 0 OR (listed AND NOT coalesce(group_state IN ('Empty', 'Dead'), FALSE)))
