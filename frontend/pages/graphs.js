// Graphs of code: blocks with the jumps between them, and ops with the values that they hand on

const MOST_NODES = 400; // more cannot be read
const TALL = 48; // blocks of more lines scroll

function memoryMarkup(buffers, styleOf) {
  // A block of memory as it is shared: time from left to right, addresses from below to above
  const steps = Math.max(...buffers.map(([, , , , end]) => end)), bytes = Math.max(...buffers.map(([, offset, size]) => offset + size));
  const boxes = buffers.map(([, offset, size, start, end, place, title]) => {
    const share = (n, all) => `${(100 * n / all).toFixed(2)}%`;
    const link = place === null ? "" : ` data-place="${place}" style="${styleOf(place)}"`;
    return `<rect x="${share(start, steps)}" width="${share(Math.max(end - start, 0.3), steps)}" y="${share(bytes - offset - size, bytes)}" height="${share(size, bytes)}"${link}><title>${escaped(title)}</title></rect>`;
  });
  return `<svg class="lifetimes" role="img" aria-label="memory over time">${boxes.join("")}</svg>`;
}

// Code becomes graphs { title, nodes: [the numbers of lines], edges: [from, to, kind] }

const LABEL = /^("[^"]+"|[\w.$@-]+):/;
const JUMP = /^(?:[jb]\w*|b\.\w+|[ct]bn?z|bra?x?(?:\.\w+)*)$/i;
const ALWAYS = /^(?:jmp\w*|b|br|bra(?:\.uni)?|brx\.\w+)$/i;
const END = /^(?:ret\w*(?:\.\w+)*|exit|ud2|trap|brk|hlt)$/i;

function blocksOf(lines, first, end) {
  // Machine code: a block begins at a label and behind a jump
  const nodes = [], edges = [], named = new Map(), jumps = [];
  let open = false;
  for (let i = first; i < end; i += 1) {
    const label = LABEL.exec(lines[i]);
    if (label || !open) {
      const before = nodes.length - 1;
      nodes.push([]);
      if (open) edges.push([before, before + 1, "on"]);
    }
    const now = nodes.length - 1;
    nodes[now].push(i);
    open = true;
    if (label) { named.set(label[1], now); continue; }
    const [, guard, name, operands] = /^(?:  [\da-f]{4,} )?\s*(@\S+)?\s*([\w.]*)(.*)$/.exec(lines[i]);
    const isJump = JUMP.test(name);
    if (!isJump && !END.test(name)) continue;
    const isAlways = !guard && (!isJump || ALWAYS.test(name));
    if (isJump) jumps.push([now, operands, isAlways ? "on" : "yes"]);
    open = false;
    if (!isAlways && i + 1 < end) edges.push([now, now + 1, "no"]);
  }
  for (const [from, operands, kind] of jumps) {
    for (const target of operands.match(/"[^"]+"|[\w.$@-]+/g) ?? []) if (named.has(target)) edges.push([from, named.get(target), kind]);
  }
  return { nodes, edges };
}

function llvmBlocksOf(lines, first, end) {
  // LLVM: a block begins at a label alone, and its last instruction names those that follow
  const nodes = [[]], edges = [], named = new Map();
  for (let i = first; i < end; i += 1) {
    const label = LABEL.exec(lines[i]);
    if (label) { if (nodes.at(-1).length) nodes.push([]); named.set(label[1], nodes.length - 1); }
    if (lines[i].trim()) nodes.at(-1).push(i);
  }
  nodes.forEach((node, from) => {
    const following = node.flatMap((i) => [...lines[i].matchAll(/\blabel %("[^"]+"|[\w.$-]+)/g)].map((match) => named.get(match[1])));
    following.forEach((to, n) => edges.push([from, to, following.length === 2 ? ["yes", "no"][n] : "on"]));
  });
  return { nodes, edges };
}

function opsOf(lines, first, end) {
  // MLIR: an op stands on a line; what it reads comes from others, and what ends a region goes to the op that has it
  const nodes = [], edges = [], made = new Map(), around = [];
  for (let i = first; i < end; i += 1) {
    const text = lines[i].trim();
    if (text.startsWith("}")) { const op = around.pop(); if (text.endsWith("{")) around.push(op); continue; }
    if (!text) continue;
    const results = /^(%[\w#:, %]+?) = /.exec(text), rest = text.slice(results ? results[0].length : 0);
    const node = nodes.push([i]) - 1;
    const kept = (name) => name.replace(/[:#].*/, "");
    for (const from of new Set((rest.match(/%[\p{L}\p{N}_.$#-]+/gu) ?? []).map((name) => made.get(kept(name))))) if (from !== undefined) edges.push([from, node, "on"]);
    for (const name of results ? results[1].split(",") : []) made.set(kept(name.trim()), node);
    if (text.startsWith("^bb") && around.length) edges.push([around.at(-1), node, "on"]);
    if (text.endsWith("{") || text.startsWith("^bb")) for (const [name] of rest.matchAll(/%[\p{L}\p{N}_.$-]+(?= = |:)/gu)) made.set(name, node);
    if (text.endsWith("{")) around.push(node);
    if (/^(?:scf\.(?:yield|condition|reduce)|linalg\.yield)\b/.test(text) && around.length) edges.push([node, around.at(-1), "back"]);
  }
  return { nodes, edges };
}

function graphsOf(lines, kind) {
  // The functions of a text, each as a graph
  const opens = { llvm: /^define\b.*?@("[^"]+"|[\w.$-]+)/, mlir: /^ *(?:[\w.]+\.)?func(?:\.func)? .*?@("[^"]+"|[\w.$-]+)|^ *gpu\.func @([\w.$-]+)/ }[kind];
  if (!opens) return [{ title: "", ...blocksOf(lines, 0, lines.length) }];
  const found = [];
  lines.forEach((line, i) => {
    const match = opens.exec(line);
    if (!match || !line.trimEnd().endsWith("{")) return;
    const closed = `${/^ */.exec(line)[0]}}`, length = lines.slice(i).findIndex((other) => other === closed);
    const end = length < 0 ? lines.length : i + length;
    found.push({ title: `@${match[1] ?? match[2]}`, ...(kind === "llvm" ? llvmBlocksOf(lines, i + 1, end) : opsOf(lines, i, end)) });
  });
  return found;
}

// Places: rows from above to below, in which few edges cross

const GAP = 22, ROW = 34;

function layout(sizes, edges) {
  // Edges that lead back are turned around for as long as places are looked for
  const count = sizes.length, next = sizes.map(() => []), before = sizes.map(() => []), state = new Uint8Array(count), order = [];
  edges.forEach(([from, to], i) => next[from].push([to, i]));
  const back = new Set();
  for (let root = 0; root < count; root += 1) {
    const stack = state[root] ? [] : [[root, 0]];
    if (stack.length) state[root] = 1;
    while (stack.length) {
      const top = stack.at(-1), edge = next[top[0]][top[1]];
      top[1] += 1;
      if (!edge) { state[top[0]] = 2; order.push(top[0]); stack.pop(); }
      else if (state[edge[0]] === 1) back.add(edge[1]);
      else if (!state[edge[0]]) { state[edge[0]] = 1; stack.push([edge[0], 0]); }
    }
  }
  const down = edges.map(([from, to], i) => (back.has(i) ? [to, from] : [from, to]));
  const rank = sizes.map(() => 0), fed = new Set(down.filter(([a, b]) => a !== b).map(([, b]) => b));
  const below = sizes.map(() => []);
  down.forEach(([a, b]) => { if (a !== b) { below[a].push(b); before[b].push(a); } });
  for (const node of order.reverse()) for (const other of below[node]) rank[other] = Math.max(rank[other], rank[node] + 1);
  for (let node = 0; node < count; node += 1) if (!fed.has(node) && below[node].length) rank[node] = Math.min(...below[node].map((other) => rank[other])) - 1;

  // An edge over several rows has a point in each of them
  const rows = [], points = sizes.map(([w, h], node) => ({ w, h, row: rank[node], up: [], down: [], x: 0 }));
  const join = (a, b) => { points[a].down.push(b); points[b].up.push(a); };
  const routes = down.map(([a, b]) => {
    const route = [a];
    for (let row = rank[a] + 1; row < rank[b]; row += 1) { points.push({ w: 10, h: 0, row, up: [], down: [], x: 0 }); join(route.at(-1), points.length - 1); route.push(points.length - 1); }
    if (a !== b) join(route.at(-1), b);
    return [...route, b];
  });
  points.forEach((point, i) => (rows[point.row] ??= []).push(i));
  const mean = (list, of) => list.reduce((sum, i) => sum + of(points[i]), 0) / list.length;
  const place = new Map();
  const number = (row) => row.forEach((i, at) => place.set(points[i], at));
  rows.forEach(number);
  for (let sweep = 0; sweep < 10; sweep += 1) {
    const side = sweep % 2 ? "down" : "up";
    for (const row of sweep % 2 ? [...rows].reverse() : rows) {
      const wish = new Map(row.map((i) => [i, points[i][side].length ? mean(points[i][side], (p) => place.get(p)) : place.get(points[i])]));
      row.sort((a, b) => wish.get(a) - wish.get(b));
      number(row);
    }
  }
  for (const row of rows) { let x = 0; for (const i of row) { points[i].x = x + points[i].w / 2; x += points[i].w + GAP; } }
  for (let sweep = 0; sweep < 12; sweep += 1) {
    const side = sweep % 2 ? "down" : "up";
    for (const row of sweep % 2 ? [...rows].reverse() : rows) {
      const wish = row.map((i) => (points[i][side].length ? mean(points[i][side], (p) => p.x) : points[i].x));
      let edge = -Infinity, off = 0;
      row.forEach((i, at) => { const p = points[i]; p.x = Math.max(wish[at], edge + p.w / 2); edge = p.x + p.w / 2 + GAP; off += wish[at] - p.x; });
      row.forEach((i) => { points[i].x += off / row.length; });
    }
  }
  const left = Math.min(...points.map((p) => p.x - p.w / 2));
  let y = 8;
  for (const row of rows) {
    const height = Math.max(...row.map((i) => points[i].h));
    for (const i of row) Object.assign(points[i], { y, bottom: y + points[i].h, x: points[i].x - left + 30 });
    y += height + ROW;
  }
  return { points, routes, back, width: Math.max(...points.map((p) => p.x + p.w / 2)) + 46, height: y };
}

function path({ points }, route, isBack) {
  const ends = [points[route[0]], points[route.at(-1)]];
  const bend = ([x, y], [u, v]) => `C${x} ${(y + v) / 2} ${u} ${(y + v) / 2} ${u} ${v}`;
  if (!isBack) {
    const at = route.map((i, n) => [points[i].x, n === 0 ? points[i].bottom : points[i].y - (n === route.length - 1 ? 5 : 0)]);
    return `M${at[0]}${at.slice(1).map((to, n) => bend(at[n], to)).join("")}`;
  }
  // Up at the right of the block that is jumped to
  const [top, low] = ends, right = (p) => p.x + p.w / 2, out = Math.max(right(top), right(low)) + 24;
  const start = [right(low), low.bottom - 9], end = [right(top) + 5, top.y + 9];
  if (route.length === 2) return `M${start}C${out} ${start[1]} ${out} ${end[1]} ${end}`;
  const through = route.slice(1, -1).reverse().map((i) => [points[i].x, points[i].y]);
  const last = through.at(-1);
  return `M${start}C${start[0] + 20} ${start[1]} ${through[0][0]} ${start[1]} ${through[0]}${through.slice(1).map((to, n) => bend(through[n], to)).join("")}C${last[0]} ${end[1]} ${last[0]} ${end[1]} ${end}`;
}

function graphMarkup({ title, nodes, edges }, lines, lineOf) {
  // `lineOf` writes a line of the text by its number
  const head = title ? `<div class="where">${escaped(title)}</div>` : "";
  if (nodes.length > MOST_NODES) return `${head}<p class="where">${counted(nodes.length)} of them are too many to draw.</p>`;
  const sizes = nodes.map((node) => [Math.min(Math.max(...node.map((i) => lines[i].length), 8) * 6.7 + 34, 460), Math.min(node.length, TALL) * 16 + 6]);
  const drawn = layout(sizes, edges);
  const arrows = edges.map(([from, to, kind], i) => {
    const isBack = drawn.back.has(i) || from === to;
    return `<path class="${isBack ? "back" : kind}" data-edge="${from}-${to}" d="${path(drawn, drawn.routes[i], isBack)}"/>`;
  });
  const boxes = nodes.map((node, i) => {
    const { x, y, w, h } = drawn.points[i];
    return `<foreignObject x="${x - w / 2}" y="${y}" width="${w}" height="${h}"><div class="block${node.length > TALL ? " more" : ""}" data-block="${i}">${node.map(lineOf).join("")}</div></foreignObject>`;
  });
  const { width, height } = drawn;
  return `${head}<svg viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}" style="width:clamp(${Math.ceil(0.6 * width)}px, 100%, ${Math.ceil(width)}px)" role="img" aria-label="graph${title ? ` of ${escaped(title)}` : ""}"><defs><marker id="arrow" viewBox="0 0 8 8" refX="3" refY="4" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>${arrows.join("")}${boxes.join("")}</svg>`;
}
