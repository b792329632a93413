// Holds the first load of script to its budget: what index.html names, and what those import at once.
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const budget = 180 * 1024
const dist = new URL('../dist/', import.meta.url)
const html = readFileSync(new URL('index.html', dist), 'utf8')
const scripts = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(([, path]) => path)
const total = scripts.reduce((sum, path) => sum + gzipSync(readFileSync(new URL(path, dist))).length, 0)
console.log(`first load: ${(total / 1024).toFixed(1)} KiB of script (gzip) in ${scripts.length} files; the budget is ${budget / 1024} KiB`)
if (scripts.length === 0 || total > budget) process.exit(1)
