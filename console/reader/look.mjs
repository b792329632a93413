// Previews files in Node.js with the reader that browsers load: reads
// [{"path", "name", "type"}] from standard input and writes the previews as JSON.
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import '../src/reader/wasm_exec.js'

const go = new Go()
const { instance } = await WebAssembly.instantiate(
  gunzipSync(readFileSync(new URL('../src/reader/reader.wasm.gz', import.meta.url))),
  go.importObject,
)
void go.run(instance)

const look = ({ path, name, type }) => {
  const file = readFileSync(path)
  return JSON.parse(
    loadbayHead(
      name,
      file.length,
      (offset, length) => file.subarray(offset, offset + length),
      type ? JSON.stringify(type) : '',
    ),
  )
}
process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map(look)), () => process.exit(0))
