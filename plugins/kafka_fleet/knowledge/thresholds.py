"""One number of a rule, as its YAML file gives it, with unit, allowed range and reason."""

from pydantic import BaseModel, ConfigDict, model_validator


class Threshold(BaseModel):
    """A number that queries compare with: unit, allowed range and reason. A column of the table that queries join."""

    model_config = ConfigDict(extra="forbid")
    value: float
    unit: str
    minimum: float
    maximum: float
    reason: str

    @model_validator(mode="after")
    def _in_range(self) -> "Threshold":
        if not self.minimum <= self.value <= self.maximum:
            raise ValueError(f"value {self.value} is outside its own range {self.minimum} to {self.maximum}")
        return self
