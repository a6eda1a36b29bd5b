// Unpacks the charting library, starts it, and puts everything in its place.

/** The library's text, which the page carries as base64 of a gzip file. */
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

function theme() {
  const button = document.getElementById("theme");
  const names = { "": "as the system", light: "light", dark: "dark" };
  const order = ["", "light", "dark"];
  let chosen = "";
  button.addEventListener("click", () => {
    chosen = order[(order.indexOf(chosen) + 1) % order.length];
    if (chosen === "") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
    button.textContent = `Theme: ${names[chosen]}`;
    repaint();
  });
  system.addEventListener("change", repaint);
}

async function begin() {
  makeFilters();
  theme();
  const places = [...document.querySelectorAll("[data-section]")];
  for (const place of places) {
    const section = data.sections[Number(place.dataset.section)];
    makeVariants(section, place.querySelector(".charts"));
    makeTable(section, place.querySelector(".table"));
  }
  repaint();
  const packed = document.getElementById("library");
  const script = el("script");
  script.textContent = await unpacked(packed.textContent);
  packed.remove();
  document.head.append(script);
  for (const place of places) {
    const section = data.sections[Number(place.dataset.section)];
    for (const chart of section.charts) makeChart(section, chart, place.querySelector(".charts"));
  }
  for (const place of document.querySelectorAll("[data-run]")) {
    const run = data.runs[Number(place.dataset.run)];
    if (run.timeline) makeTimeline(run, place.querySelector(".charts"));
    if (run.flame) makeFlame(run, place.querySelector(".charts"));
    makeAgain(run, place.querySelector(".again"));
  }
  recall();
  document.documentElement.dataset.ready = "true";
}

begin();
