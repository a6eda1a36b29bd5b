// A run that the core is asked for: the command that does the same, and what its attached devices have to show. For every page.

/** `text` as a word of a shell. */
const quoted = (text) => (/^[\w./:=@,+-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`);

/** The lines of `text` that say something. */
const said = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);

/** The options of `command` that `asked` has, as words. */
function optionsOf(command, asked) {
  const words = [];
  const option = (name, values) => values.filter(Boolean).forEach((value) => words.push(name, quoted(value)));
  option("--chip", [asked.chip]);
  option("--attach", asked.attach ?? []);
  option("--clock", [asked.clock]);
  option("--layout", [asked.layout]);
  option("--memory", [asked.memory]);
  option("--for", [asked.for]);
  option("--stimulus", asked.stimulus);
  option("--span", command === "measure" ? asked.span : []);
  option("--until", [asked.until]);
  if (asked.guest_handles_faults) words.push("--guest-handles-faults");
  return words;
}

/** The command that gives the same records. */
function measureOf(asked, more = []) {
  const words = ["cyclescope", "measure", quoted(asked.name), ...optionsOf("measure", asked), ...more];
  // The command wants something to measure or to write.
  if (asked.span.length === 0) words.push("--vcd", "run.vcd");
  return `${words.join(" ")} --format json`;
}

/** Hands `bytes`, as base64, to the reader as a file. */
function savedBytes(name, letters) {
  const bytes = Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
  const address = URL.createObjectURL(new Blob([bytes]));
  el("a", { href: address, download: name.split(/[\\/]/).pop() }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** What `devices` showed and kept, as elements. */
function devicesShown(devices) {
  const time = (picoseconds) => `${(picoseconds / 1e9).toLocaleString("en", { minimumFractionDigits: 3, maximumFractionDigits: 3 })} ms`;
  const strip = ({ name, pictures, left_out: out }) => {
    const more = out > 0 ? ` ${out.toLocaleString("en")} before the last are left out.` : "";
    const picture = ({ at, png }) => el("li", {}, el("img", { src: `data:image/png;base64,${png}`, alt: `${name} at ${time(at)}` }), el("span", {}, time(at)));
    return el("figure", { class: "strip", "aria-label": `The pictures on ${name}` },
      el("figcaption", {}, el("h3", {}, `What ${name} showed`), el("p", {}, `Each with the time since reset at which it was there.${more}`)),
      el("ol", { tabindex: "0" }, ...pictures.map(picture)));
  };
  const keep = ({ name, saved }) => el("button", { type: "button", class: "quiet", onclick: () => savedBytes(...saved) }, `Save ${saved[0]} of ${name}`);
  const kept = devices.filter(({ saved }) => saved);
  return [...devices.filter(({ pictures }) => pictures.length > 0).map(strip), kept.length > 0 ? el("p", { class: "tools" }, ...kept.map(keep)) : null].filter(Boolean);
}
