"""One request to a model.

Read ``call``, ``window`` and ``middleware`` first, then the line in its order: ``limits``,
``recovery`` (with ``smaller`` and ``empty``), ``retry``, ``adapting``, ``recording``,
``transport``. Packages beside them: ``forms``, how messages are written; ``refusals``, what an
error says; ``memory``, what is kept between calls; ``sdk``, the SDK's own objects.
"""
