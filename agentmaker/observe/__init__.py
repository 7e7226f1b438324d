"""Where records of requests go, and what can be read from them afterwards."""

from agentmaker.observe.sinks import JsonlSink, MemorySink, StructlogSink

__all__ = ["JsonlSink", "MemorySink", "StructlogSink"]
