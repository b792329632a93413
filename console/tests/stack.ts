import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const patience = 90_000

/** Starts a stack of its own for the run, with the build in console/dist; LOADBAY_URL names one that runs already. */
export default async function startStack(): Promise<(() => Promise<void>) | void> {
  if (process.env.LOADBAY_URL) return
  const data = mkdtempSync(join(tmpdir(), 'loadbay-console-'))
  const url = `http://127.0.0.1:${await freePort()}`
  const stack = spawn(join(root, 'bin/loadbay'), ['run'], {
    cwd: root, stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, API_ADDR: url.slice('http://'.length), AWS_ADDR: `127.0.0.1:${await freePort()}`, DATA_DIR: data },
  })
  const ended = new Promise<void>((resolve) => stack.once('exit', () => resolve()))
  process.env.LOADBAY_URL = url
  await healthy(url)
  return async () => {
    stack.kill('SIGTERM')
    await ended
    rmSync(data, { recursive: true, force: true })
  }
}

/** Waits until the stack says that it is up. */
async function healthy(url: string): Promise<void> {
  for (const end = Date.now() + patience; Date.now() < end; await new Promise((next) => setTimeout(next, 250))) {
    const up = await fetch(`${url}/health`).then((response) => response.ok, () => false)
    if (up) return
  }
  throw new Error(`the stack is not up at ${url}: is bin/loadbay built (make build)?`)
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
