// A section's table: sorted by any column, each number a button that opens what stands behind it.

function rowTitle(row) {
  return [row.contender, row.variant, row.opt && row.chip != null ? `-O${row.opt}` : ""].filter(Boolean).join(" ");
}

function makeTable(section, place) {
  const lead = [
    { title: "contender", value: (row) => row.contender },
    { title: "version", value: (row) => row.version },
    { title: section.variantName, value: (row) => (section.variantName === "" ? "" : row.variant) },
    { title: "opt", value: (row) => row.opt },
    { title: "chip", value: (row) => row.chip ?? "" },
    { title: "memory", value: (row) => row.memory ?? "" },
  ];
  const state = { by: null, down: false, all: section.columns.every((column) => column.shown) };
  const caption = el("p", {});
  const box = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Table of ${section.name}` });
  const more = el("button", { type: "button", class: "quiet", "aria-pressed": String(state.all) }, "All columns");
  more.hidden = state.all;
  more.addEventListener("click", () => {
    state.all = !state.all;
    more.setAttribute("aria-pressed", String(state.all));
    draw();
  });
  const saveCsv = el("button", { type: "button", class: "quiet" }, "Save CSV");
  place.append(el("div", { class: "bar" }, caption, more, saveCsv), box);

  const key = (row) => {
    if (state.by == null) return null;
    if (state.by.column == null) return state.by.value(row);
    return row.cells[state.by.column]?.[0] ?? null;
  };
  const sorted = (rows) => {
    if (state.by == null) return rows;
    const compare = (a, b) => {
      const [x, y] = [key(a), key(b)];
      // What has no number stands last either way.
      if (x == null || y == null) return (x == null) - (y == null);
      const order = typeof x === "number" ? x - y : String(x).localeCompare(String(y), "en", { numeric: true });
      return state.down ? -order : order;
    };
    return [...rows].sort(compare);
  };

  function draw() {
    const rows = sorted(passing(section));
    const used = (index) => rows.some((row) => row.cells[index] != null);
    const told = lead.filter((each, index) => index === 0 || (index === 1 ? false : new Set(section.rows.map(each.value)).size > 1 && new Set(rows.map(each.value)).size > 1));
    const shown = section.columns.map((column, index) => ({ column, index })).filter(({ column, index }) => (state.all || column.shown) && used(index));
    const sort = (by) => () => {
      const same = state.by != null && state.by.title === by.title && state.by.column === by.column;
      state.down = same ? !state.down : false;
      state.by = by;
      draw();
      box.querySelector("th[aria-sort] button")?.focus();
      say(`Sorted by ${by.title}, ${state.down ? "greatest" : "least"} first`);
    };
    const head = (by, unit, number) => {
      const on = state.by != null && state.by.title === by.title && state.by.column === by.column;
      const name = el("span", { class: "name" }, by.title);
      const button = el("button", { type: "button", onclick: sort(by) }, name, unit ? el("span", { class: "unit" }, unit) : null);
      return el("th", { scope: "col", class: number ? "num" : null, "aria-sort": on ? (state.down ? "descending" : "ascending") : null }, button);
    };
    const number = (row, { column, index }) => {
      const cell = row.cells[index];
      if (cell == null) return el("td", { class: "num none" }, "–");
      const label = `${cell[1]} ${column.unit}, ${rowTitle(row)}: ${column.title}. What is behind it`;
      const open = () => showOrigin(rowTitle(row), column, cell);
      return el("td", { class: "num" }, el("button", { type: "button", class: "number", "aria-label": label, onclick: open }, cell[1]));
    };
    const first = (row) => {
      const dot = el("i", { "aria-hidden": "true" });
      dot.style.background = colourOf(row.contender);
      return el("th", { scope: "row" }, dot, row.contender, row.version ? el("span", { class: "faint" }, ` ${row.version}`) : null);
    };
    const line = (row) => el("tr", {}, first(row), ...told.slice(1).map((each) => el("td", {}, each.value(row))), ...shown.map((each) => number(row, each)));
    const table = el(
      "table",
      {},
      el("thead", {}, el("tr", {}, ...told.map((each) => head(each, null, false)), ...shown.map(({ column, index }) => head({ title: column.title, column: index }, column.unit, true)))),
      el("tbody", {}, ...rows.map(line)),
    );
    box.replaceChildren(table);
    caption.textContent = conditions(section, rows);
    place.classList.toggle("nearest", choice(section).instead.length > 0);
  }

  saveCsv.addEventListener("click", () => {
    const rows = sorted(passing(section));
    const names = section.columns.map((column) => (column.unit ? `${column.title} (${column.unit})` : column.title));
    const image = (row) => {
      const cell = row.cells.find((each) => each != null);
      return cell == null ? "" : data.origins[data.records[cell[2]].origin].image;
    };
    const lines = rows.map((row) => [...lead.map((each) => each.value(row)), ...row.cells.map((cell) => cell?.[0] ?? ""), image(row)]);
    save(`${section.name}.csv`, "text/csv", csv([[...lead.map((each) => each.title), ...names, "image_sha256"], ...lines]));
  });

  listeners.push(draw);
  painters.push(draw);
}

/** What all rows have in common, in words. */
function conditions(section, rows) {
  if (rows.length === 0) {
    const names = [...new Set(section.rows.map((row) => row.contender))];
    return `No contender is chosen that this has rows of: ${names.join(", ")}.`;
  }
  const { instead } = choice(section);
  const one = (value) => {
    const all = new Set(rows.map(value));
    return all.size === 1 ? [...all][0] : null;
  };
  const words = [`${rows.length} ${rows.length === 1 ? "row" : "rows"}`];
  if (instead.length > 0) {
    const asked = instead.map(({ key, asked }) => inWords(key, asked)).join(", ");
    words.unshift(`Nothing is there for ${asked}; this is the nearest, ${instead.map(({ key, shown }) => inWords(key, shown)).join(", ")}`);
  }
  const chip = one((row) => row.chip);
  const opt = one((row) => row.opt);
  const memory = one((row) => row.memory);
  if (chip) words.push(chip);
  if (opt && !section.host) words.push(`optimised ${opt}`);
  if (memory) words.push(`memory ${memory}`);
  words.push("press a number to see what stands behind it");
  return words.join(" · ");
}
