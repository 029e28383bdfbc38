"""A notifier for any DAG: takes a sentence, mails it once to KAFKA_FLEET_PLATFORM_OWNERS by the platform's outbox."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from airflow.sdk.bases.notifier import BaseNotifier

from fleet_airflow.alerts import tell_owners


class PlatformOwnersNotifier(BaseNotifier):
    """`on_failure_callback=PlatformOwnersNotifier("{{ ti.task_id }} of {{ dag.dag_id }} has failed")`.

    title, lines: templates; each a sentence without its full stop. A title that comes again on a day, with no other
    between, is not mailed again; a mail that no server took is offered again by fleet_collect.
    """

    template_fields = ("title", "lines")

    def __init__(self, title: str, lines: Sequence[str] = (), **options: Any) -> None:
        super().__init__(**options)
        self.title, self.lines = title, list(lines)

    def notify(self, context: Any) -> None:
        """Raises Untold where a mail server took it for nobody, and there is somebody."""
        logical_date = context.get("logical_date") or datetime.now(UTC)
        ds = logical_date.astimezone(UTC).date().isoformat()
        tell_owners(ds, "notifier", self.title, self.lines, about=self.title)
