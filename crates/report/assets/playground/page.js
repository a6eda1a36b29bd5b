// The playground: a file is dropped, a chip chosen, a run made by the worker, and its results shown.

const byId = (id) => document.getElementById(id);
const number = (value) => Number(value).toLocaleString("en");

/** The most characters of output that are shown; the last ones are kept. */
const MOST_OUTPUT = 500_000;
/** The most rows of a table. */
const MOST_ROWS = 50;
/** The names of files that describe a chip. */
const DESCRIBES = /\.(toml|json|csv)$/i;
/** The most bytes of a file. */
const MOST_FILE = 256 * 1024 * 1024;

const state = { module: null, parts: null, source: "", worker: null, ready: false, file: null, name: "", busy: false, at: null, steps: [], variant: null, wanted: null, beside: new Map() };

/** The bytes that an element carries as base64. */
function carried(id) {
  const letters = atob(byId(id).textContent.trim());
  byId(id).remove();
  return Uint8Array.from(letters, (letter) => letter.charCodeAt(0)).buffer;
}

function say(text, bad = false) {
  byId("status").textContent = text;
  byId("status").classList.toggle("bad", bad);
}

function busy(now) {
  state.busy = now;
  byId("run").disabled = now || !state.file;
  byId("stop").disabled = !now;
  document.documentElement.dataset.busy = String(now);
}

/** Starts a worker with the core in place of the one before. */
function start() {
  state.worker?.terminate();
  state.ready = false;
  const address = URL.createObjectURL(new Blob([state.source], { type: "text/javascript" }));
  state.worker = new Worker(address);
  state.worker.onmessage = ({ data }) => HEARD[data.kind](data);
  state.worker.onerror = (event) => HEARD.failed({ text: event.message });
  state.worker.postMessage({ kind: "start", module: state.module, parts: state.parts });
}

const HEARD = {
  compiled({ module }) {
    state.module = module;
    state.parts = null;
  },

  ready({ tool, chips, devices }) {
    state.ready = true;
    byId("tool").textContent = tool;
    if (byId("chips").childElementCount === 0) {
      state.chips = new Map(chips.map(({ name, description }) => [name, description]));
      byId("chips").append(...chips.map(({ name, description }) => el("option", { value: name }, description)));
      byId("devices").append(...devices.flatMap(({ name, summary, options }) => [
        el("dt", {}, el("code", {}, name), ` ${summary}`),
        ...options.map(([option, meaning]) => el("dd", {}, el("code", {}, option), ` ${meaning}`)),
      ]));
      describe();
    }
    document.documentElement.dataset.ready = "true";
  },

  inspected({ facts }) {
    busy(false);
    if (facts.messages) {
      state.file = null;
      byId("run").disabled = true;
      say(facts.messages.join(" "), true);
      return;
    }
    byId("functions").replaceChildren(...facts.functions.flatMap((name) => [`symbol:${name}`, `symbol:${name}:returned`]).slice(0, 4000).map((value) => el("option", { value })));
    const other = state.wanted && state.wanted !== facts.sha256;
    const hint = facts.chip && !byId("chip").dataset.chosen;
    if (hint) byId("chip").value = facts.chip;
    describe();
    const more = facts.others.length > 0 ? `, which fits ${number(facts.others.length)} more as well` : "";
    const chip = facts.chip ? `chip ${facts.chip}, named by ${facts.place}${more}` : "the image names no chip; choose one";
    const suite = facts.suite ? " It is a suite of embedded-test, and a page runs no tests: `cyclescope exec` does." : "";
    say(other ? "This is another file than the link was made with: its SHA-256 differs." : `${state.name}: ${chip}.${suite}`, Boolean(other));
    byId("sha").textContent = facts.sha256;
    document.documentElement.dataset.inspected = facts.sha256;
  },

  output({ pieces }) {
    const console = byId("console");
    const text = pieces.map((piece) => state.decoder.decode(piece, { stream: true })).join("");
    const all = console.textContent + text;
    console.textContent = all.length > MOST_OUTPUT ? `…${all.slice(-MOST_OUTPUT)}` : all;
  },

  progress({ step, cycle, picoseconds }) {
    if (step === 0) state.at = picoseconds;
    say(`${state.steps[step].command}: ${lasting(picoseconds / 1e12)} simulated, cycle ${number(cycle)}`);
  },

  answer({ step, answer, milliseconds }) {
    if (step === 0) state.at = null;
    const { command } = state.steps[step];
    if (command === "measure") byId("shown-devices").replaceChildren(...devicesShown(JSON.parse(answer).devices ?? []));
    const told = JSON.parse(answer);
    const file = told.file == null ? null : JSON.parse(told.file);
    SHOWN[command](file, told, milliseconds);
    const save = byId(`${command}-save`);
    save.disabled = told.file == null;
    save.onclick = () => saved(`${command}.json`, told.file);
    const place = byId(command);
    place.dataset.exit = told.exit;
    place.dataset.file = told.file ?? "";
    place.dataset.milliseconds = milliseconds;
    place.hidden = false;
  },

  done() {
    busy(false);
    say("Done. All of it happened in this page; nothing was sent anywhere.");
    document.documentElement.dataset.done = "true";
  },

  failed({ text }) {
    // One that does not even begin is not started again.
    if (state.ready) start();
    else state.file = null;
    busy(false);
    say(`error: the core stopped: ${text}`, true);
  },
};

/** Hands `text` to the reader as a file. */
function saved(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

function table(columns, rows) {
  const cell = (name, value, index) => el(name, { class: typeof value === "number" ? "num" : null, scope: index === 0 && name === "th" ? "row" : null },
    typeof value === "number" ? number(value) : String(value ?? "–"));
  const head = columns.map((title, index) => el("th", { scope: "col", class: typeof rows[0]?.[index] === "number" ? "num" : null }, title));
  const body = rows.slice(0, MOST_ROWS).map((row) => el("tr", {}, ...row.map((value, index) => cell(index === 0 ? "th" : "td", value, index))));
  const more = rows.length > MOST_ROWS ? el("p", { class: "note" }, `${number(rows.length - MOST_ROWS)} more are in the JSON.`) : null;
  return [el("div", { class: "scroll", tabindex: 0 }, el("table", {}, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...body))), more].filter(Boolean);
}

function messages(place, lines) {
  byId(place).replaceChildren(...lines.map((line) => el("li", { class: line.startsWith("error:") ? "bad" : null }, line)));
}

const SHOWN = {
  exec(file, told) {
    messages("exec-messages", told.messages);
  },

  measure(file, told, milliseconds) {
    messages("measure-messages", told.messages);
    if (!file) return;
    const records = file.records;
    const rows = records.map((record) => [`${record.mode} ${record.metric}`, record.n, record.min, record.median, record.mean, record.max, record.unit]);
    byId("measure-table").replaceChildren(...table(["metric", "n", "least", "median", "mean", "most", "unit"], rows));
    const instructions = records.find((record) => record.metric === "instructions" && record.mode === "run");
    const speed = instructions ? instructions.mean / milliseconds / 1e3 : 0;
    byId("speed").textContent = speed > 0 ? `${number(instructions.mean)} instructions in ${lasting(milliseconds / 1e3)}: ${speed.toFixed(1)} million a second.` : "";
    document.documentElement.dataset.speed = String(speed);
    const gaps = records[0]?.model?.gaps ?? [];
    const rowsUsed = records[0]?.model?.timing_rows ?? {};
    byId("gaps").replaceChildren(...(gaps.length > 0 ? gaps.map((gap) => el("li", {}, `${gap.name}: ${number(gap.count)} ×`)) : [el("li", {}, "none")]));
    byId("rows").replaceChildren(...Object.entries(rowsUsed).flatMap(([kind, names]) => names.map((name) => el("li", {}, `${name} (${kind})`))));
    if (told.timeline && told.timeline.lanes.length > 0) {
      makePins(told.timeline, byId("pins"));
      byId("pins-lost").textContent = told.timeline.lost > 0 ? `${number(told.timeline.lost)} later changes are left out; a shorter run shows all.` : "";
    } else {
      byId("pins").replaceChildren(el("p", { class: "note" }, "No pin changed, and no exception came."));
    }
  },

  profile(file, told) {
    messages("profile-messages", told.exit === 0 ? [] : told.messages);
    if (!file) return;
    const all = file.total.cycles || 1;
    const rows = file.functions
      .toSorted((a, b) => b.own.cycles - a.own.cycles)
      .map((row) => [row.name ?? "(no symbol)", row.calls, row.own.instructions, row.own.cycles, `${((100 * row.own.cycles) / all).toFixed(1)} %`, row.total.cycles]);
    byId("profile-table").replaceChildren(...table(["function", "calls", "instructions", "own cycles", "share", "with callees"], rows));
  },

  tasks(file, told) {
    messages("tasks-messages", told.messages);
    if (!file) return byId("tasks-table").replaceChildren();
    const rows = file.tasks.map((task) => [task.name, task.polls, task.busy, task.longest_poll?.cycles, task.wake_to_poll.longest, task.future_bytes ?? task.stack?.used]);
    byId("tasks-table").replaceChildren(...table(["task", "polls", "busy", "longest", "wake to poll", "bytes"], rows));
  },

  size(file, told) {
    messages("size-messages", told.messages);
    if (!file) return;
    const totals = file.records.filter((record) => record.mode === "total").map((record) => [record.metric, record.mean]);
    const parts = new Map();
    for (const record of file.records.filter((record) => record.mode === "crate")) {
      const part = parts.get(record.params.name) ?? [record.params.name, 0, 0];
      part[record.metric === "flash" ? 1 : 2] = record.mean;
      parts.set(record.params.name, part);
    }
    byId("size-table").replaceChildren(...table(["total", "bytes"], totals), ...table(["crate or file", "flash", "RAM"], [...parts.values()]));
  },
};

function describe() {
  const chip = byId("chip").value;
  byId("chip-description").textContent = state.beside.has(chip) ? "described by that file" : (state.chips?.get(chip) ?? "");
}

/** The lines of a field that say something. */
const lines = (id) => said(byId(id).value);

/** The fields as the command's options. */
function options() {
  const until = byId("until").value.trim();
  return {
    name: state.name,
    chip: byId("chip").value.trim(),
    ...variantOf(state.variant),
    memory: byId("memory").value,
    for: byId("for").value.trim(),
    attach: lines("attach"),
    stimulus: lines("stimulus"),
    span: lines("span"),
    input: byId("input").value,
    port: byId("port").value.trim() ? [`${byId("port").value.trim()}=-`] : [],
    guest_handles_faults: byId("faults").checked,
    ...(until ? { until } : {}),
  };
}

/** The commands that do the same. */
function commands(asked) {
  if (asked.input === "") return measureOf(asked);
  const exec = ["cyclescope", "exec", quoted(asked.name), ...optionsOf("exec", asked), ...asked.port.flatMap((port) => ["--port", quoted(port)]), "--record", "typed.txt"];
  // As printf reads it.
  const typed = asked.input.replace(/\\/g, "\\\\").replace(/%/g, "%%").replace(/\n/g, "\\n");
  return `printf ${quoted(typed)} | ${exec.join(" ")}; ${measureOf(asked, ["--stimulus", "@typed.txt"])}`;
}

/** The requests for what is asked: where something is typed, first the run that hears it. */
function stepsOf({ input, port, ...asked }) {
  const rest = [{ ...asked, command: "measure", timeline: true }, { ...asked, command: "profile", span: [] }, { ...asked, command: "tasks", span: [] }, { ...asked, command: "size" }];
  return input === "" ? rest : [{ ...asked, command: "exec", span: [], input, port }, ...rest];
}

function run(event) {
  event?.preventDefault();
  if (state.busy || !state.file) return;
  const asked = options();
  state.steps = stepsOf(asked);
  state.at = null;
  state.decoder = new TextDecoder();
  byId("console").textContent = "";
  for (const command of ["exec", "measure", "profile", "tasks", "size"]) byId(command).hidden = true;
  byId("shown-devices").replaceChildren();
  byId("command").textContent = commands(asked);
  delete document.documentElement.dataset.done;
  const settings = new URLSearchParams({ image: byId("sha").textContent, ...asked, attach: asked.attach.join("\n"), stimulus: asked.stimulus.join("\n"), span: asked.span.join("\n"), port: byId("port").value.trim() });
  settings.delete("guest_handles_faults");
  if (asked.guest_handles_faults) settings.set("faults", "1");
  history.replaceState(null, "", `#${settings}`);
  byId("results").hidden = false;
  busy(true);
  say("The run begins.");
  state.worker.postMessage({ kind: "run", requests: state.steps, file: state.file, beside: [...state.beside] });
}

function stop() {
  if (!state.busy) return;
  start();
  busy(false);
  if (state.at === null) return say("Stopped.");
  // The same run, up to here, gives its results.
  byId("for").value = `${Math.max(1, Math.floor(state.at / 1000))}ns`;
  say(`Stopped after ${lasting(state.at / 1e12)} of simulated time. Run again for the results up to there.`);
}

/** True if `file` has no more bytes than are read, else says so. */
function fits(file) {
  if (file.size <= MOST_FILE) return true;
  say(`error: ${file.name} has more than the ${number(MOST_FILE)} bytes that are read`, true);
  return false;
}

/** Keeps files beside the firmware. */
async function lay(files) {
  for (const file of files) {
    if (!fits(file)) continue;
    state.beside.set(file.name, await file.arrayBuffer());
    if (DESCRIBES.test(file.name) && ![...byId("chips").children].some(({ value }) => value === file.name)) {
      byId("chips").prepend(el("option", { value: file.name }, "described by that file"));
    }
  }
  byId("beside-names").textContent = [...state.beside.keys()].join(", ");
  document.documentElement.dataset.beside = String(state.beside.size);
  describe();
}

/** Takes files that were dropped: an ELF is the firmware, or without one, where there is none yet, the first that describes no chip. */
async function dropped(files) {
  const beginnings = await Promise.all(files.map((file) => file.slice(0, 4).text()));
  const first = state.file ? undefined : files.find(({ name }) => !DESCRIBES.test(name));
  const firmware = files.find((_, place) => beginnings[place] === "\x7fELF") ?? first;
  await lay(files.filter((file) => file !== firmware));
  await take(firmware);
}

/** Types a line into the console: the same run, with more to hear. */
function type(event) {
  event.preventDefault();
  if (state.busy || !state.file) return;
  byId("input").value += `${byId("typed").value}\n`;
  byId("typed").value = "";
  run();
}

async function take(file) {
  if (!file || state.busy || !fits(file)) return;
  state.name = file.name;
  state.file = await file.arrayBuffer();
  byId("file-name").textContent = file.name;
  busy(true);
  state.worker.postMessage({ kind: "inspect", name: file.name, file: state.file });
}

/** Fills the fields from the address's fragment. */
function recall() {
  const settings = new URLSearchParams(location.hash.slice(1));
  for (const id of ["chip", "clock", "layout", "memory", "for", "until", "attach", "stimulus", "span", "input", "port"]) {
    if (settings.has(id)) byId(id).value = settings.get(id);
  }
  if (settings.get("chip")) byId("chip").dataset.chosen = "true";
  byId("faults").checked = settings.has("faults");
  state.wanted = settings.get("image");
  if (state.wanted) say(`This link is of a run of ${settings.get("name")}, SHA-256 ${state.wanted}. Drop that file to see it.`);
}

function begin() {
  byId("form").addEventListener("submit", run);
  byId("stop").addEventListener("click", stop);
  byId("file").addEventListener("change", ({ target }) => take(target.files[0]));
  byId("beside").addEventListener("change", ({ target }) => lay([...target.files]));
  byId("typing").addEventListener("submit", type);
  byId("chip").addEventListener("input", ({ target }) => {
    target.dataset.chosen = "true";
    describe();
  });
  const drop = byId("drop");
  for (const kind of ["dragenter", "dragover"]) {
    addEventListener(kind, (event) => {
      event.preventDefault();
      drop.classList.add("over");
    });
  }
  addEventListener("dragleave", () => drop.classList.remove("over"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    dropped([...event.dataTransfer.files]);
  });
  state.variant = variantFields((name) => name, () => run());
  byId("memory").closest(".field").after(...state.variant.nodes);
  recall();
  try {
    state.source = JSON.parse(byId("worker").textContent);
    state.parts = { unpacker: carried("unpacker"), packed: carried("core") };
    start();
  } catch (error) {
    say(`error: this browser cannot run the core: ${error}`, true);
  }
}

begin();
