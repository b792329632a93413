import './wasm_exec.js'
import address from './reader.wasm.gz?url'
import type { Answer, Look, Question } from './look'

declare const Go: new () => { importObject: WebAssembly.Imports; run: (program: WebAssembly.Instance) => Promise<void> }
declare const loadbayHead: (
  name: string,
  size: number,
  read: (offset: number, length: number) => Uint8Array,
  type: string,
) => string
declare const FileReaderSync: new () => { readAsArrayBuffer: (part: Blob) => ArrayBuffer }

/** Starts the reader. It is stored compressed and decompressed here, so that servers need no configuration. */
async function start(): Promise<void> {
  const packed = await fetch(address)
  if (!packed.ok || !packed.body) throw new Error(`the reader is not there: HTTP ${packed.status}`)
  const program = new Response(packed.body.pipeThrough(new DecompressionStream('gzip')), {
    headers: { 'Content-Type': 'application/wasm' },
  })
  const go = new Go()
  const { instance } = await WebAssembly.instantiateStreaming(program, go.importObject)
  void go.run(instance)
}

const started = start()
started.catch(() => undefined) // reported by look, which may not have been asked yet

async function look({ id, file, type }: Question): Promise<Answer> {
  try {
    await started
    const reader = new FileReaderSync()
    const read = (offset: number, length: number) =>
      new Uint8Array(reader.readAsArrayBuffer(file.slice(offset, offset + length)))
    const found = JSON.parse(loadbayHead(file.name, file.size, read, type ? JSON.stringify(type) : '')) as Look
    return { id, ...found }
  } catch (error) {
    return { id, broke: String(error) }
  }
}

addEventListener('message', ({ data }: MessageEvent<Question>) => void look(data).then((answer) => postMessage(answer)))
