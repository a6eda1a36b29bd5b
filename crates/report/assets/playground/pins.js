// A run's pins, exceptions and sleep over time. Wheel and buttons zoom, dragging moves, a click sets a mark to measure from.

const LANE = 30;
const NAMES = 130;

/** The index of the first of the sorted `values` that is at least `value`. */
function firstFrom(values, value) {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Seconds in the unit that gives them at least one whole digit. */
function lasting(seconds) {
  const size = Math.abs(seconds);
  const [unit, scale] = size < 1e-6 ? ["ns", 1e9] : size < 1e-3 ? ["µs", 1e6] : size < 1 ? ["ms", 1e3] : ["s", 1];
  return `${(seconds * scale).toLocaleString("en", { maximumFractionDigits: 3 })} ${unit}`;
}

function makePins(timeline, place) {
  const { lanes, clocks, from, to } = timeline;
  const seconds = (cycle) => {
    const [since, start, million] = clocks.findLast(([since]) => since <= cycle) ?? clocks[0];
    return (start + ((cycle - since) * million) / 1e6) / 1e12;
  };
  let [left, right] = [from, Math.max(to, from + 1)];
  let mark = null;
  const canvas = el("canvas", { tabindex: 0, role: "img", "aria-label": `${lanes.length} lanes from cycle ${from} to ${to}` });
  const cursor = el("p", { class: "cursor" });
  const whole = () => {
    [left, right] = [from, Math.max(to, from + 1)];
    draw();
  };
  const zoom = (factor, at = (left + right) / 2) => {
    const length = Math.min(Math.max((right - left) * factor, 10), to - from + 1);
    left = Math.max(from, at - ((at - left) / (right - left)) * length);
    right = Math.min(left + length, Math.max(to, from + 1));
    left = Math.max(from, right - length);
    draw();
  };
  const move = (cycles) => {
    const length = right - left;
    left = Math.min(Math.max(from, left + cycles), Math.max(from, to - length));
    right = left + length;
    draw();
  };
  const tools = el("div", { class: "tools" },
    el("button", { type: "button", class: "quiet", onclick: () => zoom(0.5) }, "Closer"),
    el("button", { type: "button", class: "quiet", onclick: () => zoom(2) }, "Further"),
    el("button", { type: "button", class: "quiet", onclick: whole }, "The whole run"));

  function draw() {
    const width = Math.max(canvas.clientWidth, 300);
    const height = lanes.length * LANE + 24;
    const dense = devicePixelRatio || 1;
    [canvas.width, canvas.height] = [width * dense, height * dense];
    canvas.style.height = `${height}px`;
    const pen = canvas.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name);
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const [ink, soft, line, accent] = dark ? ["#e6e8ec", "#a0a8b5", "#2c3139", "#74b2ff"] : ["#1b1e24", "#596070", "#e3e5e9", "#0b62c4"];
    pen.scale(dense, dense);
    pen.clearRect(0, 0, width, height);
    pen.font = `12px ${colour("--mono") || "monospace"}`;
    const room = width - NAMES - 8;
    const x = (cycle) => NAMES + ((cycle - left) / (right - left)) * room;
    lanes.forEach((lane, index) => {
      const [top, bottom] = [index * LANE + 6, index * LANE + LANE - 6];
      pen.fillStyle = ink;
      pen.fillText(lane.name.length > 17 ? `${lane.name.slice(0, 16)}…` : lane.name, 0, bottom - 4);
      pen.strokeStyle = line;
      pen.beginPath();
      pen.moveTo(NAMES, index * LANE + LANE - 0.5);
      pen.lineTo(width, index * LANE + LANE - 0.5);
      pen.stroke();
      pen.strokeStyle = accent;
      pen.fillStyle = accent;
      let next = firstFrom(lane.changes, left);
      let high = lane.high !== (next % 2 === 1);
      let at = NAMES;
      pen.beginPath();
      pen.moveTo(at, high ? top : bottom);
      while (next < lane.changes.length && lane.changes[next] <= right) {
        const here = x(lane.changes[next]);
        // All changes within one column are one line.
        const after = firstFrom(lane.changes, left + ((Math.floor(here) + 1 - NAMES) / room) * (right - left));
        pen.lineTo(here, high ? top : bottom);
        const count = Math.max(1, after - next);
        if (count > 1) {
          pen.lineTo(here, top);
          pen.lineTo(here, bottom);
        }
        high = high !== (count % 2 === 1);
        pen.lineTo(here, high ? top : bottom);
        next += count;
        at = here;
      }
      pen.lineTo(x(Math.min(right, to)), high ? top : bottom);
      pen.stroke();
    });
    pen.fillStyle = soft;
    pen.fillText(lasting(seconds(Math.round(left))), NAMES, height - 6);
    const end = lasting(seconds(Math.round(right)));
    pen.fillText(end, width - pen.measureText(end).width, height - 6);
    if (mark !== null && mark >= left && mark <= right) {
      pen.fillRect(x(mark), 0, 1, height - 20);
    }
  }

  /** The change nearest to a place in the picture, or the cycle there. */
  function near(event) {
    const box = canvas.getBoundingClientRect();
    const room = box.width - NAMES - 8;
    const at = left + ((event.clientX - box.left - NAMES) / room) * (right - left);
    const lane = lanes[Math.floor((event.clientY - box.top) / LANE)];
    const reach = (6 / room) * (right - left);
    const found = lane?.changes ?? [];
    const index = firstFrom(found, at);
    const [best] = [found[index - 1], found[index]]
      .filter((change) => change !== undefined && Math.abs(change - at) <= reach)
      .sort((a, b) => Math.abs(a - at) - Math.abs(b - at));
    return { cycle: best ?? Math.round(Math.min(Math.max(at, from), to)), lane };
  }

  let dragged = null;
  canvas.addEventListener("pointerdown", (event) => {
    dragged = { x: event.clientX, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (dragged && Math.abs(event.clientX - dragged.x) > 3) {
      const room = canvas.clientWidth - NAMES - 8;
      move(((dragged.x - event.clientX) / room) * (right - left));
      dragged = { x: event.clientX, moved: true };
      return;
    }
    const { cycle, lane } = near(event);
    const apart = mark === null ? "" : `; ${Math.abs(cycle - mark).toLocaleString("en")} cycles (${lasting(Math.abs(seconds(cycle) - seconds(mark)))}) from the mark`;
    cursor.textContent = `${lane ? `${lane.name}: ` : ""}cycle ${cycle.toLocaleString("en")}, ${lasting(seconds(cycle))}${apart}`;
  });
  canvas.addEventListener("pointerup", (event) => {
    if (dragged && !dragged.moved) {
      mark = near(event).cycle;
      draw();
    }
    dragged = null;
  });
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && Math.abs(event.deltaX) > Math.abs(event.deltaY)) move((event.deltaX / canvas.clientWidth) * (right - left));
    else zoom(event.deltaY > 0 ? 1.25 : 0.8, near(event).cycle);
    event.preventDefault();
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const step = (right - left) / 10;
    const keys = { ArrowLeft: () => move(-step), ArrowRight: () => move(step), "+": () => zoom(0.5), "-": () => zoom(2), 0: whole };
    if (keys[event.key]) {
      keys[event.key]();
      event.preventDefault();
    }
  });
  place.replaceChildren(canvas, cursor, tools);
  new ResizeObserver(draw).observe(canvas);
  draw();
}
