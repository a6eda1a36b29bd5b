// What stands behind a number: a dialog that any number opens.

const dialog = document.getElementById("origin");
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close();
});

function facts(entries) {
  const rows = entries
    .filter(([, value]) => value != null && value !== "")
    .map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)));
  return rows.length > 0 ? el("dl", { class: "facts" }, ...rows) : null;
}

function code(text) {
  return text == null ? null : el("code", {}, text);
}

function scalar(value) {
  return value === true ? "on" : value === false ? "off" : String(value);
}

function marks(title, names, kind) {
  if (names.length === 0) return [];
  return [
    el("h3", {}, `${title} (${names.length})`),
    el("ul", { class: `marks ${kind}` }, ...names.map((name) => el("li", {}, name))),
  ];
}

const STATISTICS = { "": "value", mean: "mean", min: "least", median: "median", p99: "99th percentile", max: "greatest", n: "samples" };

function statistics(record) {
  if (record.n === 1) return null;
  return facts([
    ["samples", record.n.toLocaleString("en")],
    ["mean", `${record.mean} ± ${record.stddev}`],
    ["least", record.min],
    ["median", record.median],
    ["99th percentile", record.p99],
    ["greatest", record.max],
  ]);
}

function trust(origin) {
  if (origin.model == null) {
    return [el("h3", {}, "Model"), el("p", { class: "note" }, "Not simulated: measured by the clock of a host, which has noise.")];
  }
  const { name, version, timing_rows: rows, gaps } = data.models[origin.model];
  const gap = (each) =>
    el("li", {}, `${each.name} (${each.kind.replace("_", " ")}, ${each.count === 1 ? "once" : `${each.count} times`}, first at cycle ${each.at}, pc 0x${each.pc.toString(16).padStart(8, "0")})`);
  return [
    el("h3", {}, "Model"),
    facts([["name", `${name} ${version}`], ["model gaps met", gaps.length === 0 ? "none" : String(gaps.length)]]),
    gaps.length > 0 ? el("ul", { class: "marks assumed" }, ...gaps.map(gap)) : null,
    ...marks("Timings used: assumed", rows.assumed, "assumed"),
    ...marks("Timings used: measured", rows.measured, "measured"),
    ...marks("Timings used: documented", rows.documented, "documented"),
  ];
}

/** Settings, what decides the memory's time first; why other rows are not there is no matter of this number. */
function told(settings) {
  const first = ["memory", "wait_states", "prefetch", "instruction_lines", "data_lines", "flash_written"];
  const place = (name) => (first.includes(name) ? first.indexOf(name) : first.length);
  return Object.entries(settings)
    .filter(([name]) => !name.startsWith("absent."))
    .sort(([a], [b]) => place(a) - place(b))
    .map(([name, value]) => [name === "clock" ? "clock set up" : /[A-Z]/.test(name) ? name : name.replace(/[_.]/g, " "), scalar(value)]);
}

/** Opens the dialog for a cell of a table. */
function showOrigin(title, column, cell) {
  const [, text, index, statistic, range, layouts] = cell;
  const record = data.records[index];
  const origin = data.origins[record.origin];
  const settings = data.settings[origin.settings];
  const known = origin.image != null && Object.hasOwn(data.facts, origin.image) ? data.facts[origin.image] : [];
  const clock = origin.clock == null ? null : `${(origin.clock / 1e6).toLocaleString("en")} MHz`;
  const params = Object.entries(record.params).map(([name, value]) => [name, scalar(value)]);
  const close = el("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, "Close");
  const exact = record.n === 1 ? `${record.mean} ${record.unit}` : `${STATISTICS[statistic]} of ${record.n.toLocaleString("en")} samples`;
  dialog.replaceChildren(
    el(
      "div",
      {},
      el(
        "header",
        {},
        el("div", {}, el("h2", { id: "origin-title" }, `${title}: ${column.title}`), el("p", { class: "value" }, text, " ", el("span", { class: "unit" }, column.unit))),
        close,
      ),
      offers(record, origin, settings, () => dialog.close()),
      el("h3", {}, "What was measured"),
      facts([
        ["metric", code(record.metric)],
        ["exactly", exact],
        [`in ${layouts?.toLocaleString("en")} other layouts`, range == null ? null : `${range.map(rounded).join(" to ")} ${column.unit}`],
        ["experiment", `${origin.experiment}, ${record.mode}`],
        ...params,
        ["source", origin.source],
      ]),
      statistics(record),
      el("h3", {}, "Where it ran"),
      facts([
        ["chip", origin.chip],
        ["clock", clock],
        ...told(settings),
      ]),
      el("h3", {}, "How it was built"),
      facts([
        ["contender", `${origin.contender} ${origin.version}`],
        ["compiler", origin.compiler],
        ["optimisation", origin.opt],
        ...known,
        ["image SHA-256", code(origin.image)],
      ]),
      ...trust(origin),
    ),
  );
  dialog.showModal();
  dialog.scrollTop = 0;
}
