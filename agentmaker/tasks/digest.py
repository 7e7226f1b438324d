"""One value for any JSON, the same in every process."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any


def digest(*parts: Any) -> str:
    written = json.dumps(parts, ensure_ascii=True, sort_keys=True, default=str)
    return sha256(written.encode()).hexdigest()
