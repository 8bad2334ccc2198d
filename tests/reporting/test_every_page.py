"""What every page keeps: it needs nothing else, is built for screen readers, and can be read in light and in dark."""

from __future__ import annotations

import base64
import hashlib
import itertools
import re
from collections import Counter
from html.parser import HTMLParser
from importlib import resources

import pytest

NAMES = ("audits", "long", "certificate", "leaks", "bounds", "simulation", "index")
VOID = {"meta", "br", "wbr", "hr", "img", "link", "input"}
SCRIPT = resources.files("privcheck.reporting._pages").joinpath("sorting.js").read_text(encoding="utf-8")
STYLE = resources.files("privcheck.reporting._pages").joinpath("page.css").read_text(encoding="utf-8")


class Structure(HTMLParser):
    """The elements of a page in order, each with its attributes and its parents, and its scripts."""

    def __init__(self, page):
        super().__init__()
        self.open, self.elements, self.scripts = [], [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs), tuple(self.open)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs), tuple(self.open)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)

    def of(self, *tags):
        return [attributes for tag, attributes, _ in self.elements if tag in tags]


def offences(page):
    """Return what is wrong with a page, one word each."""
    structure = Structure(page)
    tags = Counter(tag for tag, _, _ in structure.elements)
    ids = Counter(attributes["id"] for _, attributes, _ in structure.elements if "id" in attributes)
    source = ["mathematics"] if re.search(r"\\math|\$\{", page) else []
    return outline(structure, tags, ids) + parts(structure, tags, ids) + dependencies(structure, tags, ids) + source


def outline(structure, tags, ids):
    found = []
    if structure.open or max(ids.values(), default=1) > 1:
        found.append("markup")
    if [tags[tag] for tag in ("h1", "main", "header", "footer")] != [1, 1, 1, 1]:
        found.append("landmarks")
    levels = [int(tag[1]) for tag, _, _ in structure.elements if re.fullmatch("h[1-6]", tag)]
    if levels[0] != 1 or any(after > before + 1 for before, after in itertools.pairwise(levels)):
        found.append("headings")
    if not [1 for attributes in structure.of("html") if attributes.get("lang") == "en"]:
        found.append("language")
    return found


def parts(structure, tags, ids):
    found = []
    for svg in structure.of("svg"):
        labels = svg.get("aria-labelledby", "").split()
        if svg.get("role") != "img" or len(labels) != 2 or not set(labels) <= set(ids):
            found.append("picture")
    if tags["figure"] != tags["figcaption"] or tags["svg"] != 2 * tags["figure"]:
        found.append("figure")
    if tags["caption"] != tags["table"]:
        found.append("caption")
    scopes = [head.get("scope") for head in structure.of("th")]
    if scopes.count("col") + scopes.count("row") != len(scopes) or scopes.count("row") != tags["tr"] - tags["table"]:
        found.append("scope")
    return found


def dependencies(structure, tags, ids):
    found = []
    policy = next((meta["content"] for meta in structure.of("meta") if meta.get("http-equiv")), "")
    hashed = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    if f"script-src 'sha256-{hashed}'" not in policy or not policy.startswith("default-src 'none'"):
        found.append("policy")
    sortable = any(table.get("class") == "sortable" for table in structure.of("table"))
    if structure.scripts != [SCRIPT] * sortable:
        found.append("script")
    loading = {"src", "srcset", "data", "poster", "background", "onclick", "onload", "onerror"}
    if {"link", "iframe", "object", "image", "img"} & set(tags) or any(
        loading & set(attributes) for _, attributes, _ in structure.elements
    ):
        found.append("loads")
    for attributes in structure.of("a"):
        address = attributes["href"]
        if re.match(r"[a-z+.-]+:|//", address) or (address.startswith("#") and address[1:] not in ids):
            found.append("link")
    return found


@pytest.mark.parametrize("name", NAMES)
def test_pages_keep_the_rules(pages, name):
    assert offences(pages[name]) == []


@pytest.mark.parametrize(
    ("change", "offence"),
    [
        (("</main>", "<p></main></p>"), None),
        (("</main>", '<p id="audit-1"></p></main>'), "markup"),
        (("<h1>", "<h2>"), None),
        (("<main>", "<main><header></header>"), "landmarks"),
        (("</main>", "<h6>deep</h6></main>"), "headings"),
        (('role="img"', 'role="none"'), "picture"),
        (("<figcaption>", "<figcaption></figcaption><figcaption>"), "figure"),
        (("<caption>", "<caption></caption><caption>"), "caption"),
        (('scope="col"', ""), "scope"),
        (("default-src 'none'", "default-src *"), "policy"),
        (('"use strict";', '"use strict" ;'), "script"),
        (("</main>", "<script>1</script></main>"), "script"),
        (("</main>", '<img src="a.png"></main>'), "loads"),
        (("</main>", '<p onclick="a()"></p></main>'), "loads"),
        (("</main>", '<a href="https://a.b">c</a></main>'), "link"),
        (("</main>", '<a href="#nowhere">c</a></main>'), "link"),
        (('lang="en"', ""), "language"),
        (("</main>", r"<p>$\mathdefault{10^{-4}}$</p></main>"), "mathematics"),
    ],
)
def test_a_broken_page_is_noticed(pages, change, offence):
    broken = pages["audits"].replace(*change, 1)
    assert broken != pages["audits"]
    if offence is None:
        with pytest.raises(AssertionError):
            offences(broken)
    else:
        assert offence in offences(broken)


# Contrast, by the formula of WCAG 2.2


def luminance(colour):
    digits = colour.removeprefix("#")
    digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, two):
    low, high = sorted((luminance(one), luminance(two)))
    return (high + 0.05) / (low + 0.05)


def schemes(style):
    """Return the colours of the style sheet by name, for light, dark and print."""
    blocks = [
        dict(re.findall(r"--([\w-]+): (#\w+)", block)) for block in re.findall(r":root \{([^}]*)\}", style, re.DOTALL)
    ]
    light, dark, paper = [block for block in blocks if block]
    return {"light": light, "dark": light | dark, "print": light | paper}


def too_pale(style):
    return [
        (scheme, name, ground)
        for scheme, colours in schemes(style).items()
        for name in sorted(set(colours) - {"paper", "panel", "line"})
        for ground in ("paper", "panel")
        if contrast(colours[name], colours[ground]) < 4.5
    ]


def test_contrast_agrees_with_known_ratios():
    assert contrast("#000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)


def test_all_text_has_contrast_in_every_scheme():
    assert set(schemes(STYLE)["dark"]) == set(schemes(STYLE)["light"]) >= {"ink", "soft", "violation", "certified"}
    assert too_pale(STYLE) == []


@pytest.mark.parametrize(("old", "new"), [("--soft: #5a6270", "--soft: #8a8f98"), ("#ff9552", "#b34700")])
def test_pale_text_is_noticed(old, new):
    assert old in STYLE
    assert too_pale(STYLE.replace(old, new, 1))


def test_the_style_sheet_uses_its_own_colours_only():
    """So that the test above sees them all."""
    outside = re.sub(r":root \{[^}]*\}", "", STYLE, flags=re.DOTALL)
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b|rgb|hsl", outside) == []
