"""How Sphinx builds the documentation (`make docs`): Markdown pages, and a reference from the docstrings."""

import sys
from pathlib import Path

import privcheck

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "privcheck"
author = "the privcheck developers"
version = release = privcheck.__version__
html_title = "privcheck"
html_theme = "furo"
html_show_copyright = False
html_copy_source = False
smartquotes = False  # ids and options are copied from these pages
html_static_path = ["static"]
html_css_files = ["site.css"]
html_theme_options = {"navigation_with_keys": True}

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode", "plain_docstrings", "generated_parts"]
exclude_patterns = ["extensions", "images", "static"]
highlight_language = "text"
default_role = "py:obj"
myst_heading_anchors = 4
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
maximum_signature_line_length = 100
