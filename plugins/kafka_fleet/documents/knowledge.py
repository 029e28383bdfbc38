"""Which pack of knowledge a day was judged by: knowledge.json of its generation; days of earlier versions have none."""

from pydantic import Field

from kafka_fleet.documents.document import SCHEMA_VERSION, Document, Text
from kafka_fleet.knowledge.pack import Pack
from kafka_fleet.store.files import read_file
from kafka_fleet.store.home import HomeGeneration
from kafka_fleet.store.home_names import below_home
from kafka_fleet.store.versions import document


class KnowledgeOfDay(Document):
    """The pack by which a day was judged."""

    schema_version: int = Field(default=SCHEMA_VERSION, description="1")
    version: Text = Field(description="of the pack")
    checksum: Text = Field(description="SHA-256 of its SHA256SUMS, in hex")
    builtin: bool = Field(description="whether it is the program's own")

    @classmethod
    def of(cls, pack: Pack) -> "KnowledgeOfDay":
        """What is kept of a pack."""
        return cls(schema_version=SCHEMA_VERSION, version=pack.version, checksum=pack.checksum, builtin=pack.builtin)

    def __str__(self) -> str:
        return f"{self.version} ({self.checksum[:12]})"


def knowledge_of(generation: HomeGeneration) -> KnowledgeOfDay | None:
    """None: the day was judged by an earlier version of the program. Raises ValueError for a damaged document."""
    try:
        found = read_file(generation.knowledge)
    except FileNotFoundError:
        return None
    return KnowledgeOfDay.model_validate(document(found, below_home(generation.knowledge)))
