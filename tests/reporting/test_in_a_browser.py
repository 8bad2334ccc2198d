"""The pages in a real browser: they open, sort, fit, stay readable in light and dark, and ask the network for nothing.

The browser is spoken to through a pipe (Chrome's `--remote-debugging-pipe`), which needs no package and no port.
"""

from __future__ import annotations

import itertools
import json
import os
import select
import shutil
import subprocess
import sys

import pytest

from privcheck.claims import kept_findings
from privcheck.reporting import page
from tests.example_results import FIXED_BANDIT

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
BINARY = next((path for path in map(shutil.which, NAMES) if path), None)
pytestmark = [
    pytest.mark.skipif(BINARY is None, reason=f"no browser on the PATH: install one of {', '.join(NAMES)}"),
    pytest.mark.skipif(os.name != "posix", reason="the browser is spoken to through POSIX pipes"),
]

FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-extensions",
    "--no-first-run",
    "--remote-debugging-pipe",
]


PATIENCE = 60.0
"""Seconds to wait for an answer."""


class Browser:
    """One headless browser with one tab; `log` collects what pages print or ask for."""

    def __init__(self, folder):
        to_child, self.out = os.pipe()
        self.into, from_child = os.pipe()

        wire = (
            "import fcntl, os, sys; pair = [fcntl.fcntl(int(fd), fcntl.F_DUPFD, 10) for fd in sys.argv[1:3]]; "
            "os.dup2(pair[0], 3); os.dup2(pair[1], 4); os.execv(sys.argv[3], sys.argv[3:])"
        )  # Chrome reads commands from descriptor 3 and answers on 4.
        command = [BINARY, *FLAGS, f"--user-data-dir={folder}", "about:blank"]
        self.process = subprocess.Popen(
            [sys.executable, "-c", wire, str(to_child), str(from_child), *command],
            pass_fds=(to_child, from_child),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_child)
        os.close(from_child)
        self.numbers, self.buffer, self.log, self.loaded, self.session = itertools.count(1), b"", [], False, None
        target = self("Target.createTarget", url="about:blank")["targetId"]
        self.session = self("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "DOM", "Accessibility"):
            self(f"{domain}.enable")

    def __call__(self, method, **parameters):
        """Send a command and return its result."""
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == number:
                assert "error" not in answer, answer
                return answer["result"]

    def _next(self):
        while b"\0" not in self.buffer:
            assert select.select([self.into], [], [], PATIENCE)[0], "the browser does not answer"
            more = os.read(self.into, 1 << 16)
            assert more, "the browser closed its pipe"
            self.buffer += more
        message, _, self.buffer = self.buffer.partition(b"\0")
        found = json.loads(message)
        kind, details = found.get("method"), found.get("params", {})
        if kind == "Page.loadEventFired":
            self.loaded = True
        elif kind in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.log.append(details)
        elif kind == "Network.requestWillBeSent":
            self.log.append(details["request"]["url"])
        return found

    def open(self, path, *, width=1100, scheme="light", media="", script=True):
        """Load a page in a window of that width and return what was logged, without the page's own address."""
        self.log, self.loaded = [], False
        self("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])
        self("Emulation.setScriptExecutionDisabled", value=not script)
        self("Page.navigate", url=path.as_uri())
        while not self.loaded:
            self._next()
        self("Page.getLayoutMetrics")  # what was logged while loading has arrived before this answer
        return [entry for entry in self.log if entry != path.as_uri()]

    def run(self, expression):
        """Return what an expression evaluates to in the page."""
        answer = self("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, name, code, letter=""):
        """Press and release a key."""
        for kind in ("keyDown", "keyUp"):
            self("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=code, text=letter)

    def click(self, element):
        """Click into the middle of the element that an expression finds."""
        box = self.run(
            f"(() => {{ const e = {element}; e.scrollIntoView({{block: 'center'}}); "
            "const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def close(self):
        self.session = None
        os.write(self.out, json.dumps({"id": 0, "method": "Browser.close"}).encode() + b"\0")
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.into)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    found = Browser(tmp_path_factory.mktemp("browser"))
    yield found
    found.close()


@pytest.fixture(scope="module")
def files(pages, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    paths = {name: folder / f"{name}.html" for name in pages}
    for name, path in paths.items():
        path.write_text(pages[name], encoding="utf-8")
    return paths


PAGES = ("audits", "long", "certificate", "leaks", "bounds", "simulation", "index")
WIDTHS = (1100, 720, 390, 320)

VISIBLE_PICTURES = """[...document.querySelectorAll("figure")].map((figure) =>
  [...figure.querySelectorAll("svg")].map((svg) => svg.getBoundingClientRect()).filter((box) => box.width > 0)
    .map((box) => [box.left >= 0, box.right <= document.documentElement.clientWidth, box.width > 200,
      box.height > 50]))"""
OVERFLOW = "document.scrollingElement.scrollWidth - document.documentElement.clientWidth"
LOW_CONTRAST = """(() => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => parts(colour).slice(0, 3).map((c) => c / 255)
    .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (e) => { for (; e; e = e.parentElement) {
    const colour = getComputedStyle(e).backgroundColor; if ((parts(colour)[3] ?? 1) > 0) return colour; }
    return getComputedStyle(document.body).backgroundColor; };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
  let seen = 0;
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || e.closest("svg, script") || !e.getClientRects().length) continue;
    seen += 1;
    const [a, b] = [light(getComputedStyle(e).color), light(behind(e))].sort((x, y) => x - y);
    if ((b + 0.05) / (a + 0.05) < 4.5) found.push(e.outerHTML.slice(0, 80));
  }
  return seen > 10 ? found : ["too little text was seen"];
})()"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_quietly_and_is_readable(browser, files, name, scheme):
    """Nothing on the console, no request, every picture there and inside the window, contrast of at least 4.5."""
    assert browser.open(files[name], scheme=scheme) == []
    pictures = browser.run(VISIBLE_PICTURES)
    assert all(figure == [[True] * 4] for figure in pictures)
    assert len(pictures) == {"leaks": 1, "certificate": 1, "bounds": 1, "simulation": 1, "index": 0}.get(
        name, len(pictures)
    )
    assert browser.run(LOW_CONTRAST) == []


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_nothing_sticks_out(browser, files, name, width):
    assert browser.open(files[name], width=width) == []
    assert browser.run(OVERFLOW) <= 0
    assert all(figure == [[True] * 4] for figure in browser.run(VISIBLE_PICTURES))


WORDS_IN_TWO = """[...document.querySelectorAll(SELECTOR)].flatMap((element) => {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT), found = [];
  while (walker.nextNode()) for (const word of walker.currentNode.textContent.matchAll(/WORD/g)) {
    const range = document.createRange();
    range.setStart(walker.currentNode, word.index);
    range.setEnd(walker.currentNode, word.index + word[0].length);
    if (new Set([...range.getClientRects()].map((box) => box.top)).size > 1) found.push(word[0]);
  }
  return found;
})"""
WHOLE = {
    "claims": (
        lambda: page(kept_findings()),
        "td[data-name=place]",
        "[^\\s-]+",
        720,
        ".claims td:nth-of-type(1)",
        "Consequences",
    ),
    "fix": (lambda: page(FIXED_BANDIT), "pre:not(.source)", "\\S+", 390, "pre span", "--epsilon"),
}
"""What makes a page, where which words stay whole, at which width, by which rule, and one that breaks without it."""


@pytest.mark.parametrize("name", WHOLE)
def test_words_and_options_are_not_broken(browser, tmp_path, name):
    make, selector, pattern, width, rule, word = WHOLE[name]
    written, path = make(), tmp_path / "page.html"
    asked = WORDS_IN_TWO.replace("SELECTOR", json.dumps(selector)).replace("WORD", pattern)
    path.write_text(written, "utf-8")
    assert browser.open(path, width=width) == []
    assert browser.run(asked) == []
    assert written.count(f"{rule} {{") == 1
    path.write_text(written.replace(f"{rule} {{", ".no-such-rule {"), "utf-8")
    browser.open(path, width=width)
    assert word in browser.run(asked)


BROKEN = {
    "console": "<script>console.error('no')</script>",
    "image": '<img src="http://127.0.0.1:9/a.png" alt="">',
    "font": "<style>@import url(http://127.0.0.1:9/a.css);</style>",
}


@pytest.mark.parametrize("offence", BROKEN)
@pytest.mark.parametrize("policy", [True, False])
def test_an_offence_is_noticed(browser, pages, tmp_path, offence, policy):
    """Whether the policy of the page stops it or not, it is seen."""
    broken = pages["index"].replace("</main>", f"{BROKEN[offence]}</main>")
    path = tmp_path / "broken.html"
    path.write_text(broken if policy else broken.replace("Content-Security-Policy", "nothing"))
    assert browser.open(path) != []


def test_the_policy_stops_a_script_that_was_slipped_in(browser, pages, tmp_path):
    path = tmp_path / "broken.html"
    for policy, ran in (("Content-Security-Policy", False), ("nothing", True)):
        slipped = pages["index"].replace("</main>", "<script>window.slipped = true</script></main>")
        path.write_text(slipped.replace("Content-Security-Policy", policy))
        browser.open(path)
        assert browser.run("window.slipped === true") is ran


def test_what_is_unreadable_or_sticks_out_is_noticed(browser, pages, tmp_path):
    path = tmp_path / "broken.html"
    path.write_text(pages["index"].replace("</style>", ".headline { color: #999 } h1 { width: 200rem }</style>"))
    browser.open(path)
    assert len(browser.run(LOW_CONTRAST)) == 1
    assert browser.run(OVERFLOW) > 1000


CELLS = """[...document.querySelector("table.sortable").tBodies[0].rows].map((row) =>
  [...row.cells].map((cell) => cell.innerText.split("\\n")[0].trim()))"""
HEADS = '[...document.querySelectorAll("table.sortable")[0].tHead.rows[0].cells]'


def order(browser, column):
    return [row[column] for row in browser.run(CELLS)]


def column_of(browser, name):
    return browser.run(f"{HEADS}.findIndex((head) => head.textContent.trim() === {json.dumps(name)})")


def test_numbers_sort_as_numbers_and_gaps_stay_last(browser, files):
    browser.open(files["audits"])
    column = column_of(browser, "lower bound")
    before = order(browser, column)
    rows = sorted(browser.run(CELLS))
    numbers = [value for value in before if value != "-"]
    assert "∞" in numbers
    assert "-" in before
    value = {"∞": float("inf")}
    for direction, reverse in (("ascending", False), ("descending", True), ("ascending", False)):
        browser.click(f"{HEADS}[{column}].querySelector('button')")
        expected = sorted(numbers, key=lambda text: value.get(text) or float(text), reverse=reverse)
        assert order(browser, column) == expected + ["-"] * (len(before) - len(numbers))
        assert browser.run(f"{HEADS}.map((head) => head.ariaSort)") == [
            direction if i == column else None for i in range(len(rows[0]))
        ]
    assert sorted(browser.run(CELLS)) == rows, "rows stay whole"


def test_the_keyboard_sorts_too(browser, files):
    """Tab reaches the region and then its headings; Enter and Space press them, and the focus is seen and stays."""
    browser.open(files["simulation"])
    focus = "document.activeElement.closest('th')?.textContent.trim()"
    for _ in range(3):
        browser.press("Tab", 9)
    assert browser.run(focus) == "mean"
    outline = "(({outlineStyle, outlineWidth}) => [outlineStyle, parseFloat(outlineWidth)])"
    style, thickness = browser.run(f"{outline}(getComputedStyle(document.activeElement))")
    assert style == "solid"
    assert thickness >= 2.0
    means = [float(text.replace(",", "")) for text in order(browser, 1)]
    assert means != sorted(means)
    browser.press("Enter", 13, "\r")
    assert [float(text.replace(",", "")) for text in order(browser, 1)] == sorted(means)
    browser.press(" ", 32, " ")
    assert [float(text.replace(",", "")) for text in order(browser, 1)] == sorted(means, reverse=True)
    assert browser.run(focus) == "mean"


def test_an_index_sorts_by_how_bad_and_when(browser, files):
    browser.open(files["index"])
    verdict, when = column_of(browser, "verdict"), column_of(browser, "when (UTC)")
    first = order(browser, verdict)
    assert first[:2] == ["✗ violation", "✗ not certified"]
    browser.click(f"{HEADS}[{when}].querySelector('button')")
    assert order(browser, when) == sorted(order(browser, when))
    assert order(browser, verdict) != first
    browser.click(f"{HEADS}[{verdict}].querySelector('button')")
    assert set(order(browser, verdict)[:2]) == set(first[:2])


@pytest.mark.parametrize("name", ["audits", "index"])
def test_without_a_script_everything_is_there(browser, files, name):
    def count(selector):
        document = browser("DOM.getDocument", depth=0)["root"]["nodeId"]
        return len(browser("DOM.querySelectorAll", nodeId=document, selector=selector)["nodeIds"])

    rows, figures = "table.sortable tbody tr", "figure svg"
    browser.open(files[name])
    found = count(rows), count(figures)
    assert count("thead button") > 5
    assert browser.open(files[name], script=False) == []
    assert (count(rows), count(figures)) == found
    assert count("thead button") == 0


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [1100, 390])
def test_what_a_screen_reader_hears(browser, files, name, width):
    """Landmarks, a table that stays one when it is stacked, headings without gaps, and a name for every picture."""
    browser.open(files[name], width=width)
    nodes = [node for node in browser("Accessibility.getFullAXTree")["nodes"] if not node["ignored"]]
    roles = [node["role"]["value"] for node in nodes]
    assert [roles.count(role) for role in ("banner", "main", "contentinfo")] == [1, 1, 1]
    levels = [p["value"]["value"] for node in nodes if node["role"]["value"] == "heading"
              for p in node["properties"] if p["name"] == "level"]  # fmt: skip
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    images = [node for node in nodes if node["role"]["value"] in ("img", "image")]
    assert len(images) == browser.run("document.querySelectorAll('figure').length")
    assert all(len(node["name"]["value"]) > 10 for node in images)
    tables = browser.run("[...document.querySelectorAll('table')].map((table) => table.rows.length)")
    assert roles.count("table") == len(tables)
    assert roles.count("row") == sum(tables)
    assert roles.count("rowheader") == sum(tables) - len(tables)


@pytest.mark.parametrize("name", PAGES)
def test_paper_is_white_and_wide(browser, files, name):
    """A dark screen prints on white, with the wide pictures, without arrows on headings."""
    browser.open(files[name], scheme="dark", media="print", width=700)
    assert browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert browser.run(LOW_CONTRAST) == []
    assert browser.run("[...document.querySelectorAll('.narrow')].every((e) => getComputedStyle(e).display === 'none')")
    arrows = "[...document.querySelectorAll('thead button')].map((b) => getComputedStyle(b, '::after').content)"
    assert set(browser.run(arrows)) <= {"none"}
    assert browser.run(OVERFLOW) <= 0
    assert browser("Page.printToPDF")["data"].startswith("JVBERi0")
