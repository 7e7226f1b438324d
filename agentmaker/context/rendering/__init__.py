"""Data as text that a model reads well and a person can compare: YAML, and tables in it."""

from agentmaker.context.rendering.data import Data, Table, is_huge, plain_data
from agentmaker.context.rendering.tables import to_table
from agentmaker.context.rendering.yaml import to_yaml

__all__ = ["Data", "Table", "is_huge", "plain_data", "to_table", "to_yaml"]
