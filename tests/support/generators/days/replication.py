"""Followers of a simulated cluster: takes its appends, works through the fetches that they have open at leaders."""

from bisect import bisect_right

from support.generators.days.cluster import Log, Sim

FOLLOWER_WAIT_S = 0.5  # replica.fetch.wait.max.ms


def replicate(sim: Sim) -> None:
    """Followers' fetches: one open at each other leader, answered at once when something was appended there."""
    for leader in sim.brokers:
        for follower in sim.brokers:
            if follower == leader:
                continue
            appended = sorted(t for log in sim.logs.values() for t in _copied(log, leader, follower))
            t, place, n = 0.0, 0, len(appended)
            while t < sim.end:
                ready = appended[place] if place < n else float("inf")
                if not (sim.up(leader, t) and sim.up(follower, t)):
                    t += 1.0
                    continue
                at = min(max(t, ready), t + FOLLOWER_WAIT_S)
                if ready > at:
                    sim.count(leader, at, ("b", "expired_follower_fetches"))
                place = max(place, bisect_right(appended, at))
                sim.count(leader, at, ("r", "FetchFollower"))
                t = at + sim.rng.uniform(0.0005, 0.002)


def _copied(log: Log, leader: int, follower: int) -> list[float]:
    """When a follower that is in the set has something to fetch from a leader."""
    if follower not in log.replicas.at(0.0):
        return []
    if len(log.leader.times) == len(log.isr.times) == 1:
        return log.times if log.leader.at(0.0) == leader else []
    return [t for t in log.times if log.leader.at(t) == leader and follower in log.isr.at(t)]
