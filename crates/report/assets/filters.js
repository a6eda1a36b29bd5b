// Which rows are shown: by chip, memory setting, optimisation level and contender, for all experiments at once.

const filter = { chip: null, memory: null, opt: null, hidden: new Set() };
const listeners = [];

// What may be set, and how far a row of another setting is from the one that was asked for: another chip is another machine.
const SETTINGS = [
  { key: "chip", distance: 8, wanted: () => filter.chip, has: (row) => row.chip != null },
  { key: "variant", distance: 4, wanted: (section) => section.variant ?? null, has: () => true },
  { key: "opt", distance: 2, wanted: () => filter.opt, has: (row) => row.chip != null && row.opt !== "" },
  { key: "memory", distance: 1, wanted: () => filter.memory, has: (row) => row.memory != null },
];

/** The settings of a row that are not those asked for. What has no chip has no memory setting and no level to ask for. */
function unlike(section, row) {
  return SETTINGS.filter(({ key, wanted, has }) => has(row) && wanted(section) != null && row[key] !== wanted(section));
}

/** The rows of a section that pass, or else those nearest to what was asked for, with what these have instead. */
function choice(section) {
  const rows = section.rows.filter((row) => !filter.hidden.has(row.contender));
  const exact = rows.filter((row) => unlike(section, row).length === 0);
  if (exact.length > 0 || rows.length === 0) return { rows: exact, instead: [] };
  const distance = (row) => unlike(section, row).reduce((sum, each) => sum + each.distance, 0);
  const nearest = rows.reduce((best, row) => (distance(row) < distance(best) ? row : best));
  const keys = unlike(section, nearest).map(({ key }) => key);
  const same = (row) => distance(row) === distance(nearest) && keys.every((key) => row[key] === nearest[key]);
  return { rows: rows.filter(same), instead: keys.map((key) => ({ asked: SETTINGS.find((each) => each.key === key).wanted(section), shown: nearest[key], key })) };
}

/** The rows of a section to show. */
function passing(section) {
  return choice(section).rows;
}

/** A setting in words. */
function inWords(key, value) {
  return key === "opt" ? `optimised ${value}` : key === "memory" ? `memory ${value}` : value;
}

/** A choice among a section's variants, where it has several. */
function makeVariants(section, place) {
  const values = [...new Set(section.rows.map((row) => row.variant))];
  if (section.variantName === "" || values.length < 2) return;
  section.variant = section.allVariants ? null : values[0];
  const options = [...values.map((value) => el("option", { value }, value)), el("option", { value: "" }, "all")];
  const select = el("select", { id: `${section.name}-variant` }, ...options);
  select.value = section.variant ?? "";
  select.addEventListener("change", () => {
    section.variant = select.value === "" ? null : select.value;
    changed();
  });
  place.before(el("p", { class: "variant" }, el("label", { class: "pick" }, section.variantName, select)));
}

function changed() {
  listeners.forEach((listener) => listener());
  const all = data.sections.reduce((sum, section) => sum + section.rows.length, 0);
  const left = data.sections.reduce((sum, section) => sum + passing(section).length, 0);
  say(`${left} of ${all} rows are shown`);
}

function makeFilters() {
  const rows = data.sections.flatMap((section) => section.rows).filter((row) => row.chip != null);
  const choices = (key) => [...new Set(rows.map((row) => row[key]))].filter((value) => value != null && value !== "");
  const parts = [];
  const pick = (key, label, all, preferred) => {
    const values = choices(key);
    if (values.length < 2) return;
    filter[key] = values.includes(preferred) ? preferred : values[0];
    const options = [...values.map((value) => el("option", { value }, value)), el("option", { value: "" }, all)];
    const select = el("select", { id: `filter-${key}` }, ...options);
    select.value = filter[key];
    select.addEventListener("change", () => {
      filter[key] = select.value === "" ? null : select.value;
      changed();
    });
    parts.push(el("label", { class: "pick" }, label, select));
  };
  pick("chip", "Chip", "all chips");
  pick("opt", "Optimised", "all levels", "3");
  pick("memory", "Memory", "all settings", "equal");
  if (contenders.length > 1) {
    const toggle = (name) => {
      const box = el("input", { type: "checkbox", value: name, checked: true });
      box.addEventListener("change", () => {
        if (box.checked) filter.hidden.delete(name);
        else filter.hidden.add(name);
        changed();
      });
      const dot = el("i", { "aria-hidden": "true" });
      painters.push(() => (dot.style.color = colourOf(name)));
      return el("label", { class: "toggle" }, box, el("span", {}, dot, name));
    };
    const list = el("div", {}, ...contenders.map(toggle));
    const count = el("span", {}, "");
    const told = () => (count.textContent = filter.hidden.size === 0 ? `all ${contenders.length}` : `${contenders.length - filter.hidden.size} of ${contenders.length}`);
    listeners.push(told);
    told();
    const all = (shown) => () => {
      list.querySelectorAll("input").forEach((box) => (box.checked = shown));
      filter.hidden = new Set(shown ? [] : contenders);
      changed();
    };
    const both = el("div", { class: "both" }, el("button", { type: "button", class: "quiet", onclick: all(true) }, "All"), el("button", { type: "button", class: "quiet", onclick: all(false) }, "None"));
    const box = el("fieldset", { class: "names" }, el("legend", { class: "hidden" }, "Contenders"), list, both);
    parts.push(el("details", {}, el("summary", {}, "Contenders ", count), box));
  }
  if (parts.length === 0) return;
  const form = document.getElementById("filters");
  form.append(el("div", { class: "wide" }, ...parts));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
}
