const $ = (id) => document.getElementById(id);
const escaped = (text) => text.replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]);
const counted = (n) => n.toLocaleString("en");
const plural = (n, what) => `${counted(n)} ${what}${n === 1 ? "" : "s"}`;
const made = (markup) => { const t = document.createElement("template"); t.innerHTML = markup; return t.content.firstElementChild; };

async function read() {
  const held = $("data");
  if (held.dataset.kind === "plain") return JSON.parse(held.textContent);
  if (!("DecompressionStream" in window)) throw new Error("This page is compressed; a browser of 2023 or later opens it.");
  const bytes = Uint8Array.from(atob(held.textContent), (c) => c.charCodeAt(0));
  const data = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
  unpack(data, data.lines.split("\n"));
  return data;
}

// Code is packed as rows of a table of lines, and the numbers that stand in them, each less the one before
function unpack(node, lines) {
  if (node.rows) {
    let row = 0, at = 0, number = 0;
    node.text = node.rows.map((step) => lines[row += step].replace(/\0/g, () => number += node.numbers[at++])).join("\n");
    delete node.rows; delete node.numbers;
  }
  for (const each of Object.values(node)) if (each && typeof each === "object") unpack(each, lines);
}

// Colours of code: one pass over a line

const MLIR = /("(?!weft\.)(?:[^"\\]|\\.)*")|(\/\/.*$|^;.*$)|(\b(?:tensor|memref|vector)<[^<>]*(?:<[^<>]*>[^<>]*)*>|\b[iuf]\d+\b|\bindex\b|!llvm\.[\w<>]+)|("?\b[a-z_]\w*(?:\.[a-z_]\w*)+"?)|((?:dense<)?-?\b\d[\w.+]*)/g;
const LLVM = /("[^"]*")|(;.*$)|(<\d+ x \w+>|\bi\d+\b|\bptr\b|\bfloat\b|\bdouble\b|\bhalf\b)|(\b(?:define|call|load|store|br|ret|phi|getelementptr|f?add|f?sub|f?mul|[fsu]div|icmp|fcmp|select|shufflevector|insertelement|extractelement|zext|sext|trunc|bitcast|alloca|and|or|xor|shl|[al]shr|switch|tail)\b)|(-?\b\d[\w.+]*)/g;
const ASM = /("[^"]*")|((?:#|\/\/).*$)|(%\w+|\b[vqxwdsr]\d+\b(?:\.\w+)?|\bU?[RP](?:\d+|Z|T)\b(?:\.\w+)?)|(^\s*[a-z][^\s:(%,]*|(?<=^\s*(?:[\da-f]{4,}\s+)?(?:@\S+\s+)?)[A-Za-z][\w.]*)|([$#]?-?\b0?x?[\da-f]+\b)/g;
const PYTHON = /("""[\s\S]*?"""|'''[\s\S]*?'''|[rbfRBF]{0,2}"(?:[^"\\]|\\.)*"|[rbfRBF]{0,2}'(?:[^'\\]|\\.)*')|(#.*$)|(^\s*@[\w.]+)|(\b(?:def|class|return|if|elif|else|for|while|in|not|and|or|is|lambda|with|as|import|from|try|except|finally|raise|assert|pass|break|continue|None|True|False|yield|global|nonlocal|match|case|del|async|await)\b)|(\b\d[\w.]*)/g;
const CLASSES = { mlir: ["s", "c", "y", "o", "d"], python: ["s", "c", "y", "kw", "d"], asm: ["s", "c", "y", "o", "d"] };

function coloured(text, kind) {
  const pattern = { mlir: MLIR, python: PYTHON, asm: ASM, llvm: LLVM }[kind], names = CLASSES[kind] ?? CLASSES.mlir;
  let out = "", last = 0;
  for (const match of text.matchAll(pattern)) {
    const group = match.slice(1).findIndex((part) => part !== undefined);
    out += escaped(text.slice(last, match.index)) + `<span class="${names[group]}">${escaped(match[0])}</span>`;
    last = match.index + match[0].length;
  }
  return out + escaped(text.slice(last));
}

function page(data) {
  const { places, sets, files } = data;
  const state = { place: null, line: null, shown: [], active: 0, chosen: {}, pass: 0, rewrite: -1, all: false, graph: false, at: -1 };
  const numberOf = new Map(places.map(([file, line], number) => [`${file}:${line}`, number]));

  // A colour for each line that became something, in the order of the files
  const colour = new Map();
  places.map((place, number) => [place, number]).sort(([a], [b]) => a[0] - b[0] || a[1] - b[1])
    .forEach(([, number], order) => colour.set(number, `--c:var(--c${order % 8})`));

  const stages = [
    { name: "overview", title: "Overview", help: "what it costs, and what was decided about all of it" },
    ...data.stages.map((stage) => ({ ...stage, title: stage.name === "optimized-llvm" ? "llvm" : stage.name })),
    ...data.machine.map((stage) => ({ ...stage, title: stage.name === "asm" ? "assembly" : stage.name, isMachine: true })),
    ...(data.passes.length ? [{ name: "passes", title: "Passes", help: `${counted(data.passes.length)} passes changed something` }] : []),
  ];
  for (const stage of data.machine) {
    // What no line of the program became stands behind the rest
    for (const f of stage.functions) f.isAround = !f.links.some((set) => set);
    if (stage.functions.every((f) => f.isAround)) stage.functions.forEach((f) => { f.isAround = false; });
    stage.functions.sort((a, b) => a.isAround - b.isAround);
  }
  const stageOf = (name) => stages.find((stage) => stage.name === name);

  function placeText(number) {
    const [file, line] = places[number];
    return file === 0 ? `line ${line}` : `${files[file].name}:${line}`;
  }
  const link = (number) => `<a data-place="${number}">${escaped(placeText(number))}</a>`;

  // Lines of code, and which of them belong to a place

  function lineMarkup(text, set, kind, extra = "", data = "") {
    const here = sets[set];
    const known = here.length ? ` k" style="${colour.get(here[0])}` : "";
    const told = kind === "asm" ? meaning(text) : "";
    return `<div class="l${extra}${known}" data-set="${set}"${data}${told && ` title="${told}"`}>${coloured(text, kind)}</div>`;
  }

  function codeMarkup(thing, kind, more = () => []) {
    // Lines, or a graph of them
    const lines = thing.text.split("\n"), lineOf = (i) => lineMarkup(lines[i], thing.links[i], kind, ...more(i));
    if (!state.graph) return `<div class="code">${lines.map((_, i) => lineOf(i)).join("")}</div>`;
    const found = graphsOf(lines, kind).filter((graph) => graph.nodes.flat().some((i) => thing.links[i]));
    return `<div class="code graph">${found.map((graph) => graphMarkup(graph, lines, lineOf)).join("")}</div>`;
  }

  const has = (set, place) => place !== null && sets[set].includes(place);

  function sourceMarkup() {
    const notes = new Map();
    for (const note of data.notes) if (note.place !== null) notes.set(note.place, [...(notes.get(note.place) ?? []), note]);
    return files.map((file, number) => {
      const parts = file.parts.map(([first, lines]) => lines.map((text, i) => {
        const place = numberOf.get(`${number}:${first + i}`), said = notes.get(place) ?? [];
        const known = place === undefined ? "" : ` k" data-place="${place}" style="${colour.get(place)}`;
        const dot = said.length ? `<span class="said" title="${plural(said.length, "sentence")}">${said.length}</span>` : "";
        const shown = text || (place === undefined ? "" : "# this file is not on the machine that made the page");
        const below = said.length ? `<div class="notes" data-for="${place}" style="${colour.get(place)}">${said.map((note) => `<p class="${note.kind}">${sentence(note.text)}</p>`).join("")}</div>` : "";
        return `<div class="l${known}"><span class="n">${first + i}</span><span class="t">${coloured(shown, "python")}</span>${dot}</div>${below}`;
      }).join("")).join('<div class="cut">⋯</div>');
      const folder = file.path.slice(0, -file.name.length);
      return `<div class="file">${escaped(file.name)}<small>${escaped(folder)}</small></div><div class="code">${parts}</div>`;
    }).join("");
  }

  const sentence = (text) => escaped(text).replace(/`([^`]+)`/g, "<code>$1</code>");

  // What the panes hold

  function overviewMarkup() {
    const general = data.notes.filter((note) => note.place === null);
    const { cost, memory } = data;
    const figure = (n) => typeof n === "number" ? `<td>${counted(n)}</td>` : `<td class="formula">${escaped(n).replace(/\*+|, /g, "$&<wbr>")}</td>`;
    const rows = cost.kernels.map((kernel) => `<tr><td>${escaped(kernel.name)}</td>${kernel.figures.map(figure).join("")}<td class="w">${kernel.places.map(link).join(", ")}</td></tr>`);
    const size = (n) => n === null ? "known at run time" : counted(n);
    return `<div class="overview">
      ${general.length ? `<h2>In general</h2>${general.map((note) => `<p>${sentence(note.text)}</p>`).join("")}` : ""}
      <h2>What one call costs</h2>
      <div class="scroll"><table><tr><th>kernel</th><th>calls</th><th>operations</th><th>functions</th><th>bytes read</th><th>written</th><th class="w">for</th></tr>
      ${rows.join("")}<tr class="sum"><td>all</td>${cost.total.map(figure).join("")}<td></td></tr></table></div>
      ${cost.unknown.map((text) => `<p>Not exact: ${escaped(text.replace(/^\S*?([^/\\\s]+:\d+):/, "$1:"))}.</p>`).join("")}
      ${cost.device.map((text) => `<p>${escaped(text)}</p>`).join("")}
      ${cost.python.map(([name, line]) => `<p>Python is called: <code>${escaped(name)}</code>, ${escaped(line)}</p>`).join("")}
      <h2>Memory</h2>
      <div class="scroll"><table>${memory.sizes.map(([name, n]) => `<tr><td>${name}</td><td>${size(n)}${n === null ? "" : " bytes"}</td></tr>`).join("")}</table></div>
      <p>${plural(memory.blocks, "array")} whose size depends on data, ${plural(memory.copies, "copy").replace("copys", "copies")}.</p>
      ${[...new Set(memory.buffers.map(([where]) => where))].map((where) => pictureMarkup(where)).join("")}
      ${memory.buffers.length ? `<div class="scroll"><table><tr><th>intermediate</th><th>offset</th><th>bytes</th><th>needed</th><th class="w">for</th></tr>${memory.buffers.map(([where, offset, bytes, start, end, place]) => `<tr><td>${where}</td><td>${counted(offset)}</td><td>${counted(bytes)}</td><td>${start}–${end}</td><td class="w">${place === null ? "" : link(place)}</td></tr>`).join("")}</table></div>` : ""}
      <h2>Compile time${data.times.length ? `: ${counted(Math.round(data.total))} ms` : ""}</h2>
      ${data.times.length ? timesMarkup(data.times, 400) : "<p>It was not compiled here: it came from the disk cache.</p>"}
      ${data.llvm.length ? `<h3>LLVM's passes, all runs of each, in time of processors</h3>${timesMarkup(data.llvm.map(([name, ms]) => [0, name, ms]), 50)}` : ""}
      </div>`;
  }

  function timesMarkup(rows, most) {
    const longest = Math.max(...rows.filter(([depth]) => !depth).map(([, , ms]) => ms), 1e-9);
    const row = ([depth, name, ms]) => `<tr style="--d:${depth}"><td>${escaped(name)}</td><td>${ms.toFixed(1)} ms</td><td class="bar"><i style="width:${(100 * Math.min(ms / longest, 1)).toFixed(1)}%;opacity:${depth ? 0.45 : 1}"></i></td></tr>`;
    return `<table class="times">${rows.filter(([depth, , ms]) => depth < 2 && ms >= longest / most).map(row).join("")}</table>`;
  }

  function pictureMarkup(where) {
    const held = data.memory.buffers.filter((buffer) => buffer[0] === where && Number.isInteger(buffer[1]) && buffer[2]);
    const named = held.map((buffer) => [...buffer, `${buffer[5] === null ? where : placeText(buffer[5])}: ${counted(buffer[2])} bytes, steps ${buffer[3]} to ${buffer[4]}`]);
    return held.length > 1 ? `<p>${escaped(where)}, shared over the steps of a call:</p>${memoryMarkup(named, (place) => colour.get(place))}` : "";
  }

  function passesMarkup() {
    let stage = "", list = "";
    data.passes.forEach((pass, i) => {
      if (pass.stage !== stage) list += `<h3>to ${escaped(stage = pass.stage)}</h3>`;
      list += `<button data-pass="${i}"><span title="${escaped(pass.name)}">${escaped(pass.name)}</span><small>+${pass.added} −${pass.removed}</small></button>`;
    });
    list += data.unwatched.map((text) => `<p>${escaped(text)}</p>`).join("");
    return `<div class="two"><div class="list">${list}</div><div class="right"></div></div>`;
  }

  function passMarkup(pass, only) {
    const told = [`<b>${escaped(pass.name)}</b>${pass.options ? `{${escaped(pass.options)}}` : ""}`, ...(pass.ms ? [`${pass.ms} ms`] : []), `${plural(pass.added, "new line")}, ${counted(pass.removed)} gone`, ...pass.counts.map(escaped)];
    if (pass.left) told.push(`${plural(pass.left, "further line")} not kept`);
    const rule = (name, i) => `<button data-rewrite="${i}"${i === only ? ' class="on"' : ""}>${escaped(name)}</button>`;
    const rules = pass.rewrites.length ? `<div class="loops rules">${rule("all", -1)}${pass.rewrites.map(({ name }, i) => rule(name, i)).join("")}</div>` : "";
    const hunks = (pass.rewrites[only] ?? pass).hunks.map((hunk) => {
      const kinds = { "+": " add", "-": " del", " ": " same" };
      const by = (i) => { const made = pass.rewrites[hunk.rules?.[i]]; return made ? ` data-note="${escaped(made.name)}"` : ""; };
      const lines = hunk.text.split("\n").map((text, i) => lineMarkup(text, hunk.links[i], "mlir", kinds[hunk.kinds[i]], by(i)));
      return `<div class="where">${hunk.function ? `in @${escaped(hunk.function)}` : "outside of functions"}</div>${lines.join("")}`;
    });
    return `<div class="told">${told.map((t) => `<span>${t}</span>`).join("")}${rules}</div><div class="body"><div class="code">${hunks.join("")}</div></div>`;
  }

  function machineMarkup(stage) {
    if (!stage.functions.length) return `<div class="overview">${(stage.missing.length ? stage.missing : ["There is no code here."]).map((text) => `<p>${escaped(text)}</p>`).join("")}</div>`;
    const about = stage.name === "asm" ? "functions, bits of vectors" : stage.functions.some((f) => f.resources) ? "kernels, registers" : "kernels";
    let list = `<h3>${about}</h3>`, around = false;
    stage.functions.forEach((f, i) => {
      if (!around && f.isAround) list += "<h3>around them</h3>";
      around = f.isAround;
      list += `<button data-function="${i}"><span title="${escaped(f.name)}">${escaped(f.name)}</span><small>${f.bits || f.resources?.registers || ""}</small></button>`;
    });
    return `<div class="two"><div class="list">${list}</div><div class="right"></div></div>`;
  }

  function functionMarkup(stage, f) {
    const told = [`<b>${plural(f.instructions, "instruction")}</b>`];
    if (stage.name === "asm") {
      told.push(f.bits ? `<b>${f.bits}-bit</b> vectors` : "no vectors");
      told.push(f.spills ? `<em>${plural(f.spills, "spill")}</em>, ${plural(f.reloads, "reload")}` : "no spills");
    }
    if (f.resources) {
      const { registers, spilled, stack, shared } = f.resources;
      told.push(`<b>${plural(registers, "register")}</b> a thread`, spilled ? `<em>${counted(spilled)} bytes of spills</em>` : "no spills");
      if (stack) told.push(`<em>${counted(stack)} bytes</em> of stack`);
      if (shared) told.push(`${counted(shared)} bytes of shared memory`);
    }
    told.push(...stage.missing.map((text) => `<i>${escaped(text)}</i>`));
    const jumps = f.loops.map(([label, first, , read, written, , model]) => `<span><button data-line="${first}">${escaped(label.replace(/^\.?L/, ""))}</button> ${model ? `<b>${model[0]} cycles</b>, ` : ""}${counted(read)} B in, ${counted(written)} out</span>`);
    const listed = jumps.length ? `<div class="loops"><span>an iteration of</span>${jumps.join("")}</div>` : "";
    const loops = new Map(f.loops.map((loop) => [loop[1], loop]));
    const about = (i) => {
      const loop = loops.get(i);
      return loop ? [" loop", ` data-note="innermost loop: ${loop[2]} instructions, ${counted(loop[3])} bytes read and ${counted(loop[4])} written each time${loop[5] ? `, ${loop[5]}-bit vectors` : ""}${loop[6] ? `, ${loop[6][0]} cycles, limited by ${escaped(loop[6][1])}` : ""}"`] : [];
    };
    return `<div class="told">${told.map((t) => `<span>${t}</span>`).join("")}${listed}</div><div class="body">${codeMarkup(f, "asm", about)}</div>`;
  }

  // Panes

  const main = $("panes");
  const source = made('<section class="pane source" aria-label="Python"><div class="body"></div></section>');
  source.firstChild.innerHTML = sourceMarkup();
  const longest = Math.max(...files.flatMap((file) => file.parts.flatMap(([, lines]) => lines.map((line) => line.length))));
  source.style.setProperty("--source", `clamp(280px, ${Math.round(longest * 7.3 + 96)}px, 38%)`);
  main.append(source);

  function bar() {
    const drag = made('<div class="drag"></div>');
    drag.onpointerdown = (event) => {
      drag.setPointerCapture(event.pointerId);
      const left = drag.previousElementSibling;
      drag.onpointermove = (e) => { left.style.flex = `0 0 ${Math.max(e.clientX - left.getBoundingClientRect().left, 160)}px`; mark(); };
      drag.onpointerup = () => { drag.onpointermove = null; };
    };
    return drag;
  }

  function draw() {
    while (main.children.length > 1) main.lastChild.remove();
    state.active = Math.min(state.active, state.shown.length - 1);
    state.shown.forEach((name, i) => {
      const stage = stageOf(name);
      const pane = made(`<section class="pane" data-stage="${name}" aria-label="${stage.title}"><div class="head"><b>${stage.title}</b><span>${escaped(stage.help)}</span>${stage.text || stage.functions?.length ? `<button class="drawn" title="${state.graph ? "as text" : "as a graph"} (g)">${state.graph ? "text" : "graph"}</button>` : ""}${state.shown.length > 1 ? '<button class="close" title="close" aria-label="close">×</button>' : ""}</div></section>`);
      if (name === "overview") pane.append(made(`<div class="body">${overviewMarkup()}</div>`));
      else if (name === "passes") pane.append(made(passesMarkup()));
      else if (stage.isMachine) pane.append(made(machineMarkup(stage)));
      else pane.append(made(`<div class="body">${codeMarkup(stage, name === "optimized-llvm" ? "llvm" : "mlir")}</div>`));
      pane.append(made('<div class="ticks"></div>'));
      pane.addEventListener("pointerdown", () => activate(i));
      pane.querySelector(".drawn")?.addEventListener("click", (event) => { event.stopPropagation(); KEYS.g(); });
      pane.querySelector(".close")?.addEventListener("click", (event) => { event.stopPropagation(); state.shown.splice(i, 1); draw(); });
      main.append(bar(), pane);
      if (name === "passes") showPass(pane, passAbout());
      if (stage.isMachine && stage.functions.length) showFunction(pane, stage, state.chosen[name] ?? bestFunction(stage) ?? 0);
    });
    tabs();
    mark(true);
    address();
  }

  function showPass(pane, number, rewrite = -1) {
    Object.assign(state, { pass: number, rewrite });
    pane.querySelector(".right").innerHTML = passMarkup(data.passes[number], rewrite);
    choose(pane, `[data-pass="${number}"]`);
  }

  function showFunction(pane, stage, number) {
    state.chosen[stage.name] = number;
    pane.querySelector(".right").innerHTML = functionMarkup(stage, stage.functions[number]);
    choose(pane, `[data-function="${number}"]`);
  }

  function choose(pane, selector) {
    pane.querySelector(".list .on")?.classList.remove("on");
    const button = pane.querySelector(`.list ${selector}`);
    button.classList.add("on");
    into(button, button.closest(".list"));
  }

  const linesOf = (thing, place) => thing.links.reduce((n, set) => n + has(set, place), 0);

  function bestFunction(stage) {
    if (state.place === null) return null;
    const counts = stage.functions.map((f) => linesOf(f, state.place)), most = Math.max(...counts);
    return most ? counts.indexOf(most) : null;
  }

  function activate(i) {
    state.active = i;
    [...main.querySelectorAll(".pane:not(.source)")].forEach((pane, j) => pane.classList.toggle("active", i === j && state.shown.length > 1));
    tabs();
  }

  function tabs() {
    $("tabs").innerHTML = stages.map((stage, i) => `${stage.name === "passes" || i === 1 ? '<span class="gap"></span>' : ""}<button data-stage="${stage.name}" title="${escaped(stage.help)}" class="${state.shown.includes(stage.name) ? "shown" : ""} ${state.shown[state.active] === stage.name ? "active" : ""}">${stage.title}${i < 9 ? `<sup>${i + 1}</sup>` : ""}</button>`).join("");
  }

  function show(name, beside) {
    const at = state.shown.indexOf(name);
    if (beside && at >= 0 && state.shown.length > 1) state.shown.splice(at, 1);
    else if (at >= 0) state.active = at;
    else if (beside && state.shown.length < 3) state.active = state.shown.push(name) - 1;
    else state.shown[state.active] = name;
    draw();
  }

  // What belongs together

  function mark(scroll) {
    const { place } = state;
    for (const element of main.querySelectorAll(".sel, .via, .at")) element.classList.remove("sel", "via", "at");
    for (const element of source.querySelectorAll(".notes.on")) element.classList.remove("on");
    const style = place === null ? "" : colour.get(place);
    const own = place === null ? null : source.querySelector(`.l[data-place="${place}"]`);
    if (own) {
      own.classList.add("sel");
      source.querySelector(`.notes[data-for="${place}"]`)?.classList.add("on");
      if (scroll) into(own, source.firstChild);
    }
    for (const other of state.others ?? []) source.querySelector(`.l[data-place="${other}"]`)?.classList.add("via");
    for (const pane of main.querySelectorAll(".pane:not(.source)")) markPane(pane, style, scroll);
  }

  function markPane(pane, style, scroll) {
    const { place } = state, stage = stageOf(pane.dataset.stage);
    const lines = [...pane.querySelectorAll(".code .l")], found = lines.filter((line) => has(line.dataset.set, place));
    found.forEach((line) => { line.classList.add("sel"); line.style.cssText = style; });
    const together = runs(lines);
    const ticks = pane.querySelector(".ticks"), all = Math.max(lines.length, ticks.clientHeight / (lines[0]?.offsetHeight || 18));
    ticks.innerHTML = (state.graph ? [] : together).map(([start, n]) => `<i style="${style};top:${(100 * start / all).toFixed(2)}%;height:${(100 * n / all).toFixed(2)}%"></i>`).join("");
    const main = together.reduce((longest, run) => (run[1] > longest[1] ? run : longest), [0, 0])[0];
    if (scroll && found.length && !(state.line && pane.contains(state.line))) into(lines[main], pane.querySelector(".right .body") ?? pane.querySelector(".body"));
    const things = stage.isMachine ? stage.functions : pane.dataset.stage === "passes" ? data.passes : [];
    pane.querySelectorAll(".list button").forEach((button, i) => {
      const thing = things[i], n = place === null ? 0 : thing.hunks ? thing.hunks.reduce((sum, hunk) => sum + linesOf(hunk, place), 0) : linesOf(thing, place);
      button.classList.toggle("has", n > 0);
      button.style.cssText = n ? style : "";
    });
  }

  function runs(lines) {
    // Where chosen lines begin that follow each other, and how many they are
    const found = [];
    lines.forEach((line, i) => {
      if (!line.classList.contains("sel")) return;
      const last = found.at(-1);
      if (last && last[0] + last[1] === i) last[1] += 1;
      else found.push([i, 1]);
    });
    return found;
  }

  function into(element, scroller, always = false) {
    const block = element.closest(".block");
    if (block) { element.scrollIntoView({ block: "center", inline: "center" }); block.scrollLeft = 0; return; } // which shows lines from their beginning
    const box = element.getBoundingClientRect(), around = scroller.getBoundingClientRect();
    if (always || box.top < around.top + 40 || box.bottom > around.bottom - 30) scroller.scrollTop += box.top - around.top - around.height / 3;
  }

  function passAbout() {
    // The pass that is shown, if it changed what the chosen line became, or else the first that did
    const changed = (pass) => pass.hunks.some((hunk) => linesOf(hunk, state.place)), first = data.passes.findIndex(changed);
    return state.place === null || first < 0 || changed(data.passes[state.pass]) ? state.pass : first;
  }

  function select(place, line = null, others = []) {
    Object.assign(state, { place, line, others, at: -1 });
    for (const stage of stages.filter((stage) => stage.isMachine && state.shown.includes(stage.name))) {
      const pane = main.querySelector(`[data-stage="${stage.name}"].pane`), best = bestFunction(stage);
      if (best !== null && !pane.contains(line) && !linesOf(stage.functions[state.chosen[stage.name]], place)) showFunction(pane, stage, best);
    }
    const passes = main.querySelector('[data-stage="passes"].pane');
    if (passes && !passes.contains(line) && passAbout() !== state.pass) showPass(passes, passAbout());
    mark(true);
    address();
  }

  function step(by) {
    const all = [...source.querySelectorAll(".l.k")];
    const now = all.findIndex((line) => +line.dataset.place === state.place);
    const next = all[now < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(now + by, 0), all.length - 1)];
    if (next) select(+next.dataset.place);
  }

  function stepMatch(by) {
    const pane = main.querySelectorAll(".pane:not(.source)")[state.active], found = [...pane.querySelectorAll(".l.sel")];
    if (!found.length) return;
    pane.querySelector(".at")?.classList.remove("at");
    state.at = (state.at + by + found.length + (state.at < 0 && by < 0 ? 1 : 0)) % found.length;
    found[state.at].classList.add("at");
    into(found[state.at], pane.querySelector(".right .body") ?? pane.querySelector(".body"));
  }

  function stepList(by) {
    const panes = [...main.querySelectorAll(".pane:not(.source)")];
    const pane = [panes[state.active], ...panes].find((one) => one?.querySelector(".list"));
    const buttons = pane ? [...pane.querySelectorAll(".list button")] : [];
    buttons[buttons.findIndex((button) => button.classList.contains("on")) + by]?.click();
  }

  function stepRewrite(by) {
    const buttons = [...main.querySelectorAll("[data-rewrite]")];
    buttons[buttons.findIndex((button) => button.classList.contains("on")) + by]?.click();
  }

  // The address: #10/asm, #helpers.py:3/weft+asm

  function address() {
    if (location.protocol === "about:") return; // in a frame of a notebook
    const place = state.place === null ? "" : places[state.place][0] === 0 ? `${places[state.place][1]}` : `${files[places[state.place][0]].name}:${places[state.place][1]}`;
    const wanted = `#${place}/${state.shown.join("+")}${state.graph ? "/graph" : ""}`;
    if (location.hash !== wanted) history.replaceState(null, "", wanted);
  }

  function follow() {
    const [place, shown, drawn] = decodeURIComponent(location.hash.slice(1)).split("/");
    const match = /^(?:(.+):)?(\d+)$/.exec(place);
    const file = match && match[1] ? files.findIndex((one) => one.name === match[1]) : 0;
    const names = (shown ?? "").split("+").filter(stageOf).slice(0, 3);
    if (names.length) state.shown = names;
    state.graph = drawn === "graph";
    state.place = match ? numberOf.get(`${file}:${match[2]}`) ?? null : null;
    state.line = null;
    state.others = [];
    state.chosen = {};
    draw();
  }

  // Pointer and keys

  main.addEventListener("click", (event) => {
    const target = event.target;
    const place = target.closest("[data-place]"), line = target.closest(".code .l");
    if (target.closest("[data-pass]")) { const pane = target.closest(".pane"); showPass(pane, +target.closest("[data-pass]").dataset.pass); mark(true); }
    else if (target.closest("[data-rewrite]")) { showPass(target.closest(".pane"), state.pass, +target.closest("[data-rewrite]").dataset.rewrite); mark(true); }
    else if (target.closest("[data-function]")) { const pane = target.closest(".pane"); showFunction(pane, stageOf(pane.dataset.stage), +target.closest("[data-function]").dataset.function); mark(true); }
    else if (target.closest("[data-line]")) into(target.closest(".right").querySelectorAll(".code .l")[+target.closest("[data-line]").dataset.line], target.closest(".right").querySelector(".body"), true);
    else if (getSelection().toString()) return;
    else if (place) select(+place.dataset.place === state.place && line ? null : +place.dataset.place);
    else if (line && sets[line.dataset.set]?.length) { const [first, ...others] = sets[line.dataset.set]; select(first, line, others); }
  });

  let hovered = [];
  main.addEventListener("pointerover", (event) => {
    hovered.forEach((line) => line.classList.remove("hit"));
    hovered = [];
    const line = event.target.closest(".code .l.k");
    if (!line) return;
    const place = line.dataset.place ? +line.dataset.place : sets[line.dataset.set][0];
    hovered = [...main.querySelectorAll(".code .l.k")].filter((one) => one.dataset.place ? +one.dataset.place === place : has(one.dataset.set, place));
    hovered.forEach((one) => one.classList.add("hit"));
  });

  $("tabs").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) show(button.dataset.stage, event.shiftKey);
  });

  function dark(on) {
    document.documentElement.classList.toggle("dark", on);
  }
  const prefers = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  try { chosen = localStorage.getItem("weft-theme"); } catch { /* a page of a file may have no storage */ }
  dark(chosen ? chosen === "dark" : prefers.matches);
  prefers.addEventListener("change", () => { if (!chosen) dark(prefers.matches); });
  $("theme").onclick = () => {
    chosen = document.documentElement.classList.contains("dark") ? "light" : "dark";
    dark(chosen === "dark");
    try { localStorage.setItem("weft-theme", chosen); } catch { /* as above */ }
  };
  $("keys").onclick = () => $("help").showModal();

  const KEYS = {
    ArrowDown: () => step(1), j: () => step(1), ArrowUp: () => step(-1), k: () => step(-1),
    n: () => stepMatch(1), p: () => stepMatch(-1), "[": () => stepList(-1), "]": () => stepList(1), ",": () => stepRewrite(-1), ".": () => stepRewrite(1),
    ArrowRight: () => turn(1), ArrowLeft: () => turn(-1),
    Escape: () => select(null), t: () => $("theme").click(), "?": () => $("help").showModal(),
    g: () => { state.graph = !state.graph; draw(); },
    s: () => { state.all = !state.all; source.classList.toggle("all", state.all); },
  };
  function turn(by) {
    const free = stages.filter((stage) => !state.shown.includes(stage.name) || stage.name === state.shown[state.active]);
    const now = free.findIndex((stage) => stage.name === state.shown[state.active]);
    show(free[(now + by + free.length) % free.length].name, false);
  }
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
    const digit = /^Digit([1-9])$/.exec(event.code);
    const act = digit && stages[digit[1] - 1] ? () => show(stages[digit[1] - 1].name, event.shiftKey) : KEYS[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  addEventListener("hashchange", follow);

  // The head

  $("name").textContent = data.name;
  const [taken, given] = data.signature.split("\n");
  $("signature").textContent = `${taken.slice(taken.indexOf("("))} → ${(given ?? "").trim().replace(/^returns /, "")}`;
  $("signature").title = data.signature;
  const kernels = data.cost.kernels.filter((kernel) => !kernel.name.startsWith("(")).length;
  const spills = (data.machine[0]?.functions ?? []).reduce((sum, f) => sum + f.spills, 0);
  const bits = Math.max(0, ...(data.machine[0]?.functions ?? []).map((f) => f.bits));
  $("facts").innerHTML = [
    ["kernels", kernels], ...(bits ? [["vectors", `${bits} bit`], ["spills", counted(spills)]] : []),
    ...(data.times.length ? [["compiled in", `${counted(Math.round(data.total))} ms`]] : []), ["for", escaped(data.target)],
  ].map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join("");

  const first = stageOf("weft") ? "weft" : stages[1]?.name ?? "overview";
  state.shown = innerWidth >= 1200 && data.machine.length ? [first, data.machine[0].name] : [first];
  follow();
  document.documentElement.dataset.ready = "yes";
}

read().then(page, (error) => { $("panes").textContent = error.message; });
