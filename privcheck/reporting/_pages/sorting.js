"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const keyOf = (row, column, numeric) => {
    const cell = row.cells[column];
    const key = cell.dataset.key;
    if (key === undefined) return numeric ? NaN : cell.textContent.trim();
    return key !== "" && !Number.isNaN(Number(key)) ? Number(key) : key;
  };
  const compare = (a, b) => {
    if (Number.isNaN(a) || Number.isNaN(b)) return 0;
    return typeof a === "number" && typeof b === "number" ? (a > b) - (a < b) : String(a).localeCompare(String(b), "en");
  };
  heads.forEach((head, column) => {
    const numeric = head.dataset.sort === "number";
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...body.rows].map((row) => ({ row, key: keyOf(row, column, numeric) }));
      rows.sort((a, b) => Number.isNaN(a.key) - Number.isNaN(b.key) || (down ? -1 : 1) * compare(a.key, b.key));
      body.append(...rows.map((entry) => entry.row));
    });
  });
  table.classList.add("sorts");
}
