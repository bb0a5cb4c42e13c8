"""How the documentation becomes a site: `make site`."""

from __future__ import annotations

from assay import __version__

project = "Assay"
release = version = __version__
html_title = f"Assay {__version__}"
language = "en"
extensions = ["myst_parser"]
exclude_patterns = ["_build", "ci/*"]
myst_heading_anchors = 3
nitpicky = True
html_theme = "furo"
html_copy_source = False
html_show_copyright = False
