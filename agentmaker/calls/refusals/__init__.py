"""What a server says when it refuses, whatever its words.

A body is read into ``bodies.Said``, that is understood as ``kinds.Refusal``, and what comes of it
is a ``faults.Fault``, with the sizes it states as ``overflow.Overflow``. What a fault says of the
form of the history is a ``complaints.Complaint``. Patterns stand in ``concepts`` and ``verdicts``.
"""
