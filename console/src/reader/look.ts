import type { Schema } from '@/api/client'

/** Maximum size of files that are previewed, in bytes. */
const largest = 50_000_000

/** Timeout of a preview, including the loading of the reader, in milliseconds. */
const patience = 30_000

/** The preview of a file by Loadbay's reader: reading options, first rows and recognised columns. */
export type Head = {
  detected: NonNullable<Schema<'Preview'>['detected']>
  sheets: string[]
  rows: Schema<'PreviewRow'>[]
  moreRows: boolean
  columns: { sourceHeader: string; targetField?: string }[]
  missing?: Fault
}

/** A file error: a code and message of the API. */
export type Fault = { code: string; message: string }

export type Question = { id: number; file: File; type: Schema<'ImportType'> | null }
export type Answer = { id: number; head?: Head; fault?: Fault; broke?: string }

/** The result of a preview: a head, an error, or nothing if the file is too large or cannot be previewed in the browser. */
export type Look = { head?: Head; fault?: Fault }

let worker: Worker | null = null
let asked = 0

/** Previews a file with Loadbay's reader in a worker that is loaded with the first file. It never fails: files that cannot be previewed here are checked after the upload. */
export function look(file: File, type: Schema<'ImportType'> | null): Promise<Look> {
  if (file.size > largest || typeof WebAssembly === 'undefined') return Promise.resolve({})
  const at = (worker ??= new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' }))
  const id = ++asked
  return new Promise((resolve) => {
    const giveUp = () => {
      at.terminate()
      if (worker === at) worker = null
      end({})
    }
    const timer = setTimeout(giveUp, patience)
    const end = (found: Look) => {
      clearTimeout(timer)
      at.removeEventListener('message', hear)
      at.removeEventListener('error', giveUp)
      resolve(found)
    }
    const hear = ({ data }: MessageEvent<Answer>) => {
      if (data.id === id) end({ ...(data.head && { head: data.head }), ...(data.fault && { fault: data.fault }) })
    }
    at.addEventListener('message', hear)
    at.addEventListener('error', giveUp)
    at.postMessage({ id, file, type } satisfies Question)
  })
}

/** Whether a file seems to be of another type: required columns are missing, and none is recognised. */
export const looksWrong = ({ missing, columns }: Head): boolean =>
  missing !== undefined && columns.every(({ targetField }) => !targetField)
