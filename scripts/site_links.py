# SPDX-License-Identifier: MIT
"""A hook of mkdocs (mkdocs.yml): files beside docs/ are no pages of the site, so a link to one is its words alone."""
import re


def on_page_markdown(markdown, **_):
    return re.sub(r"\[([^\]]+)\]\(\.\./[^)]+\)", r"\1", markdown)
