// A run made again in the page: the core of cyclescope in a worker, with what a reader changes.

/** The most sliders of a run. */
const SLIDERS = 12;
/** A time in a stimulus, such as 20ms or 48_000cy. */
const TIME = /(?<![\w.])(\d[\d_]*(?:\.\d+)?)(ps|ns|us|µs|ms|s|cy)\b/g;

const again = { module: null, parts: null, source: "", worker: null, heard: null, forms: [] };

/** The bytes that an element carries as base64. */
function carried(element) {
  const letters = atob(element.textContent.trim());
  return Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
}

/** The file that an element carries as base64 of a gzip file. */
async function fileOf(element) {
  const stream = new Blob([carried(element)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** The image with a SHA-256. */
const imageOf = (sha256) => fileOf(document.querySelector(`[data-image="${CSS.escape(sha256)}"]`));

/** The files called `names`, each with its name. */
const besideOf = (names) => Promise.all(names.map(async (name) => [name, await fileOf(document.querySelector(`[data-file="${CSS.escape(name)}"]`))]));

/** Starts a worker with the core, in place of one that is at work. */
function startAgain(heard) {
  again.worker?.terminate();
  again.heard = heard;
  if (again.source === "") {
    again.source = JSON.parse(document.getElementById("worker").textContent);
    again.parts = { unpacker: carried(document.getElementById("unpacker")).buffer, packed: carried(document.getElementById("core")).buffer };
  }
  const address = URL.createObjectURL(new Blob([again.source], { type: "text/javascript" }));
  again.worker = new Worker(address);
  again.worker.onmessage = ({ data: told }) => {
    if (told.kind === "compiled") [again.module, again.parts] = [told.module, null];
    else again.heard[told.kind]?.(told);
  };
  again.worker.onerror = (event) => again.heard.failed({ text: event.message });
  again.worker.postMessage({ kind: "start", module: again.module, parts: again.parts });
}

/** The lanes of an answer as those of a timeline. */
function timelineOf(told, cycle) {
  const pairs = ({ changes }) => {
    const segments = [];
    for (let at = 0; at < changes.length; at += 2) segments.push([changes[at], changes[at + 1] ?? told.to, ""]);
    return segments;
  };
  const lane = (each) =>
    each.pin
      ? { name: each.name, kind: "wire", begin: Number(each.high), changes: each.changes }
      : { name: each.name, kind: each.name.startsWith("asleep") ? "sleep" : "exception", segments: pairs(each) };
  // A rate from the time of a million cycles.
  const clocks = told.clocks.map(([since, start, million]) => [since, start, million > 0 ? 1e18 / million : 1]);
  const kept = told.lanes.reduce((sum, each) => sum + each.changes.length, 0);
  const focus = cycle == null || cycle < told.from || cycle >= told.to ? null : [Math.max(told.from, cycle - 500), Math.min(told.to, cycle + 1500)];
  return { clocks, from: told.from, to: told.to, end: told.to, focus, kept, lost: told.lost, left_out: [], lanes: told.lanes.map(lane), wakes: [] };
}

/** The records of an answer as a table. */
function recordsTable(records) {
  const text = (value) => (typeof value === "number" ? rounded(value) : "–");
  const row = ({ mode, metric, n, min, median, mean, max, unit }) =>
    el("tr", {}, el("th", { scope: "row" }, `${mode} ${metric}`), ...[n, min, median, mean, max].map((value) => el("td", { class: "num" }, text(value))), el("td", {}, unit));
  const heads = ["", "n", "least", "median", "mean", "most", "unit"].map((name) => el("th", { scope: "col" }, name));
  return el("div", { class: "scroll", tabindex: "0" }, el("table", {}, el("thead", {}, el("tr", {}, ...heads)), el("tbody", {}, ...records.map(row))));
}

/** Draws how the samples of each span are spread. */
function spreads(records, place) {
  for (const record of records.filter(({ histogram }) => histogram?.buckets?.length > 0)) {
    const plot = el("div", { class: "plot", role: "img", "aria-label": `Histogram of ${record.mode} ${record.metric}` });
    place.append(el("figure", { class: "whole", "data-chart": "again-histogram" }, el("figcaption", {}, el("h3", {}, `How ${record.mode} ${record.metric} is spread`)), plot));
    const { buckets } = record.histogram;
    const layout = layoutBase();
    layout.height = 260;
    layout.bargap = 0.05;
    Object.assign(layout.xaxis, { title: { ...layout.xaxis.title, text: plain(record.unit) } });
    const middle = ({ from, to }) => (from + to) / 2;
    Plotly.react(plot, [{ type: "bar", x: buckets.map(middle), y: buckets.map(({ count }) => count), width: buckets.map(({ from, to }) => to - from + 1), marker: { color: colours().series[0] }, hovertemplate: "%{x}: %{y}<extra></extra>" }], layout, CONFIG);
  }
}

/** What a link holds of a run beside its image and a cycle. */
const HELD = ["chip", "clock", "layout", "memory", "for", "attach", "stimulus", "span"];

/** The settings of `request` as texts. */
const textsOf = (request) => Object.fromEntries(HELD.map((name) => [name, [request[name] ?? ""].flat().join("\n")]));

/** The address's fragment that holds a run: its image, chip, settings, stimuli with their seeds, spans, and a cycle to look at. */
function linkOf(request, sha256, cycle) {
  const held = { image: sha256, ...textsOf(request) };
  return `#${new URLSearchParams(cycle == null ? held : { ...held, cycle })}`;
}

/** Makes the form of a run, or says why there is none. */
function makeAgain(run, place) {
  if (run.again == null) {
    if (run.cannot) place.append(el("p", { class: "note" }, run.cannot));
    return;
  }
  const own = run.again;
  const id = (name) => `${run.name}-again-${name}`;
  const input = (name, value) => el("input", { type: "text", id: id(name), value, spellcheck: "false", autocomplete: "off" });
  const area = (name, lines, placeholder) => {
    const node = el("textarea", { id: id(name), rows: "3", spellcheck: "false", placeholder });
    node.value = lines.join("\n");
    return node;
  };
  const option = (value, text) => el("option", { value, selected: value === own.memory }, text);
  const chip = input("chip", own.chip);
  const length = input("for", own.for);
  const memory = el("select", { id: id("memory") }, option("shipped", "shipped: as the firmware set it"), option("equal", "equal: as the vendor recommends"), option("ideal", "ideal: no wait states"));
  const variant = variantFields(id, () => begin());
  const { clock, layout } = variant;
  const attach = area("attach", own.attach, "eeprom:24c32@i2c1");
  const stimulus = area("stimulus", own.stimulus, "at 10ms pin PC13 low");
  const span = area("span", own.span, "irq=pin:PC13:fall..exception:EXTI4_15:returned");
  const sliders = el("div", { class: "sliders" });
  const go = el("button", { type: "submit", class: "quiet", id: id("run") }, "Run it here");
  const stop = el("button", { type: "button", class: "quiet", disabled: true, onclick: halt }, "Stop");
  const status = el("p", { class: "note", role: "status" });
  const results = el("div", { class: "results" });
  const form = el("form", { class: "again-form", id: id("form"), "aria-label": "Run it here" },
    el("div", { class: "fields" },
      labelled(id("chip"), "Chip", chip), labelled(id("for"), "Simulated time", length, "such as 300ms, 48_000cy"),
      labelled(id("memory"), "Flash settings", memory), ...variant.nodes,
      labelled(id("attach"), "Attached devices, one a line", attach),
      labelled(id("stimulus"), "Stimuli, one a line", stimulus), labelled(id("span"), "Spans to measure, one a line", span)),
    sliders, el("div", { class: "tools" }, go, stop), status);
  place.append(el("details", { class: "printed", id: id("details") }, el("summary", {}, "Run it here, with other stimuli or settings"), form, results));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    begin();
  });
  stimulus.addEventListener("input", slide);
  memory.addEventListener("change", () => results.childElementCount > 0 && begin());
  slide();

  /** A slider for each time of the stimuli: an edge, a gap, a bounce. */
  function slide() {
    const text = stimulus.value;
    const found = [...text.matchAll(TIME)].slice(0, SLIDERS);
    const slider = (match) => {
      const [whole, digits, unit] = match;
      const value = Number(digits.replaceAll("_", ""));
      const before = text.slice(text.lastIndexOf("\n", match.index) + 1, match.index).trim().split(/\s+/).slice(-2).join(" ");
      const node = el("input", { type: "range", min: "0", max: String(Math.max(2 * value, 1)), step: String(Math.max(2 * value, 1) / 2000), value: String(value), "aria-label": `${before} ${whole}` });
      const label = el("span", {}, `${before} ${whole}`);
      // Its place in the text, which moves as numbers become longer.
      const place = () => [...stimulus.value.matchAll(TIME)][found.indexOf(match)];
      node.addEventListener("input", () => {
        const at = place();
        if (at == null) return;
        const next = `${Number(Number(node.value).toFixed(6))}${unit}`;
        stimulus.value = stimulus.value.slice(0, at.index) + next + stimulus.value.slice(at.index + at[0].length);
        label.textContent = `${before} ${next}`;
      });
      node.addEventListener("change", begin);
      return el("label", {}, label, node);
    };
    sliders.replaceChildren(...found.map(slider));
  }

  function busy(now) {
    stop.disabled = !now;
    form.dataset.busy = String(now);
  }

  function halt() {
    again.worker?.terminate();
    again.worker = null;
    busy(false);
    status.textContent = "Stopped. A shorter simulated time gives the results up to there.";
  }

  async function begin(event, cycle = null) {
    const listed = (node) => said(node.value);
    const request = {
      command: "measure", name: own.name, chip: chip.value.trim(), ...variantOf(variant), memory: memory.value, for: length.value.trim(),
      attach: listed(attach), stimulus: listed(stimulus), span: listed(span), timeline: true,
    };
    delete form.dataset.done;
    delete form.dataset.file;
    busy(true);
    status.textContent = "The core is being started.";
    let output = 0;
    const heard = {
      output: ({ pieces }) => (output += pieces.reduce((sum, piece) => sum + piece.length, 0)),
      progress: ({ cycle: at, picoseconds }) => (status.textContent = `${lasting(picoseconds / 1e12)} simulated, cycle ${at.toLocaleString("en")}`),
      answer: ({ answer, milliseconds }) => shown(JSON.parse(answer), request, milliseconds, cycle),
      done: () => {
        busy(false);
        form.dataset.done = "true";
      },
      failed: ({ text }) => {
        again.worker = null;
        busy(false);
        status.textContent = `error: the core stopped: ${text}`;
        form.dataset.done = "true";
      },
    };
    try {
      const [file, beside] = [await imageOf(own.sha256), await besideOf(own.files)];
      // One run at a time: a new one ends the one before.
      startAgain({ ...heard, ready: () => again.worker.postMessage({ kind: "run", requests: [request], file, beside }) });
    } catch (error) {
      heard.failed({ text: String(error) });
    }
  }

  function shown(told, request, milliseconds, cycle) {
    form.dataset.file = told.file ?? "";
    form.dataset.exit = told.exit;
    const file = told.file == null ? null : JSON.parse(told.file);
    const link = el("a", { href: linkOf(request, own.sha256, cycle) }, "A link that holds this run");
    const look = el("button", { type: "button", class: "quiet", onclick: () => {
      // The cycle at which the timeline begins now.
      const at = results.querySelector(".plot[data-from]")?.dataset.from;
      link.setAttribute("href", linkOf(request, own.sha256, at == null ? null : Number(at)));
      link.focus();
    } }, "Put the cycle in sight into the link");
    const keep = el("button", { type: "button", class: "quiet", disabled: file == null, onclick: () => save("measure.json", "application/json", told.file) }, "Save the records as JSON");
    const charts = el("div", { class: "charts one" });
    results.replaceChildren(
      el("ul", { class: "lines" }, ...told.messages.map((line) => el("li", {}, line))),
      ...(file == null ? [] : [recordsTable(file.records)]),
      el("p", { class: "note" }, "The same by the command: ", el("code", {}, measureOf(request))),
      el("p", { class: "tools" }, link, look, keep),
      ...devicesShown(told.devices ?? []),
      charts);
    status.textContent = `Done in ${lasting(milliseconds / 1e3)}, in this page alone.`;
    if (file != null) spreads(file.records, charts);
    if (told.timeline?.lanes.length > 0) makeTimeline({ name: id("result"), timeline: timelineOf(told.timeline, cycle) }, charts);
  }

  again.forms.push({
    own,
    /** Fills the form with a run's settings and makes the run. */
    fill(held, cycle) {
      const nodes = { chip, clock, layout, memory, for: length, attach, stimulus, span };
      for (const name of HELD) {
        if (held[name] != null) nodes[name].value = held[name];
      }
      slide();
      document.getElementById(id("details")).open = true;
      form.scrollIntoView({ block: "center" });
      return begin(null, cycle);
    },
  });
}

/** The form of the run with an image; without one, of the first. */
const formOf = (sha256) => again.forms.find(({ own }) => sha256 == null || own.sha256 === sha256);

/** Makes the run that the address holds. */
function recall() {
  const held = new URLSearchParams(location.hash.slice(1));
  if (!["image", "stimulus", "span"].some((name) => held.has(name))) return;
  const form = formOf(held.get("image"));
  if (form == null) return say("The address holds a run of an image that this page does not have.");
  const cycle = held.has("cycle") ? Number(held.get("cycle")) : null;
  // What a link does not name is as the page has it, and not as the latest run had it.
  const own = textsOf(form.own);
  form.fill(Object.fromEntries(HELD.map((name) => [name, held.get(name) ?? own[name]])), Number.isFinite(cycle) ? cycle : null);
}

/** What the dialog of a number offers: to run its image here, and a link that holds the run. */
function offers(record, origin, settings, close) {
  const form = origin.image == null ? null : formOf(origin.image);
  if (form == null) return null;
  const named = (kind) => Object.entries(record.params).filter(([name]) => name === kind || name.startsWith(`${kind}.`)).sort(([a], [b]) => (a < b ? -1 : 1));
  const [stimulus, attach] = ["stimulus", "attach"].map((kind) => named(kind).map(([, value]) => value));
  const span = named("span").filter(([name]) => name !== "span").map(([name, value]) => `${name.slice("span.".length)}=${value}`);
  const request = {
    ...form.own,
    // A chip that a file describes is run by the name of the file.
    chip: origin.chip == null || origin.chip === form.own.part ? form.own.chip : origin.chip,
    clock: record.params.clock ?? "",
    layout: record.params.layout ?? "",
    attach: attach.length > 0 ? attach : form.own.attach,
    memory: settings.memory ?? form.own.memory,
    for: record.params.for ?? form.own.for,
    stimulus: stimulus.length > 0 ? stimulus : form.own.stimulus,
    span: span.length > 0 ? span : form.own.span,
  };
  const run = () => {
    close();
    form.fill(textsOf(request), null);
  };
  return el("p", { class: "tools" }, el("button", { type: "button", class: "quiet", id: "run-here", onclick: run }, "Run it here"), el("a", { href: linkOf(request, form.own.sha256, null), onclick: close }, "A link that holds this run"));
}

addEventListener("hashchange", recall);
