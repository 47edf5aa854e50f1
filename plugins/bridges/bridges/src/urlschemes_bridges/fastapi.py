"""FastAPI: URLs in what a path operation returns without a model, such as a dict or an object of SQLAlchemy.

    from urlschemes_bridges.fastapi import Schemes

The import is all that is needed. `Schemes` is that of `urlschemes_bridges.pydantic`, for models and parameters.
"""

from __future__ import annotations

from urlschemes import URL
from urlschemes_bridges.extras import needs_extra

with needs_extra("fastapi"):
    from fastapi.encoders import encoders_by_class_tuples

    from urlschemes_bridges.pydantic import Schemes

__all__ = ["Schemes"]

encoders_by_class_tuples[str] += (URL,)
