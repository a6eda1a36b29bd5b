// A run that the core is asked for: its fields of clock and layout, the command that does the same, and what its attached devices have to
// show. For every page.

/** `text` as a word of a shell. */
const quoted = (text) => (/^[\w./:=@,+-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`);

/** The lines of `text` that say something. */
const said = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);

/** A field of a form, called `id`, with its label and a remark. */
const labelled = (id, label, node, more) => el("div", { class: "field" }, el("label", { for: id }, label), node, more ? el("small", {}, more) : null);

/** The fields of the clock and of the layout; `id` names each in the page. Once the next layout is asked for, `begin` is called. */
function variantFields(id, begin) {
  const input = (name) => el("input", { type: "text", id: id(name), spellcheck: "false", autocomplete: "off" });
  const [clock, layout] = [input("clock"), input("layout")];
  const next = el("button", { type: "button", class: "quiet", onclick: () => {
    const [, number, seed] = /^(\d*)(:\d+)?$/.exec(layout.value.trim()) ?? [];
    layout.value = `${Number(number ?? 0) + 1}${seed ?? ""}`;
    begin();
  } }, "Next");
  return {
    clock,
    layout,
    nodes: [
      labelled(id("clock"), "Clock in hertz", clock, "of the board’s crystal or, without one, of the core; empty: its own"),
      labelled(id("layout"), "Layout of the code", el("div", { class: "with-button" }, layout, next), "such as 7, or 7:2 with a seed; empty: as it was linked"),
    ],
  };
}

/** The clock and the layout in the fields as a request has them: none where a field is empty. */
const variantOf = ({ clock, layout }) => Object.fromEntries(Object.entries({ clock, layout }).map(([name, node]) => [name, node.value.trim()]).filter(([, value]) => value));

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
