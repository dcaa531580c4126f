// Runs tests/vectors/client.txt through the WebAssembly module.
const fs = require('fs');
const [file, vectors] = process.argv.slice(2);
const module_ = new WebAssembly.Module(fs.readFileSync(file));
const bytes = (hex) => (hex === '-' ? Buffer.alloc(0) : Buffer.from(hex, 'hex'));

function report(params, key, id, kind, value) {
  let memory, i = 0;
  const entropy = (at, n) => {
    const out = new Uint8Array(memory.buffer, at, n);
    for (let j = 0; j < n; j++, i++) out[j] = (i * 17 + Math.floor(i / 256) * 91) & 255;
    return 0;
  };
  const { exports } = new WebAssembly.Instance(module_, { env: { entropy } });
  memory = exports.memory;
  const at = exports.sotto_wasm_buffers();
  const put = (offset, data) => new Uint8Array(memory.buffer).set(data, at + offset);
  put(0, params);
  put(84, key);
  put(116, id);
  if (exports.sotto_wasm_init(id.length) !== 0) return 'refused';
  let n;
  if (kind === 'n') {
    n = exports.sotto_wasm_encode_number(parseInt(value, 16), 0);
  } else {
    put(372, bytes(value));
    n = exports.sotto_wasm_encode(bytes(value).length);
  }
  return n < 0 ? `status ${-n}` : Buffer.from(memory.buffer, at + 1396, n).toString('hex');
}

let failed = 0, count = 0;
for (const line of fs.readFileSync(vectors, 'utf8').split('\n')) {
  if (line === '' || line[0] === '#') continue;
  const [params, key, id, kind, value, want] = line.trim().split(' ');
  const got = report(bytes(params), bytes(key), bytes(id), kind, value);
  count++;
  if (got !== want) {
    failed++;
    console.log(`# line ${count}: ${got}, expected ${want}`);
  }
}
console.log(`# ${count} vectors, ${failed} differ`);
process.exit(failed || count < 32 ? 1 : 0);
