"""The manual: every Markdown page of the repository where it lies, with links that work there and here, and the
references of C and Python, which are made of the headers' comments and of docstrings. `./dev doc` builds it."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

from docstrings import marked  # noqa: E402
from generated import source_read  # noqa: E402
from headers import HEADERS, documented  # noqa: E402

project = "impinge"
author = "the authors of impinge"
copyright = author
version = re.search(r"project\(impinge VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
release = version

extensions = ["myst_parser", "sphinx.ext.autodoc", "breathe"]
root_doc = "doc/index"
include_patterns = ["*.md", "bench/**.md", "data/*.md", "doc/**.md", "host/**.md", "kernels/*.md", "python/*.md", "tests/*.md"]
exclude_patterns = ["build", "**/.*"]

myst_heading_anchors = 4
myst_enable_extensions = ["attrs_block", "colon_fence"]
myst_links_external_new_tab = False
smartquotes = False
suppress_warnings = ["myst.header"]  # tables of the benchmark begin with headings of the third level
default_role = "any_python"
highlight_language = "none"
nitpicky = False

html_theme = "furo"
html_title = f"impinge {release}"
html_static_path = [str(HERE / "static")]
html_css_files = ["impinge.css"]
html_show_copyright = False
html_copy_source = False
html_show_sourcelink = False
html_additional_pages = {"index": "redirect.html"}
templates_path = [str(HERE / "templates")]

autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_preserve_defaults = True

breathe_default_project = "impinge"
breathe_domain_by_extension = {"h": "c"}
breathe_default_members = ("members", "undoc-members")
breathe_show_include = False
breathe_show_enumvalue_initializer = True
breathe_show_define_initializer = True


def references(app):
    """Doxygen reads the headers, whose plain comments headers.py marks as what they are."""
    made = Path(app.outdir).parent / "headers"
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    for name in HEADERS:
        (made / name).write_text(documented(name, (ROOT / "host" / name).read_text(encoding="utf-8")), encoding="utf-8")
    said = subprocess.run(["doxygen", str(HERE / "Doxyfile")], cwd=made, capture_output=True, text=True)
    if said.returncode or said.stderr.strip():
        raise RuntimeError(f"doxygen: {said.stderr}")
    app.config.breathe_projects = {"impinge": str(made / "xml")}


def any_python(name, rawtext, text, lineno, inliner, options=None, content=None):
    """What stands between backticks in a docstring: a link where it is a name of the package, else code."""
    from docutils import nodes
    from impinge import __all__
    from sphinx.addnodes import pending_xref

    code = nodes.literal(rawtext, text)
    path = re.sub(r"\(.*", "", text).removeprefix("impinge.")
    if path.split(".")[0] not in __all__:
        return [code], []
    link = pending_xref("", code, refdomain="py", reftype="obj", reftarget=f"impinge.{path}", refexplicit=False, refwarn=False)
    link["refdoc"] = inliner.document.settings.env.docname
    return [link], []


def setup(app):
    from docutils.parsers.rst import roles

    roles.register_local_role("any_python", any_python)
    app.connect("builder-inited", references)
    app.connect("source-read", source_read)
    app.connect("autodoc-process-docstring", lambda app, what, name, thing, options, lines: marked(lines))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
