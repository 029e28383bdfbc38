"""What owners were sent, from their mailbox: takes each mail that the server took, says what may not have been sent.

The outbox is asked for two things only: which answers were lost, and what it counts as sent. All else, such as who
knows what on which day, is what the mailbox has.
"""

from collections import Counter, defaultdict
from typing import NamedTuple

from kafka_fleet.documents.outbox import Mail
from support.failures.mail_runs import CLUSTERS, VARIANTS, Runs

Findings = tuple[str, ...]


class Had(NamedTuple):
    """One mail that an owner has: its day, Message-ID and findings, and at which look it was there."""

    ds: str
    message_id: str
    findings: Findings
    look: int


class Oracle:
    """The mailboxes of all owners over all days. published: variant by day, of the run that readers follow."""

    def __init__(self, runs: Runs) -> None:
        self.runs = runs
        self.published: dict[str, str] = {}
        self.had: dict[str, list[Had]] = {one: [] for one in runs.owners}
        self.window: Counter[tuple[str, str]] = Counter()  # complete mails of unknown outcome
        self.counts: Counter[str] = Counter()
        self._claims: dict[tuple[str, str], int] = {}
        self._composed: dict[str, tuple[str, int]] = {}  # Message-ID -> day, and at which look it was there
        self._sure: dict[str, set[str]] = defaultdict(set)  # of an owner, what the outbox knows to be sent
        self.shown: dict[str, str] = {}  # the same, when a task began that is under way still
        self._looks = self._seen = 0

    def last(self, owner: str, ds: str) -> Had | None:
        """The latest letter that an owner has, up to a day."""
        return max((one for one in reversed(self.had[owner]) if one.ds <= ds), key=lambda one: one.ds, default=None)

    def look(self) -> None:
        """Every mail that came since is in the outbox, tells what was published, and is news but for lost answers."""
        self._looks += 1
        known = {(ds, mail.message_id): mail for ds in self.published for mail in self.runs.mails(ds)}
        for ds, message_id in known:
            self._composed.setdefault(message_id, (ds, self._looks))
        days = {message_id: ds for ds, message_id in known}
        taken = self.runs.server.accepted()[self._seen :]
        self._seen += len(taken)
        for one in taken:
            assert one.message_id in days, "a mail that was delivered is forgotten"
            ds = days[one.message_id]
            holds = {VARIANTS[variants[ds]] for variants in (self.published, self.shown) if ds in variants}
            findings = self._tells(known[ds, one.message_id])
            assert findings in holds, "a letter whose findings do not hold any more"
            self._is_due(one.recipient, Had(ds, one.message_id, findings, self._looks))
            self.had[one.recipient].append(Had(ds, one.message_id, findings, self._looks))
        for (_ds, message_id), mail in known.items():
            for owner, one in mail.recipients.items():
                key = (owner, message_id)
                more = (
                    one.claims
                    - self._claims.get(key, 0)
                    - (one.state == "sent" and message_id not in self._sure[owner])
                )
                if more > 0:
                    self.window[key] += more
                    self.counts["in the window"] += more
                self._claims[key] = one.claims
                if one.state == "sent":
                    self._sure[owner].add(message_id)

    def _tells(self, mail: Mail) -> Findings:
        """The findings of payments-eu that its reader knows after a mail."""
        told = mail.told or {}
        return tuple(sorted(told[CLUSTERS[1]] if self.runs.digest else told))

    def _is_due(self, owner: str, new: Had) -> None:
        same = [one for one in self.had[owner] if one.message_id == new.message_id]
        assert len(same) <= self.window[owner, new.message_id] <= 1 or not same, "twice, and not for a lost answer"
        self.counts["twice"] += bool(same)
        before = self.last(owner, new.ds)
        if same or before is None or before.findings != new.findings:
            return
        assert self._composed[new.message_id][1] <= before.look or self.unsure(owner, new), "a letter without news"
        self.counts["told again"] += 1

    def unsure(self, owner: str, new: Had) -> set[str]:
        """Mails to an owner with lost answers after the last that was surely sent, up to the day of another."""
        places = {one: self._composed[one] for (to, one), lost in self.window.items() if to == owner and lost}
        sure = max(
            (self._composed[one] for one in self._sure[owner] if self._composed[one][0] <= new.ds), default=("", 0)
        )
        return {one for one, place in places.items() if one != new.message_id and sure < place and place[0] <= new.ds}

    def check(self, ds: str, mailed: bool) -> set[str]:
        """All is well again on the last day: each owner has what is published. Gives those who are `uncertain`."""
        uncertain = set()
        for owner in self.runs.owners:
            mail = next((mail for mail in reversed(self.runs.mails(ds)) if owner in mail.recipients), None)
            last = self.last(owner, ds)
            if mail is not None and mail.recipients[owner].state == "uncertain":
                assert self.window[owner, mail.message_id] == 2, "given up, and answers were not lost twice"
                uncertain.add(owner)
                self.counts["uncertain"] += 1
                self.counts["uncertain, without the mail"] += mail.message_id not in {
                    one.message_id for one in self.had[owner]
                }
            elif mailed:
                assert last is not None, "an owner without a letter"
                assert last.findings == VARIANTS[self.published[ds]], "an owner who has not the last findings"
        return uncertain
