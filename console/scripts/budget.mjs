// Checks the size of the scripts in index.html, which form the first load. The reader, which is loaded with the first file, has its own budget.
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const budget = 180 * 1024
const dist = new URL('../dist/', import.meta.url)
const html = readFileSync(new URL('index.html', dist), 'utf8')
const scripts = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(([, path]) => path)
const total = scripts.reduce((sum, path) => sum + gzipSync(readFileSync(new URL(path, dist))).length, 0)
console.log(
  `first load: ${(total / 1024).toFixed(1)} KiB of script (gzip) in ${scripts.length} files; the budget is ${budget / 1024} KiB`,
)

const readerBudget = 3_000_000
const readers = readdirSync(new URL('assets/', dist)).filter(
  (name) => name.startsWith('reader.wasm') && name.endsWith('.gz'),
)
const reader = readers.reduce((sum, name) => sum + readFileSync(new URL(`assets/${name}`, dist)).length, 0)
console.log(`reader: ${(reader / 1e6).toFixed(2)} MB (gzip); the budget is ${readerBudget / 1e6} MB`)
if (scripts.length === 0 || total > budget || readers.length !== 1 || reader > readerBudget) process.exit(1)
