// Charts over a section's columns.

const FONT = 'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", Arial, sans-serif';
const CONFIG = { displayModeBar: false, responsive: true, doubleClick: "reset" };

function layoutBase() {
  const { ink, soft, card, line } = colours();
  const axis = { gridcolor: line, linecolor: line, zerolinecolor: line, tickfont: { color: soft }, title: { font: { color: soft, size: 12 } }, fixedrange: true };
  return {
    font: { family: FONT, size: 12, color: ink },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    margin: { l: 8, r: 16, t: 8, b: 40 },
    hoverlabel: { bgcolor: card, bordercolor: line, font: { family: FONT, color: ink, size: 12 }, align: "left", namelength: -1 },
    hovermode: "closest",
    dragmode: false,
    xaxis: { ...axis, automargin: true, tickformat: "," },
    yaxis: { ...axis, automargin: true, tickformat: "," },
    legend: { orientation: "h", x: 0, y: 1, yanchor: "bottom", font: { color: soft }, itemclick: false, itemdoubleclick: false, traceorder: "normal" },
    showlegend: false,
  };
}

/** What tells these rows from each other, in a few words each. */
function labels(rows) {
  const differs = (value) => new Set(rows.map(value)).size > 1;
  const parts = [["variant", (row) => row.variant], ["opt", (row) => row.opt && `-O${row.opt}`], ["chip", (row) => row.chip], ["memory", (row) => row.memory]];
  const told = parts.filter(([, value]) => differs(value));
  return rows.map((row) => [row.contender, ...told.map(([, value]) => value(row))].filter(Boolean).join(" "));
}

function axisTitle(column) {
  return plain(column.unit ? `${column.title}, ${column.unit}` : column.title);
}

/** About as wide as a letter of a chart's text, in pixels. */
const LETTER = 6.6;

/** `name` in lines that leave at least half of `width` pixels to what is drawn beside them, or in one line if that does. */
function lines(name, width) {
  const most = Math.max(12, Math.min(34, Math.floor(width / 2 / LETTER)));
  if (name.length <= most) return [name];
  const made = [];
  for (const word of name.split(" ")) {
    const last = made.at(-1);
    if (last != null && last.length + 1 + word.length <= most) made[made.length - 1] = `${last} ${word}`;
    else made.push(short(word, most));
  }
  return made;
}

/** The most lines that a trend draws. */
const MOST_LINES = 20;

/** A line about other layouts of a cell's program, if it ran in any. */
function inLayouts(cell) {
  if (cell?.[4] == null) return "";
  const [from, to] = cell[4].map(rounded);
  return `<br>in ${cell[5].toLocaleString("en")} other layouts: ${from} to ${to}`;
}

/** Error bars from the least to the greatest value over other layouts of each cell's program, if any has some. */
function whiskers(cells, colour) {
  if (!cells.some((cell) => cell?.[4] != null)) return {};
  const away = (place, sign) => cells.map((cell) => (cell?.[4] == null ? 0 : sign * (cell[4][place] - cell[0])));
  return { error_x: { type: "data", symmetric: false, array: away(1, 1), arrayminus: away(0, -1), color: colour, thickness: 1.25, width: 3 } };
}

const DRAW = {
  bars(section, chart, rows, state) {
    const { series, shades, floor: floorColour, soft, card, ink } = colours();
    const { columns, floor } = chart.kind;
    const having = rows.filter((row) => columns.some((index) => row.cells[index] != null));
    const by = (row) => columns.map((index) => row.cells[index]?.[0]).find((value) => value != null);
    const sorted = [...having].sort((a, b) => by(b) - by(a));
    if (sorted.length === 0) return null;
    const names = labels(sorted).map(plain);
    const broken = labels(sorted).map((name) => lines(name, state.width));
    const most = Math.max(...broken.map((each) => each.length));
    const used = columns.filter((index) => sorted.some((row) => row.cells[index] != null));
    const cells = used.flatMap((index) => sorted.map((row) => row.cells[index]));
    const placed = cells.some((cell) => cell?.[4] != null);
    const traces = used.map((index, place) => ({
      type: "bar",
      orientation: "h",
      name: plain(section.columns[index].title),
      x: sorted.map((row) => row.cells[index]?.[0] ?? null),
      y: sorted.map((_, row) => row),
      text: sorted.map((row) => plain(row.cells[index]?.[1] ?? "")),
      customdata: sorted.map((row) => [row, index]),
      // Where whiskers reach out of the bars, the numbers stand in them.
      textposition: placed ? "auto" : "outside",
      insidetextanchor: "start",
      insidetextfont: { size: 11, color: card },
      outsidetextfont: { size: 11, color: soft },
      cliponaxis: false,
      ...whiskers(sorted.map((row) => row.cells[index]), ink),
      marker: { color: used.length === 1 ? sorted.map((row) => colourOf(row.contender)) : used.length <= shades.length ? shades[place + (used.length === 2 ? 1 : 0)] : series[place % series.length] },
      hovertemplate: sorted.map((each, row) => `${names[row]}<br>${plain(section.columns[index].title)}: %{text} ${plain(section.columns[index].unit)}${inLayouts(each.cells[index])}<extra></extra>`),
    }));
    const layout = layoutBase();
    layout.height = 70 + (used.length > 1 ? 26 : 0) + sorted.length * Math.max(used.length * 17 + 12, most * 15 + 6);
    layout.bargap = used.length > 1 ? 0.22 : 0.4;
    layout.bargroupgap = 0.06;
    layout.showlegend = used.length > 1;
    layout.legend.traceorder = "normal";
    Object.assign(layout.yaxis, { tickvals: names.map((_, row) => row), ticktext: broken.map((each) => each.map(plain).join("<br>")), showgrid: false, zeroline: false, ticklen: 6, tickcolor: "rgba(0,0,0,0)", range: [-0.6, names.length - 0.4] });
    // The first column uppermost in each group, as in the legend.
    traces.reverse();
    layout.legend.traceorder = "reversed";
    const unit = section.columns[used[0]].unit;
    const values = cells.map((cell) => cell?.[4]?.[1] ?? cell?.[0]).filter((value) => value > 0);
    // Behind the longest bar there is room for its number.
    const letters = (texts) => Math.max(0, ...texts.map((text) => text.length)) * LETTER;
    const area = Math.max(60, state.width - letters(broken.flat()) - 46);
    const room = Math.min(0.7, (letters(used.flatMap((index) => sorted.map((row) => row.cells[index]?.[1] ?? ""))) + 8) / area);
    if (state.logarithmic && values.length > 0) {
      const [low, high] = [Math.min(...values), Math.max(...values)].map(Math.log10);
      Object.assign(layout.xaxis, { type: "log", range: [Math.floor(low), high + ((high - Math.floor(low)) * room) / (1 - room) + 0.05], dtick: 1 });
    } else {
      layout.xaxis.range = [Math.min(0, ...used.flatMap((i) => sorted.map((row) => row.cells[i]?.[0] ?? 0))), Math.min(Math.max(...values, 1e-9) / (1 - room), Math.max(...values, 1e-9) + 1e307)];
    }
    layout.xaxis.title = { ...layout.xaxis.title, text: plain(unit) };
    layout.margin.r = 24;
    const floors = floor == null ? [] : sorted.map((row, place) => ({ cell: row.cells[floor], place })).filter(({ cell }) => cell != null);
    let words = "";
    if (floors.length > 0) {
      const title = section.columns[floor].title;
      const by = [...floors].sort((a, b) => a.cell[0] - b.cell[0]);
      const [least, most] = [by[0].cell, by[by.length - 1].cell];
      // One floor for all is a line through the chart; where contenders have floors of their own, each has its line.
      const one = least[0] === most[0];
      const style = { line: { color: floorColour, width: 1.5, dash: one ? "dash" : "solid" }, layer: one ? "below" : "above" };
      const drawn = (cell) => !state.logarithmic || cell[0] > 0;
      layout.margin.t = 22;
      if (layout.showlegend) layout.legend.y = 1 + 22 / layout.height;
      layout.shapes = one
        ? [{ type: "line", x0: least[0], x1: least[0], y0: 0, y1: 1, yref: "paper", ...style }]
        : floors.filter(({ cell }) => drawn(cell)).map(({ cell, place }) => ({ type: "line", x0: cell[0], x1: cell[0], y0: place - 0.45, y1: place + 0.45, yref: "y", ...style }));
      const text = one ? `floor ${least[1]}: ${title}` : `floors ${least[1]} to ${most[1]}: ${title}`;
      const [from, to] = layout.xaxis.range;
      const at = state.logarithmic ? Math.log10(least[0]) : least[0];
      // Where it would reach beyond the chart it ends at the chart's end.
      const fits = ((at - from) / (to - from)) * area + text.length * 6 < area;
      const place = fits ? { x: at, xanchor: "left" } : { x: 1, xref: "paper", xanchor: "right" };
      layout.annotations = [{ ...place, y: 1, yref: "paper", yanchor: "bottom", showarrow: false, text: plain(text), font: { size: 11, color: floorColour } }];
      words = one ? ` The floor, ${title}, is ${least[1]} ${section.columns[floor].unit}.` : ` The floor, ${title}, is ${least[1]} to ${most[1]} ${section.columns[floor].unit}, by row.`;
    }
    const last = sorted.length - 1;
    const said = (row) => `${names[row]} ${sorted[row].cells[used[0]]?.[1] ?? ""}`;
    const whiskered = placed ? " Whiskers reach over other layouts of each program." : "";
    return { traces, layout, words: `Bars of ${used.map((i) => section.columns[i].title).join(", ")} for ${sorted.length} rows. Least: ${said(last)}; greatest: ${said(0)} ${unit}.${words}${whiskered}` };
  },

  spread(section, chart, rows, state) {
    const column = section.columns[chart.kind.column];
    const { line } = colours();
    const having = rows
      .map((row) => ({ row, cell: row.cells[chart.kind.column] }))
      .filter(({ cell }) => cell != null && data.records[cell[2]].histogram != null)
      .sort((a, b) => b.cell[0] - a.cell[0]);
    if (having.length === 0) return null;
    const names = labels(having.map(({ row }) => row));
    const one = plain(column.unit.replace(/s$/, ""));
    const traces = having.map(({ row, cell }, lane) => {
      const buckets = data.records[cell[2]].histogram;
      const total = buckets.reduce((sum, [, , count]) => sum + count, 0);
      const density = ([from, to, count]) => (100 * count) / total / (to + 1 - from);
      const most = Math.max(...buckets.map(density));
      const [x, y, told] = [[], [], []];
      const point = (at, height, words) => {
        x.push(at);
        y.push(height);
        told.push(words);
      };
      const base = state.cumulative ? 0 : lane;
      point(buckets[0][0], base, "");
      let seen = 0;
      for (const bucket of buckets) {
        seen += bucket[2];
        const [from, to] = bucket;
        if (state.cumulative) {
          point(to + 1, (100 * seen) / total, `${rounded((100 * seen) / total)} % take no more than ${to.toLocaleString("en")}`);
        } else {
          const words = `${from.toLocaleString("en")} to ${to.toLocaleString("en")} ${plain(column.unit)}: ${bucket[2].toLocaleString("en")} of ${total.toLocaleString("en")}`;
          const height = lane + (0.82 * density(bucket)) / most;
          point(from, height, words);
          point(to + 1, height, words);
        }
      }
      point(buckets[buckets.length - 1][1] + 1, state.cumulative ? 100 : lane, "");
      const colour = colourOf(row.contender);
      return {
        type: "scatter",
        mode: "lines",
        name: plain(names[lane]),
        x,
        y,
        text: told,
        fill: state.cumulative ? "none" : "toself",
        hoveron: "points",
        fillcolor: `${colour}40`,
        line: { color: colour, width: 1.75 },
        customdata: x.map(() => [row, chart.kind.column]),
        hovertemplate: `${plain(names[lane])}<br>%{text}<extra></extra>`,
      };
    });
    const layout = layoutBase();
    layout.height = state.cumulative ? 360 : Math.max(220, 84 + having.length * 52);
    layout.showlegend = state.cumulative;
    layout.xaxis.title = { ...layout.xaxis.title, text: plain(column.unit) };
    layout.xaxis.rangemode = "tozero";
    if (state.cumulative) {
      layout.yaxis.title = { ...layout.yaxis.title, text: "% of samples" };
      layout.yaxis.range = [0, 103];
    } else {
      Object.assign(layout.yaxis, { tickvals: names.map((_, lane) => lane + 0.3), ticktext: names.map((name) => lines(name, state.width).map(plain).join("<br>")), range: [-0.08, having.length], showgrid: false, zeroline: false });
      layout.shapes = names.map((_, lane) => ({ type: "line", x0: 0, x1: 1, xref: "paper", y0: lane, y1: lane, line: { color: line, width: 1 }, layer: "below" }));
    }
    const spans = having.map(({ cell }, lane) => `${names[lane]} ${data.records[cell[2]].min} to ${data.records[cell[2]].max}`);
    return { traces, layout, words: `${state.cumulative ? "Cumulative curves" : "Histograms"} in ${column.unit}, from the least to the greatest: ${spans.join("; ")}.` };
  },

  lines(section, chart, rows, state) {
    const { x, y, ideal } = chart.kind;
    const groups = new Map();
    for (const row of rows) {
      if (row.cells[x] == null || row.cells[y] == null) continue;
      if (!groups.has(row.contender)) groups.set(row.contender, []);
      groups.get(row.contender).push(row);
    }
    if (groups.size === 0) return null;
    const traces = [];
    for (const [contender, own] of groups) {
      own.sort((a, b) => a.cells[x][0] - b.cells[x][0]);
      const colour = colourOf(contender);
      traces.push({
        type: "scatter",
        mode: "lines+markers",
        name: plain(contender),
        x: own.map((row) => row.cells[x][0]),
        y: own.map((row) => row.cells[y][0]),
        text: own.map((row) => plain(row.cells[y][1])),
        customdata: own.map((row) => [row, y]),
        line: { color: colour, width: 2 },
        marker: { color: colour, size: 7 },
        hovertemplate: `${plain(contender)}<br>${plain(section.columns[x].title)} %{x}: %{text} ${plain(section.columns[y].unit)}<extra></extra>`,
      });
    }
    const xs = [...new Set(traces.flatMap((trace) => trace.x))].sort((a, b) => a - b);
    if (ideal && xs.length > 1) {
      const starts = traces.filter((trace) => trace.x[0] === xs[0]).map((trace) => trace.y[0]);
      const start = Math.min(...starts);
      traces.push({
        type: "scatter",
        mode: "lines",
        name: "ideal",
        x: xs,
        y: xs.map((each) => (start * xs[0]) / each),
        line: { color: colours().soft, width: 1.5, dash: "dash" },
        hoverinfo: "skip",
      });
    }
    const layout = layoutBase();
    layout.height = 400;
    layout.showlegend = true;
    const values = traces.flatMap((trace) => trace.y).filter((value) => value > 0);
    if (state.logarithmic) {
      const ends = [Math.min(...values), Math.max(...values)].map(Math.log10);
      Object.assign(layout.yaxis, { type: "log", range: [ends[0] - 0.1, ends[1] + 0.1], dtick: "D2" });
    } else layout.yaxis.rangemode = "tozero";
    Object.assign(layout.xaxis, { type: "log", tickvals: xs, ticktext: xs.map(String), title: { ...layout.xaxis.title, text: axisTitle(section.columns[x]) } });
    layout.yaxis.title = { ...layout.yaxis.title, text: axisTitle(section.columns[y]) };
    return { traces, layout, words: `${section.columns[y].title} against ${section.columns[x].title}, ${groups.size} lines${ideal ? " and the ideal" : ""}.` };
  },

  trend(section, chart, rows, state) {
    const { series } = colours();
    const { columns } = chart.kind;
    const having = rows.filter((row) => columns.some((index) => row.cells[index] != null));
    if (having.length === 0) return null;
    const changes = (row) => row.changes ?? [];
    // More lines than can be told apart: those that changed last.
    const last = (row) => Math.max(-1, ...changes(row));
    const drawn = having.length > MOST_LINES ? [...having].sort((a, b) => last(b) - last(a)).slice(0, MOST_LINES) : having;
    const names = labels(drawn);
    const single = new Set(drawn.map((row) => row.contender)).size === drawn.length;
    const traces = drawn.map((row, place) => {
      const seen = columns.filter((index) => row.cells[index] != null);
      const first = row.cells[seen[0]][0];
      const value = (index) => (state.relative && first !== 0 ? (100 * row.cells[index][0]) / first : row.cells[index][0]);
      const colour = single ? colourOf(row.contender) : series[place % series.length];
      const changed = (index) => changes(row).includes(index);
      return {
        type: "scatter",
        mode: "lines+markers",
        name: plain(names[place]),
        x: seen,
        y: seen.map(value),
        text: seen.map((index) => `${plain(section.columns[index].title)}: ${plain(row.cells[index][1])} ${plain(section.columns[index].unit)}${changed(index) ? "<br>change point" : ""}`),
        customdata: seen.map((index) => [row, index]),
        line: { color: colour, width: 1.75, shape: "linear" },
        marker: { color: colour, size: seen.map((index) => (changed(index) ? 11 : 5)), symbol: seen.map((index) => (changed(index) ? "diamond" : "circle")) },
        hovertemplate: `${plain(names[place])}<br>%{text}<extra></extra>`,
      };
    });
    const layout = layoutBase();
    layout.height = 380;
    layout.showlegend = drawn.length > 1;
    const step = Math.max(1, Math.ceil(columns.length / Math.max(2, Math.floor(state.width / 110))));
    const ticks = columns.filter((_, place) => place % step === 0);
    Object.assign(layout.xaxis, { tickvals: ticks, ticktext: ticks.map((index) => section.columns[index].title.split(" ").map(plain).join("<br>")), range: [columns[0] - 0.5, columns.at(-1) + 0.5], showgrid: false, zeroline: false });
    layout.yaxis.title = { ...layout.yaxis.title, text: state.relative ? "% of the first value" : plain(section.columns[columns[0]].unit) };
    const told = drawn.flatMap((row, place) => changes(row).filter((index) => row.cells[index] != null).map((index) => `${names[place]} at ${section.columns[index].title}`));
    const rest = having.length > drawn.length ? ` The ${drawn.length} of ${having.length} configurations that changed last are drawn; choose others above.` : "";
    return { traces, layout, words: `${drawn.length} lines over ${columns.length} entries.${rest} Change points: ${told.length === 0 ? "none" : told.join("; ")}.` };
  },

  scatter(section, chart, rows, state) {
    const { x, y } = chart.kind;
    const { ink, soft } = colours();
    const points = rows.filter((row) => row.cells[x] != null && row.cells[y] != null);
    if (points.length === 0) return null;
    const names = labels(points);
    const at = (row) => [row.cells[x][0], row.cells[y][0]];
    const beaten = (row) => {
      const [px, py] = at(row);
      return points.some((other) => {
        const [ox, oy] = at(other);
        return ox <= px && oy <= py && (ox < px || oy < py);
      });
    };
    const front = points.filter((row) => !beaten(row)).sort((a, b) => at(a)[0] - at(b)[0]);
    const traces = [
      {
        type: "scatter",
        mode: "lines",
        name: "Pareto front",
        x: front.map((row) => at(row)[0]),
        y: front.map((row) => at(row)[1]),
        line: { color: soft, width: 1.5, dash: "dot", shape: "hv" },
        hoverinfo: "skip",
      },
      {
        type: "scatter",
        mode: points.length <= 30 ? "markers+text" : "markers",
        name: "contenders",
        x: points.map((row) => at(row)[0]),
        y: points.map((row) => at(row)[1]),
        text: names.map((name) => plain(short(name, 30))),
        textposition: places(points.map(at)),
        textfont: { size: 11, color: points.map((row) => (front.includes(row) ? ink : soft)) },
        customdata: points.map((row) => [row, y]),
        marker: { color: points.map((row) => colourOf(row.contender)), size: points.map((row) => (front.includes(row) ? 11 : 8)), opacity: points.map((row) => (front.includes(row) ? 1 : 0.65)) },
        hovertemplate: points.map((row, i) => `${plain(names[i])}<br>${plain(row.cells[x][1])} ${plain(section.columns[x].unit)}, ${plain(row.cells[y][1])} ${plain(section.columns[y].unit)}<extra></extra>`),
        cliponaxis: false,
      },
    ];
    const layout = layoutBase();
    layout.height = 380;
    for (const [name, axis, index] of [["xaxis", layout.xaxis, 0], ["yaxis", layout.yaxis, 1]]) {
      const values = points.map((row) => at(row)[index]);
      const [low, high] = [Math.min(...values), Math.max(...values)];
      layout[name].title = { ...axis.title, text: axisTitle(section.columns[index === 0 ? x : y]) };
      if (low > 0 && high / low > 12) {
        const [a, b] = [Math.log10(low), Math.log10(high)];
        Object.assign(axis, { type: "log", range: [a - 0.12 * (b - a), b + 0.14 * (b - a)], dtick: "D2" });
      } else {
        const room = (high - low || high || 1) * 0.14;
        Object.assign(axis, { range: [Math.max(low >= 0 ? 0 : -Infinity, low - room), high + room] });
        if (low - room < 0.35 * high) axis.range[0] = Math.min(0, low);
      }
    }
    // A label that would reach beyond the chart stands on the other side of its point.
    const { type, range } = layout.xaxis;
    const area = state.width - 64;
    traces[1].textposition = traces[1].textposition.map((position, index) => {
      const value = type === "log" ? Math.log10(at(points[index])[0]) : at(points[index])[0];
      const place = ((value - range[0]) / (range[1] - range[0])) * area;
      const [half, line] = [(Math.min(names[index].length, 30) * LETTER) / 2, position.split(" ")[0]];
      const [left, right] = position.endsWith("right") ? [0, 2 * half] : position.endsWith("left") ? [2 * half, 0] : [half, half];
      return place + right > area ? `${line} left` : place - left < 0 ? `${line} right` : position;
    });
    return { traces, layout, words: `${section.columns[y].title} against ${section.columns[x].title}. On the Pareto front, from the smallest: ${front.map((row) => names[points.indexOf(row)]).join(", ")}.` };
  },
};

/** Where each label stands, so that near points do not write over each other. */
function places(points) {
  const span = (index) => Math.max(...points.map((p) => p[index])) - Math.min(...points.map((p) => p[index])) || 1;
  const [width, height] = [span(0), span(1)];
  const order = ["top center", "bottom right", "middle right", "top left"];
  return points.map(([x, y], index) => {
    const near = points.slice(0, index).filter(([ox, oy]) => Math.abs(ox - x) < width * 0.22 && Math.abs(oy - y) < height * 0.07).length;
    return order[near % order.length];
  });
}

function makeChart(section, chart, place) {
  const state = { cumulative: false, relative: false, logarithmic: chart.kind.is === "lines" };
  const id = `${section.name}-${chart.name}`;
  const plot = el("div", { class: "plot", role: "img", id });
  const tools = el("div", { class: "tools" });
  const toggle = (label, key) => {
    const button = el("button", { type: "button", class: "quiet", "aria-pressed": String(state[key]) }, label);
    button.addEventListener("click", () => {
      state[key] = !state[key];
      button.setAttribute("aria-pressed", String(state[key]));
      draw();
    });
    tools.append(button);
  };
  if (chart.kind.is === "spread") toggle("Cumulative", "cumulative");
  if (chart.kind.is === "trend") toggle("Relative", "relative");
  if (chart.kind.logarithmic || chart.kind.is === "lines") toggle("Logarithmic", "logarithmic");
  tools.append(el("button", { type: "button", class: "quiet", onclick: () => saveSvg(plot, id) }, "Save SVG"));
  const head = el("figcaption", {}, el("h3", {}, chart.title), chart.caption ? el("p", {}, chart.caption) : null);
  const note = el("p", { class: "near" });
  head.append(note);
  const figure = el("figure", { "data-chart": chart.name }, head, plot, tools);
  place.append(figure);
  let seen = false;

  function draw() {
    if (!seen) return;
    state.width = plot.clientWidth;
    const drawn = DRAW[chart.kind.is](section, chart, passing(section), state);
    plot.classList.toggle("empty", drawn == null);
    if (drawn == null) {
      if (plot.data) Plotly.purge(plot);
      note.textContent = "";
      plot.textContent = passing(section).length === 0 ? "No contender is chosen that this could draw." : "The rows below have nothing for this chart.";
      plot.setAttribute("aria-label", "No chart");
      return;
    }
    if (!plot.data) plot.textContent = "";
    const { instead } = choice(section);
    const near = instead.map(({ key, shown }) => inWords(key, shown)).join(", ");
    note.textContent = near === "" ? "" : `Drawn for ${near}, the nearest there is.`;
    plot.setAttribute("aria-label", `${chart.title}. ${note.textContent} ${drawn.words}`);
    plot.dataset.rows = String(passing(section).length);
    const fresh = !plot.data;
    Plotly.react(plot, drawn.traces, drawn.layout, CONFIG);
    if (fresh) {
      plot.on("plotly_click", ({ points }) => {
        const found = points[0]?.customdata;
        if (found) showOrigin(rowTitle(found[0]), section.columns[found[1]], found[0].cells[found[1]]);
      });
    }
  }

  listeners.push(draw);
  painters.push(draw);
  whenNear(figure, () => {
    seen = true;
    draw();
    // Where a phone is turned, names break elsewhere.
    new ResizeObserver(() => plot.clientWidth !== state.width && draw()).observe(plot);
  });
}

/** Draws what is about to be seen, so that a long page opens at once. */
function whenNear(node, then) {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      then();
    },
    { rootMargin: "800px" },
  );
  observer.observe(node);
}
