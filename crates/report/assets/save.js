// Files out of the page.

function save(name, type, content) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = el("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  // Browsers read what they save after this returns; a busy one much after.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
  say(`Saved ${name}`);
}

/** A field of CSV. What a spreadsheet would take for a formula gets a quote in front. */
function field(value) {
  let text = value == null ? "" : String(value);
  if (/^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text))) text = `'${text}`;
  return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

function csv(rows) {
  return rows.map((row) => row.map(field).join(",")).join("\r\n") + "\r\n";
}

/** Saves what a plot shows as SVG. */
async function saveSvg(plot, name) {
  const url = await Plotly.toImage(plot, { format: "svg", width: plot.clientWidth, height: plot.clientHeight });
  save(`${name}.svg`, "image/svg+xml", decodeURIComponent(url.slice(url.indexOf(",") + 1)));
}
