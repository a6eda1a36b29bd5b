// What all other files use: the data, colours, text.

const data = JSON.parse(document.getElementById("data").textContent);

/** Says something to those who do not see it happen. */
function say(text) {
  document.getElementById("status").textContent = text;
}

/** The library's texts know a few tags; these are none. */
function plain(text) {
  return String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

/** `text` shortened in its middle to at most `most` characters. */
function short(text, most) {
  return text.length <= most ? text : `${text.slice(0, most - 6)}…${text.slice(-5)}`;
}

/** A number with few digits, for axes' ends and summaries. */
function rounded(value) {
  return value.toLocaleString("en", { maximumSignificantDigits: 4 });
}

// Eight colours that most colour-blind readers tell apart, on light paper and on dark.
const PALETTES = {
  light: ["#0b62c4", "#d1560a", "#0f8464", "#a3378c", "#8a6d00", "#3a3f9e", "#b3263a", "#4c6a78", "#5b8c2a", "#7a4b2a"],
  dark: ["#6fb0ff", "#ff9d5c", "#4fd0a6", "#e58ad0", "#e0c04a", "#a3a7ff", "#ff8391", "#9fbfcc", "#a6d86e", "#d6a583"],
};

const system = matchMedia("(prefers-color-scheme: dark)");

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : system.matches;
}

/** The colours of the moment. */
function colours() {
  const dark = isDark();
  return {
    series: PALETTES[dark ? "dark" : "light"],
    ink: dark ? "#e6e8ec" : "#1b1e24",
    soft: dark ? "#a0a8b5" : "#596070",
    line: dark ? "#2c3139" : "#e3e5e9",
    card: dark ? "#1a1d22" : "#ffffff",
    // For columns that go together: one hue, from light to strong.
    shades: dark ? ["#b9d8ff", "#6fa8ee", "#3a70b8"] : ["#a9cbf2", "#4a8fdc", "#0b4a94"],
    floor: dark ? "#ff8391" : "#b3263a",
  };
}

const contenders = [...new Set(data.sections.flatMap((section) => section.rows.map((row) => row.contender)))];

/** Each contender has one colour on the whole page. */
function colourOf(contender) {
  const { series } = colours();
  return series[Math.max(0, contenders.indexOf(contender)) % series.length];
}

/** What redraws when colours change. */
const painters = [];
function repaint() {
  painters.forEach((paint) => paint());
}
