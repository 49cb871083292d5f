// Does in Node what six_programs.c does.
import { readFileSync } from 'node:fs';

const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), {});
const m = instance.exports;
let drawn = 1n;
const draw = () => {
  drawn = (drawn * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
  return Number(drawn >> 33n) / 2147483648.0 - 0.5;
};
const room = bytes => m.malloc(bytes);
const view = (T, at, n) => new T(m.memory.buffer, at, n);
const fill = (T, n) => {
  const at = room(n * T.BYTES_PER_ELEMENT);
  view(T, at, n).set(Array.from({ length: n }, draw));
  return at;
};
const f = n => fill(Float32Array, n), d = n => fill(Float64Array, n);
const show = (name, code, T, at, n) => console.log([name, code, ...view(T, at, n)].join(' '));
const error = room(136), text = room(200);
view(Uint8Array, error, 136).fill(0);
const describe = () => {
  m.six_describe(error, text, 200n);
  const bytes = view(Uint8Array, text, 200);
  return Buffer.from(bytes.slice(0, bytes.indexOf(0))).toString();
};
const fail = (name, code) => console.log(name, code, describe());

const [x, w1, b1, w2, b2] = [512, 128, 16, 64, 4].map(f), y = room(1024), sizes = room(16);
m.mlp_sizes(x, 64n, w1, b1, w2, b2, sizes);
show('mlp_sizes', 0, BigInt64Array, sizes, 1);
for (const rows of [64, 1, 0]) show('mlp', m.mlp(x, BigInt(rows), w1, b1, w2, b2, y, error), Float32Array, y, 4 * rows);
const s = f(1665), t = room(1665 * 4);
m.softmax_sizes(s, 5n, 333n, sizes);
show('softmax_sizes', 0, BigInt64Array, sizes, 2);
show('softmax', m.softmax(s, 5n, 333n, t, error), Float32Array, t, 1665);
fail('softmax', m.softmax(s, 5n, 0n, t, error));
const a = d(2000), b = d(2000);
show('stencil', m.stencil(a, 40n, 50n, b, 40n, 50n, 7n, error), Float64Array, a, 2000);
show('stencil', 0, Float64Array, b, 2000);
const flag = room(8);
view(BigInt64Array, flag, 1)[0] = 1n;
view(Uint32Array, error + 128, 1)[0] = flag;
fail('stencil', m.stencil(a, 40n, 50n, b, 40n, 50n, 1000000000n, error));
view(Uint32Array, error + 128, 1)[0] = 0;
const tx = d(256), ty = d(32), loss = room(8), state = m.six_new(), other = m.six_new();
const train = (name, state, rows = 32n) => m.train(state, tx, 32n, ty, rows, loss, error);
for (let i = 0; i < 2; i++) show('train', train('train', state), Float64Array, loss, 1);
const size = m.six_size(), kept = room(Number(size));
m.six_save(state, kept);
show('train', train('train', state), Float64Array, loss, 1);
show('net.w', 0, Float64Array, m.six_w(state), 128);
show('net.steps', 0, BigInt64Array, m.six_steps(state), 1);
show('other', train('other', other), Float64Array, loss, 1);
console.log('load', m.six_load(other, kept, size));
show('loaded', train('loaded', other), Float64Array, loss, 1);
view(Uint8Array, kept, 10)[9]++;
console.log('load', m.six_load(other, kept, size - 1n), m.six_load(other, kept, size));
fail('train', train('train', state, 31n));
for (const each of [state, other, 0]) m.six_delete(each);
const matrix = d(400), rows = room(160);
const code = m.lu(matrix, 20n, 20n, rows, error);
show('lu', code, Float64Array, matrix, 400);
show('lu', code, BigInt64Array, rows, 20);
view(Float64Array, matrix, 400).fill(0);
fail('lu', m.lu(matrix, 20n, 20n, rows, error));
const v = room(32), out = room(8);
view(Float64Array, v, 4).set([1, 2, 3, 4]);
for (const place of [2n, -1n]) show('pick', m.pick(v, 4n, place, out, 0), Float64Array, out, 1);
fail('pick', m.pick(v, 4n, 9n, out, error));
console.log('pick', m.pick(v, 4n, -5n, out, 0));
console.log('cut', String(m.six_describe(error, text, 3n)), Buffer.from(view(Uint8Array, text, 2)).toString());

// Memory that is given back is given again: nothing is left behind after many calls.
const before = m.memory.buffer.byteLength;
for (let i = 0; i < 20000; i++) m.free(room(1 + (i * 7919) % 5000)), m.six_delete(m.six_new());
const several = Array.from({ length: 50 }, (_, i) => room(100 * i + 1));
several.forEach((at, i) => view(Uint8Array, at, 100 * i + 1).fill(i));
if (!several.every((at, i) => view(Uint8Array, at, 100 * i + 1).every(byte => byte === i))) console.log('overlapping');
several.sort((one, other) => (one * 31) % 97 - (other * 31) % 97).forEach(at => m.free(at));
if (m.memory.buffer.byteLength > before + (1 << 20)) console.log('memory grew');
if (m.malloc(-1) !== 0) console.log('too much memory');
