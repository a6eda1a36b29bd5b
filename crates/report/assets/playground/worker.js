// The worker: it has the core, and carries out one job at a time. The page ends it to stop a run.

/** The time between two messages of output or progress, in milliseconds. */
const PERIOD = 100;

/** Output on its way to the page, which has it in pieces of some size. */
class Outlet {
  pieces = [];
  sent = performance.now();

  put(bytes) {
    this.pieces.push(bytes);
    if (performance.now() - this.sent >= PERIOD) this.flush();
  }

  flush() {
    if (this.pieces.length > 0) postMessage({ kind: "output", pieces: this.pieces });
    this.pieces = [];
    this.sent = performance.now();
  }
}

/** The core, unpacked and compiled. */
async function compiled({ unpacker: own, packed }) {
  await unpacker({ module_or_path: own });
  return WebAssembly.compile(unpacker.unpack(new Uint8Array(packed)));
}

/** Starts the core: compiled, as an earlier worker handed it over, or as the page carries it. */
async function start({ module, parts }) {
  const own = module ?? (await compiled(parts));
  if (!module) postMessage({ kind: "compiled", module: own });
  await wasm_bindgen({ module_or_path: own });
  postMessage({ kind: "ready", tool: wasm_bindgen.tool(), chips: JSON.parse(wasm_bindgen.chips()), devices: JSON.parse(wasm_bindgen.devices()) });
}

function inspect({ name, file }) {
  postMessage({ kind: "inspected", facts: JSON.parse(wasm_bindgen.inspect(name, new Uint8Array(file))) });
}

function run({ requests, file, beside }) {
  const bytes = new Uint8Array(file);
  const others = beside.map(([name, content]) => [name, new Uint8Array(content)]);
  // What was typed in a run of `exec` comes at the same cycles in those behind it.
  let typed = [];
  for (const [step, request] of requests.entries()) {
    const outlet = new Outlet();
    let told = performance.now();
    const begun = performance.now();
    const progress = (cycle, picoseconds) => {
      const now = performance.now();
      if (now - told >= PERIOD) {
        told = now;
        outlet.flush();
        postMessage({ kind: "progress", step, cycle, picoseconds });
      }
      return false;
    };
    // The same run each time: its output is shown once.
    const output = step === 0 ? (piece) => outlet.put(piece) : () => {};
    const asked = { ...request, stimulus: [...request.stimulus, ...typed] };
    const answer = wasm_bindgen.run(JSON.stringify(asked), bytes, others, output, progress);
    if (request.command === "exec") typed = JSON.parse(answer).typed ?? [];
    outlet.flush();
    postMessage({ kind: "answer", step, answer, milliseconds: performance.now() - begun });
  }
  postMessage({ kind: "done" });
}

const JOBS = { start, inspect, run };

onmessage = async ({ data }) => {
  try {
    await JOBS[data.kind](data);
  } catch (error) {
    let words = "";
    try {
      words = wasm_bindgen.panicked();
    } catch {
      // The core could not even be started.
    }
    postMessage({ kind: "failed", text: words || String(error) });
  }
};
