// Where the cycles went: paths of calls as an icicle, and the same by function as a table.

function makeFlame(run, place) {
  const { flame } = run;
  const id = `${run.name}-cycles`;
  const plot = el("div", { class: "plot", role: "img", id });
  const share = (cycles) => `${((100 * cycles) / flame.total).toFixed(1)} %`;
  const least = flame.total / 2000;
  const kept = flame.nodes.map((node, index) => ({ name: node[0], parent: node[1], cycles: node[2], index })).filter((node) => node.cycles >= least);
  const depth = (node) => (node.parent < 0 ? 1 : 1 + depth({ parent: flame.nodes[node.parent][1] }));
  const levels = Math.max(1, ...kept.map(depth));
  const words = flame.functions.slice(0, 3).map(([name, , own]) => `${name} ${share(own)}`).join(", ");
  plot.setAttribute("aria-label", `Flame graph of ${flame.total.toLocaleString("en")} cycles. The most of their own: ${words}.`);

  const whole = el("button", { type: "button", class: "quiet", onclick: () => draw(true) }, "Whole");
  const tools = el("div", { class: "tools" }, whole, el("button", { type: "button", class: "quiet", onclick: () => saveSvg(plot, id) }, "Save SVG"));
  const asleep = flame.asleep > 0 ? ` ${flame.asleep.toLocaleString("en")} cycles asleep are not in it.` : "";
  const caption = el("p", {}, `Each block is as wide as the cycles that a path of calls took, callers above: ${flame.total.toLocaleString("en")} cycles in all.${asleep} Click a block to look into it.`);
  const rows = flame.functions.slice(0, 15).map(([name, calls, own, total]) =>
    el("tr", {}, el("th", { scope: "row" }, name), ...[calls, own, total].map((value) => el("td", { class: "num" }, value.toLocaleString("en"))), el("td", { class: "num" }, share(own))),
  );
  const heads = ["calls", "own cycles", "with what it called", "own share"].map((title) => el("th", { scope: "col", class: "num" }, title));
  const table = el("table", {}, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "function"), ...heads)), el("tbody", {}, ...rows));
  const more = el("details", {}, el("summary", {}, "The most expensive functions as a table"), el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Functions" }, table));
  const figure = el("figure", { class: "whole", "data-chart": "flame" }, el("figcaption", {}, el("h3", {}, "Where the cycles went"), caption), plot, tools, more);
  place.append(figure);

  function shade(node) {
    const { series, line } = colours();
    if (/^\((asleep|between|exception|no symbol)/.test(node.name)) return line;
    // The same function has the same colour wherever it stands.
    let hash = 7;
    for (const letter of node.name) hash = (hash * 31 + letter.codePointAt(0)) >>> 0;
    return `${series[hash % series.length]}${isDark() ? "99" : "55"}`;
  }

  function draw(anew) {
    const { ink, card } = colours();
    const trace = {
      type: "icicle",
      ids: ["all", ...kept.map((node) => String(node.index))],
      parents: ["", ...kept.map((node) => (node.parent < 0 ? "all" : String(node.parent)))],
      labels: ["awake", ...kept.map((node) => plain(node.name))],
      values: [flame.total, ...kept.map((node) => node.cycles)],
      branchvalues: "total",
      sort: true,
      tiling: { orientation: "v", pad: 1 },
      pathbar: { visible: false },
      marker: { colors: [colours().line, ...kept.map(shade)], line: { width: 1, color: card } },
      textfont: { color: ink, size: 12 },
      textposition: "middle left",
      texttemplate: "%{label}",
      hovertemplate: "%{label}<br>%{value:,} cycles, %{percentRoot:.1%}<extra></extra>",
    };
    const layout = layoutBase();
    Object.assign(layout, { height: 24 + (levels + 1) * 26, margin: { l: 0, r: 0, t: 4, b: 4 }, uniformtext: { minsize: 10, mode: "hide" } });
    if (anew && plot.data) Plotly.purge(plot);
    Plotly.react(plot, [trace], layout, CONFIG);
  }

  painters.push(() => plot.data && draw(false));
  whenNear(figure, () => draw(false));
}
