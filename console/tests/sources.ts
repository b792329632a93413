import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Meant, Reading, Said } from './screens'

/** A kind of file that organisations really send, as infra/tests/files makes it: what a person says of it, and what is kept of it then. */
export type Source = {
  name: string; type: string; types: string[] | null; categories: string[] | null; file: string; wrong: string; right: string
  mapping: { source?: Reading; fields: Said[]; values?: Meant[] }; values: Meant[] | null
  resource: string; key: string; other: string[] | null; rows: Record<string, string>[]
}

/** Where the files are. The first process of a run has them made, and takes them away at its end; LOADBAY_FILES names a folder that is there. */
function folder(): string {
  if (process.env.LOADBAY_FILES) return process.env.LOADBAY_FILES
  const made = mkdtempSync(join(tmpdir(), 'loadbay-files-'))
  process.once('exit', () => rmSync(made, { recursive: true, force: true }))
  execFileSync('go', ['test', '-count=1', './infra/tests/files', '-run', 'TestWriteSamples', '-args', '-write', made], { cwd: join(import.meta.dirname, '../..') })
  return (process.env.LOADBAY_FILES = made)
}

/** The first file of each source. */
export const sources = (JSON.parse(readFileSync(join(folder(), 'sources.json'), 'utf8')) as Source[]).map((source) => ({ ...source, file: join(folder(), source.file) }))
