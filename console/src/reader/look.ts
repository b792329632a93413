import type { Schema } from '@/api/client'

/** Files up to this size are looked at, in bytes. */
const largest = 50_000_000

/** How long looking may take, loading the reader included, in milliseconds. */
const patience = 30_000

/** What the beginning of a file says, in the words of Loadbay's reader: how it is read, its first rows, and which columns of the type it has. */
export type Head = {
  detected: NonNullable<Schema<'Preview'>['detected']>
  sheets: string[]
  rows: Schema<'PreviewRow'>[]
  moreRows: boolean
  columns: { sourceHeader: string; targetField?: string }[]
  missing?: Fault
}

/** What is wrong with a file: a code and a sentence of the API's. */
export type Fault = { code: string; message: string }

export type Question = { id: number; file: File; type: Schema<'ImportType'> | null }
export type Answer = { id: number; head?: Head; fault?: Fault; broke?: string }

/** What looking at a file has come to: a head, a fault, or nothing, where the file is too large or cannot be looked at here. */
export type Look = { head?: Head; fault?: Fault }

let worker: Worker | null = null
let asked = 0

/** Looks at the head of a file by Loadbay's own reader, in a worker that is loaded with the first file. It never fails: what cannot be looked at here is looked at once it is sent. */
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

/** Whether a file looks like another one than was meant: it lacks columns, and has none that the type knows. */
export const looksWrong = ({ missing, columns }: Head): boolean => missing !== undefined && columns.every(({ targetField }) => !targetField)
