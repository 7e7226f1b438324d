"""One value for any JSON, the same in every process."""

from __future__ import annotations

import json
from typing import Any

from agentmaker.digests import sha256_of


def digest(*parts: Any) -> str:
    return sha256_of(json.dumps(parts, ensure_ascii=True, sort_keys=True, default=str))
