"""The plots of a judged day: one document per cluster, which its page draws."""

from pydantic import Field

from kafka_fleet.documents.document import SCHEMA_VERSION, Document, Number, Text


class PlotSeries(Document):
    """One line."""

    name: Text = Field(description="of the line")
    points: list[list[Number]] = Field(description="`[from, to, value]`, times in seconds of the day")


class PlotPanel(Document):
    """One picture with one axis."""

    title: Text = Field(description="what it shows")
    unit: Text = Field(description="of the axis")
    series_count: int = Field(description="how many lines there are, drawn or not")
    series: list[PlotSeries] = Field(description="the lines that are drawn, the worst first")


class PlotLimit(Document):
    """A threshold across the picture."""

    value: Number = Field(description="in force for the cluster")
    label: Text = Field(description="its name")


class ClusterPlot(Document):
    """One plot of a cluster's day."""

    plot: Text = Field(description="its id, the folder in `sql/plots`")
    title: Text = Field(description="in words")
    about: Text = Field(description="what is drawn")
    limit: PlotLimit | None = Field(description="null: none")
    panels: list[PlotPanel] = Field(description="the pictures that are drawn")
    panel_count: int = Field(description="how many pictures there are, drawn or not")
    missing: list[Text] = Field(description="what was not measured, one sentence each")


class SweepTimes(Document):
    """When the day was measured, in seconds of the day."""

    count: int = Field(description="how many sweeps")
    first: Number | None = Field(description="null without any")
    last: Number | None = Field(description="the same")
    usual: Number | None = Field(description="the usual distance between two; null below two sweeps")
    gaps: list[list[Number]] = Field(description="`[from, to]`: the longest spans without a sweep")
    gap_count: int = Field(description="how many such spans there are")


class Plots(Document):
    """What a cluster's page draws of a day."""

    schema_version: int = Field(default=SCHEMA_VERSION, description="1")
    ds: Text = Field(description="the day, in UTC")
    cluster: Text = Field(description="id of the cluster")
    sweeps: SweepTimes = Field(description="when it was measured")
    plots: list[ClusterPlot] = Field(description="in the order of the page")
