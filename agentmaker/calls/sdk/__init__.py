"""The SDK's own objects: clients, streams, answers and errors."""
