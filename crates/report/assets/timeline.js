// A run as a logic analyser shows it: a lane a pin, an exception, sleep, tasks. Zooms by dragging, buttons and keys.

const LEFT = 100;
const RIGHT = 20;

/** A finger that drags wants to scroll the page; buttons zoom there. */
const coarse = matchMedia("(pointer: coarse)").matches;

function makeTimeline(run, place) {
  const { timeline } = run;
  const lanes = timeline.lanes;
  const height = 92 + lanes.length * 34;
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
  const keys = el("p", { id: `${run.name}-keys` }, `${coarse ? "Press" : "Drag to zoom, click"} for two marks and the time between them. Keys: + and − zoom, ← and → move, 0 shows the whole.`);
  const figure = el("figure", { class: "whole", "data-chart": "timeline" }, el("figcaption", {}, el("h3", {}, "What happened when"), keys), plot, cursor, tools);
  place.append(figure);

  function show(next) {
    // At least ten cycles, at most the whole.
    const least = (10 / Math.max(...clocks.map(([, , hz]) => hz))) * scale;
    const width = Math.min(Math.max(next[1] - next[0], least), whole[1]);
    const start = Math.min(Math.max(next[0], 0), whole[1] - width);
    range = [start, start + width];
    Plotly.relayout(plot, { "xaxis.range": range });
    tell();
  }

  function tell() {
    plot.dataset.from = String(cycle(range[0]));
    plot.dataset.to = String(cycle(range[1]));
    const words = `Cycles ${cycle(range[0]).toLocaleString("en")} to ${cycle(range[1]).toLocaleString("en")}`;
    plot.setAttribute("aria-label", `Timeline of ${lanes.length} lanes: ${lanes.map((lane) => lane.name).join(", ")}. ${words} are shown.`);
    cursor.textContent = words;
    say(words);
  }

  /** The points of a lane whose bottom is at `base`. */
  function points(lane, base) {
    const [x, y, text] = [[], [], []];
    if (lane.kind === "wire") {
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
    } else {
      for (const [from, to, label] of lane.segments) {
        x.push(time(from), time(from), time(to), time(to), null);
        y.push(base, base + 0.7, base + 0.7, base, null);
        text.push(label);
      }
    }
    return { x, y };
  }

  function colour(lane) {
    const { series, soft } = colours();
    return lane.kind === "wire" ? series[0] : lane.kind === "exception" ? series[1] : lane.kind === "task" ? series[2] : soft;
  }

  function draw() {
    const traces = lanes.flatMap((lane, index) => {
      const base = lanes.length - 1 - index;
      const own = colour(lane);
      if (lane.kind === "wire") {
        return [{ type: "scatter", mode: "lines", ...points(lane, base), line: { color: own, width: 1.5, shape: "hv", simplify: false }, hoverinfo: "skip", showlegend: false }];
      }
      // Labels of one lane in colours of their own: a task each.
      const names = [...new Set(lane.segments.map(([, , label]) => label))];
      return names.map((name, place) => {
        const { series } = colours();
        const shade = names.length > 1 ? series[(2 + place) % series.length] : own;
        const part = { ...lane, segments: lane.segments.filter(([, , label]) => label === name) };
        return { type: "scatter", mode: "lines", name: plain(name), ...points(part, base), fill: "toself", fillcolor: `${shade}66`, line: { color: shade, width: 1 }, hoverinfo: "skip", showlegend: names.length > 1 };
      });
    });
    const layout = layoutBase();
    const { soft, floor } = colours();
    Object.assign(layout, { height, margin: { l: LEFT, r: RIGHT, t: 36, b: 46 }, dragmode: coarse ? false : "zoom", hovermode: false, showlegend: traces.some((trace) => trace.showlegend) });
    Object.assign(layout.xaxis, { range: [...range], fixedrange: coarse, automargin: false, title: { text: unit, font: { color: soft, size: 12 } }, zeroline: false });
    Object.assign(layout.yaxis, { range: [-0.2, lanes.length - 0.1], automargin: false, tickvals: lanes.map((_, i) => lanes.length - 1 - i + 0.35), ticktext: lanes.map((lane) => plain(short(lane.name, 14))), showgrid: false, zeroline: false });
    layout.shapes = marks.map((at) => ({ type: "line", x0: time(at), x1: time(at), y0: 0, y1: 1, yref: "paper", line: { color: floor, width: 1, dash: "dot" } }));
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
    events.sort((a, b) => a[0] - b[0]);
    return [["cycle", "lane", "event"], ...events];
  }

  painters.push(() => plot.data && draw());
  whenNear(figure, draw);
}
