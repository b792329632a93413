import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Stack } from './stack'

/** Runs SQL on the database of a stack as its administrator and returns the output. */
export function inDatabase({ data }: Stack, sql: string): string {
  const url = readFileSync(join(data, 'database.url'), 'utf8').trim()
  return execFileSync('psql', [url, '-XqAt', '-v', 'ON_ERROR_STOP=1', '-c', sql], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()
}
