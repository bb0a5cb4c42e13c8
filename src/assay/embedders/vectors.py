"""Rows of unit length, as the rest of Assay expects them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def unit_rows(matrix: Any) -> NDArray[np.float32]:
    """float32 rows scaled to length 1; a zero row stays zero. Raises ValueError for what is no finite matrix."""
    import numpy as np

    rows = np.asarray(matrix, dtype=np.float64)
    if rows.ndim != 2 or not np.isfinite(rows).all():
        raise ValueError("not a matrix of finite numbers")
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    scaled: NDArray[np.float32] = (rows / np.where(norms > 0, norms, 1)[:, None]).astype(np.float32)
    return scaled
