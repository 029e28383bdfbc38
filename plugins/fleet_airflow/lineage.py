"""Assets of the DAGs as OpenLineage names data: takes `fleet://findings`, gives the folder or the prefix that holds it.

Airflow loads this while the first asset is made (provider_info.py), so it imports neither assets nor settings at once.
"""

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from airflow.providers.common.compat.openlineage.facet import Dataset
    from airflow.sdk import Asset

_FOLDERS = {"marts": "facts"}  # below the home, where it has another name


def openlineage_dataset(asset: "Asset", _context: object) -> "Dataset":
    """By OpenLineage's naming: the namespace is `file`, or the bucket of KAFKA_FLEET_HOME; the name is the path."""
    from airflow.providers.common.compat.openlineage.facet import Dataset

    from fleet_airflow.settings import home_text

    part, home = urlsplit(asset.uri).netloc, urlsplit(home_text())
    namespace = f"{home.scheme.replace('s3a', 's3')}://{home.netloc}" if home.scheme else "file"
    path = home.path.strip("/") if home.scheme else home.path.rstrip("/")
    return Dataset(namespace=namespace, name="/".join(one for one in (path, _FOLDERS.get(part, part)) if one))
