"""How Sphinx builds these pages: `make docs`."""
project = "hil_relative_dynamics"
author = "the authors of hil_relative_dynamics"
copyright = "Apache-2.0"

extensions = ["myst_parser"]
exclude_patterns = ["_build"]
myst_heading_anchors = 3  # links such as errata.md#paper-002 go by the text of the heading

html_theme = "furo"
html_title = "hil_relative_dynamics"
html_show_sphinx = False
