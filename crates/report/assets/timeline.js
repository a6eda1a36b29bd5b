// A run as a logic analyser shows it: a lane a pin, a line's transfers, an exception, sleep, tasks. Zooms by dragging, buttons and keys.

const LEFT = 100;
/** The most tasks with a colour of their own; the others share the last. */
const TASKS = 6;
const RIGHT = 20;
/** The most arrows that are drawn at once. */
const ARROWS = 100;

/** A finger that drags wants to scroll the page; buttons zoom there. */
const coarse = matchMedia("(pointer: coarse)").matches;

/** A time in the unit that gives it at least one whole digit. */
function lasting(seconds) {
  const [unit, scale] = seconds < 1e-3 ? ["µs", 1e6] : seconds < 1 ? ["ms", 1e3] : ["s", 1];
  return `${rounded(seconds * scale)} ${unit}`;
}

function makeTimeline(run, place) {
  const { timeline } = run;
  const lanes = timeline.lanes;
  const height = 64 + lanes.length * 34;
  const length = timeline.to - timeline.from;
  // The unit in which the whole is a number of at most four digits.
  const { clocks } = timeline;
  const secondsAt = (cycle) => {
    const [since, start, hz] = clocks.findLast(([since]) => since <= cycle) ?? clocks[0];
    return start / 1e12 + (cycle - since) / hz;
  };
  const begin = secondsAt(timeline.from);
  const seconds = secondsAt(timeline.to) - begin;
  const [unit, scale] = seconds < 2e-3 ? ["µs", 1e6] : seconds < 2 ? ["ms", 1e3] : ["s", 1];
  const time = (cycle) => (secondsAt(cycle) - begin) * scale;
  const cycle = (at) => {
    const moment = at / scale + begin;
    const [since, start, hz] = clocks.findLast(([, start]) => start / 1e12 <= moment) ?? clocks[0];
    return Math.round(since + (moment - start / 1e12) * hz);
  };
  const whole = [0, time(timeline.to)];
  let range = timeline.focus == null ? [...whole] : timeline.focus.map(time);
  const marks = [];

  const plot = el("div", { class: "plot", id: `${run.name}-timeline`, tabindex: "0", role: "group", "aria-roledescription": "timeline", "aria-describedby": `${run.name}-keys` });
  const cursor = el("p", { class: "cursor", "aria-live": "off" });
  const button = (label, name, act) => el("button", { type: "button", class: "quiet", "aria-label": name, onclick: act }, label);
  const about = (factor) => {
    const centre = (range[0] + range[1]) / 2;
    const half = ((range[1] - range[0]) * factor) / 2;
    show([centre - half, centre + half]);
  };
  const move = (share) => {
    const by = (range[1] - range[0]) * share;
    show([range[0] + by, range[1] + by]);
  };
  const tools = el(
    "div",
    { class: "tools" },
    button("+", "Zoom in", () => about(0.5)),
    button("−", "Zoom out", () => about(2)),
    button("←", "Earlier", () => move(-0.5)),
    button("→", "Later", () => move(0.5)),
    button("Whole", "Show the whole run", () => show(whole)),
    button("Save SVG", "Save the timeline as SVG", () => saveSvg(plot, `${run.name}-timeline`)),
    button("Save CSV", "Save the events as CSV", () => save(`${run.name}-timeline.csv`, "text/csv", csv(list()))),
  );
  const cut = timeline.lost > 0 ? el("p", { class: "cut" }, `Shows the first ${lasting(seconds)} of ${lasting(secondsAt(timeline.end) - begin)}: ${timeline.kept.toLocaleString("en")} events kept, ${timeline.lost.toLocaleString("en")} after them left out.`) : null;
  // What never happened has no lane.
  const has = (kind) => lanes.some((lane) => lane.kind === kind);
  const none = [has("wire") ? null : "no pins", has("exception") ? null : "no exceptions"].filter(Boolean).join(", ");
  const lacks = none === "" ? null : el("p", { class: "lacks" }, `${none[0].toUpperCase()}${none.slice(1)}${timeline.lost > 0 ? " in what is shown" : ""}.`);
  const wires = timeline.left_out;
  const out = wires.length === 0 ? null : el("p", { class: "left-out" }, `${wires.join(", ")} ${wires.length === 1 ? "has" : "have"} no lane: too many edges. The transfers have one.`);
  const keys = el("p", { id: `${run.name}-keys` }, `${coarse ? "Press" : "Drag to zoom, click"} for two marks and the time between them. Keys: + and − zoom, ← and → move, 0 shows the whole.${has("task") ? " Where tasks change too fast to be seen apart, each is as high as its share of the time." : ""}${timeline.wakes.length > 0 ? " Arrows lead from a wake to the turn that answers it; zoom in where there are too many." : ""}`);
  const legend = el("ul", { class: "legend" });
  const head = el("figcaption", {}, el("h3", {}, "What happened when"), cut, lacks, out, lanes.length === 0 ? null : keys);
  const figure = el("figure", { class: "whole", "data-chart": "timeline" }, head, ...(lanes.length === 0 ? [] : [legend, plot, cursor, tools]));
  place.append(figure);
  if (lanes.length === 0) return;

  function show(next) {
    // At least ten cycles, at most the whole.
    const least = (10 / Math.max(...clocks.map(([, , hz]) => hz))) * scale;
    const width = Math.min(Math.max(next[1] - next[0], least), whole[1]);
    const start = Math.min(Math.max(next[0], 0), whole[1] - width);
    range = [start, start + width];
    draw();
    tell();
  }

  function tell() {
    plot.dataset.from = String(cycle(range[0]));
    plot.dataset.to = String(cycle(range[1]));
    const words = `Cycles ${cycle(range[0]).toLocaleString("en")} to ${cycle(range[1]).toLocaleString("en")}`;
    plot.setAttribute("aria-label", `Timeline of ${lanes.length} lanes: ${lanes.map((lane) => lane.name).join(", ")}. ${words} are shown.`);
    cursor.textContent = words;
    tellColours();
    say(words);
  }

  /** The points of a wire whose bottom is at `base`. */
  function levels(lane, base) {
    const [x, y] = [[], []];
    let level = lane.begin;
    x.push(time(timeline.from));
    y.push(base + 0.7 * (level ?? 0.5));
    for (const at of lane.changes) {
      level = level === 1 ? 0 : 1;
      x.push(time(at));
      y.push(base + 0.7 * level);
    }
    x.push(time(timeline.to));
    y.push(base + 0.7 * (level ?? 0.5));
    return { x, y };
  }

  /** The points of stretches of time whose bottom is at `base`. */
  function boxes(segments, base) {
    const [x, y] = [[], []];
    for (const [from, to, , low, high] of segments) {
      x.push(time(from), time(from), time(to), time(to), null);
      y.push(base + 0.7 * (low ?? 0), base + 0.7 * (high ?? 1), base + 0.7 * (high ?? 1), base + 0.7 * (low ?? 0), null);
    }
    return { x, y };
  }

  /**
   * The tasks of one lane where several share a pixel, of which the last would hide the others: columns a few pixels wide, in
   * which each task is as high as its share of the time. None where there is room for all segments.
   */
  function columns(own) {
    const [from, to] = range.map(cycle);
    const count = Math.max(40, Math.floor((plot.clientWidth - LEFT - RIGHT) / 3));
    const inside = own.map((segments) => segments.filter(([begin, end]) => begin < to && end > from));
    if (inside.reduce((sum, segments) => sum + segments.length, 0) < count) return null;
    const width = (to - from) / count;
    const shares = inside.map((segments) => {
      const share = new Array(count).fill(0);
      for (const [begin, end] of segments) {
        const [first, last] = [begin, end].map((at) => (Math.min(Math.max(at, from), to) - from) / width);
        for (let place = Math.floor(first); place < Math.min(last, count); place++) share[place] += Math.min(last, place + 1) - Math.max(first, place);
      }
      return share;
    });
    const least = 0.08;
    return shares.map((share, who) =>
      share.flatMap((own, place) => {
        if (own === 0) return [];
        const seen = shares.map((each) => (each[place] === 0 ? 0 : Math.max(each[place], least)));
        const whole = Math.max(1, seen.reduce((sum, each) => sum + each, 0));
        const low = seen.slice(0, who).reduce((sum, each) => sum + each, 0) / whole;
        return [[from + place * width, from + (place + 1) * width, "", low, low + seen[who] / whole]];
      }),
    );
  }

  // What is drawn, by what the legend calls it: each has one colour, which nothing else has. `segments` of a wire is null.
  const parts = [];
  const part = (name, colour, lane, segments) => {
    const known = parts.find((each) => each.name === name && each.colour === colour) ?? parts[parts.push({ name, colour, own: [] }) - 1];
    known.own.push({ base: lanes.length - 1 - lanes.indexOf(lane), lane, segments });
  };
  for (const lane of lanes) {
    if (lane.kind === "wire") part("pin", 0, lane, null);
    else if (lane.kind === "exception") part("exception", 1, lane, lane.segments);
    else if (lane.kind === "sleep") part("asleep", null, lane, lane.segments);
    else if (lane.kind === "polls") part("task", 2, lane, lane.segments);
    else if (lane.kind === "transfer") part("transfer", 3 + TASKS, lane, lane.segments);
    else {
      const taken = new Map();
      for (const [from, to, label] of lane.segments) taken.set(label, (taken.get(label) ?? 0) + to - from);
      const names = [...taken.keys()].sort((a, b) => taken.get(b) - taken.get(a));
      const own = names.length > TASKS ? names.slice(0, TASKS - 1) : names;
      own.forEach((name, place) => part(name, 2 + place, lane, lane.segments.filter(([, , label]) => label === name)));
      const others = lane.segments.filter(([, , label]) => !own.includes(label));
      if (others.length > 0) part(`${names.length - own.length} other tasks`, 2 + own.length, lane, others);
    }
  }
  const shade = ({ colour }) => (colour == null ? colours().soft : colours().series[colour]);

  /** The legend names what is in sight, and nothing else. */
  function tellColours() {
    const [from, to] = range.map(cycle);
    const seen = ({ own }) => own.some(({ segments }) => segments == null || segments.some(([begin, end]) => begin <= to && end >= from));
    const entry = (each) => {
      const dot = el("i", { "aria-hidden": "true" });
      dot.style.background = shade(each);
      return el("li", {}, dot, each.name);
    };
    legend.replaceChildren(...parts.filter(seen).map(entry));
  }

  /** Arrows from wakes in sight to the polls that answer them, as long as they can be told apart. */
  function arrows() {
    const [from, to] = range.map(cycle);
    const seen = timeline.wakes.filter(({ at, poll }) => at <= to && poll >= from);
    if (seen.length > ARROWS) return [];
    const middle = (lane) => lanes.length - 1 - lane + 0.35;
    const refs = { xref: "x", yref: "y", axref: "x", ayref: "y", text: "", showarrow: true };
    const { ink } = colours();
    return seen.map((wake) => ({ ...refs, x: time(wake.poll), y: middle(wake.to), ax: time(wake.at), ay: middle(wake.from), arrowhead: 2, arrowsize: 1, arrowwidth: 1, arrowcolor: ink }));
  }

  function draw() {
    const tasks = parts.filter(({ own }) => own[0].lane.kind === "task");
    const dense = columns(tasks.map(({ own }) => own.flatMap(({ segments }) => segments)));
    const traces = parts.flatMap((each) => {
      const own = shade(each);
      const shared = dense?.[tasks.indexOf(each)];
      if (shared != null) {
        return [{ type: "scatter", mode: "lines", hoverinfo: "skip", showlegend: false, ...boxes(shared, each.own[0].base), fill: "toself", fillcolor: own, line: { color: own, width: 0 } }];
      }
      const common = { type: "scatter", mode: "lines", hoverinfo: "skip", showlegend: false };
      return each.own.map(({ base, lane, segments }) =>
        segments == null
          ? { ...common, ...levels(lane, base), line: { color: own, width: 1.5, shape: "hv", simplify: false } }
          : { ...common, ...boxes(segments, base), fill: "toself", fillcolor: `${own}66`, line: { color: own, width: 1 } },
      );
    });
    tellColours();
    const layout = layoutBase();
    const { soft, floor } = colours();
    Object.assign(layout, { height, margin: { l: LEFT, r: RIGHT, t: 8, b: 46 }, dragmode: coarse ? false : "zoom", hovermode: false });
    Object.assign(layout.xaxis, { range: [...range], fixedrange: coarse, automargin: false, title: { text: unit, font: { color: soft, size: 12 } }, zeroline: false });
    Object.assign(layout.yaxis, { range: [-0.2, lanes.length - 0.1], automargin: false, tickvals: lanes.map((_, i) => lanes.length - 1 - i + 0.35), ticktext: lanes.map((lane) => plain(short(lane.name, 14))), showgrid: false, zeroline: false });
    layout.shapes = marks.map((at) => ({ type: "line", x0: time(at), x1: time(at), y0: 0, y1: 1, yref: "paper", line: { color: floor, width: 1, dash: "dot" } }));
    layout.annotations = arrows();
    const fresh = !plot.data;
    Plotly.react(plot, traces, layout, CONFIG);
    if (fresh) {
      plot.on("plotly_relayout", (change) => {
        const [from, to] = [change["xaxis.range[0]"], change["xaxis.range[1]"]];
        if (from != null && to != null) show([from, to]);
        else if (change["xaxis.autorange"]) show(whole);
      });
      tell();
    }
  }

  const position = (event) => {
    const box = plot.getBoundingClientRect();
    const share = (event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT);
    return share < 0 || share > 1 ? null : cycle(range[0] + share * (range[1] - range[0]));
  };
  const when = (at) => `cycle ${at.toLocaleString("en")} (${rounded(time(at))} ${unit})`;
  plot.addEventListener("mousemove", (event) => {
    const at = position(event);
    if (at == null) return;
    const on = lanes.filter((lane) => state(lane, at)).map((lane) => lane.name + (state(lane, at) === true ? "" : ` ${state(lane, at)}`));
    cursor.textContent = `${when(at)} · ${on.length > 0 ? on.join(", ") : "nothing is on"}${between()}`;
  });
  const between = () => (marks.length < 2 ? "" : ` · between the marks ${Math.abs(marks[1] - marks[0]).toLocaleString("en")} cycles (${rounded(Math.abs(time(marks[1]) - time(marks[0])))} ${unit})`);
  let pressed = null;
  plot.addEventListener("mousedown", (event) => (pressed = event.clientX), true);
  plot.addEventListener("click", (event) => {
    if (pressed == null || Math.abs(event.clientX - pressed) > 4) return;
    const at = position(event);
    if (at == null) return;
    if (marks.length === 2) marks.length = 0;
    marks.push(at);
    draw();
    cursor.textContent = `mark at ${when(at)}${between()}`;
  }, true);
  plot.addEventListener("keydown", (event) => {
    const acts = { "+": () => about(0.5), "=": () => about(0.5), "-": () => about(2), ArrowLeft: () => move(-0.25), ArrowRight: () => move(0.25), 0: () => show(whole), Home: () => show(whole) };
    if (acts[event.key] == null || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    acts[event.key]();
  });

  /** Whether a lane is on at a cycle; of tasks, which. */
  function state(lane, at) {
    if (lane.kind === "wire") {
      const changes = lane.changes.filter((each) => each <= at).length;
      return (lane.begin === 1) !== (changes % 2 === 1);
    }
    const found = lane.segments.find(([from, to]) => from <= at && at < to);
    return found == null ? false : found[2] === "" ? true : found[2];
  }

  function list() {
    const events = lanes.flatMap((lane) => {
      if (lane.kind === "wire") {
        let level = lane.begin;
        return lane.changes.map((at) => [at, lane.name, (level = level === 1 ? 0 : 1) === 1 ? "high" : "low"]);
      }
      return lane.segments.flatMap(([from, to, label]) => [[from, lane.name, label || "begins"], [to, lane.name, label ? `${label} ends` : "ends"]]);
    });
    for (const { at, from, to } of timeline.wakes) events.push([at, lanes[from].name, `wakes ${lanes[to].name}`]);
    events.sort((a, b) => a[0] - b[0]);
    return [["cycle", "lane", "event"], ...events];
  }

  painters.push(() => plot.data && draw());
  whenNear(figure, draw);
}
