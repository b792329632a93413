import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const patience = 90_000

/** A separate stack with the build in console/dist, and a function that stops it. */
export type Stack = {
  url: string
  /** The address of its AWS endpoint. */ aws: string
  /** The folder of its data. */ data: string
  stop: () => Promise<void>
}

/** Starts a stack for the run. LOADBAY_URL names a running one, and LOADBAY_AWS its AWS endpoint. */
export default async function startForTheRun(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.LOADBAY_URL) return undefined
  const { url, aws, stop } = await startStack()
  Object.assign(process.env, { LOADBAY_URL: url, LOADBAY_AWS: aws })
  return stop
}

/** Starts a stack with these settings, its own data folder and its own ports. */
export async function startStack(settings: Record<string, string> = {}): Promise<Stack> {
  const data = mkdtempSync(join(tmpdir(), 'loadbay-console-'))
  const url = `http://127.0.0.1:${await freePort()}`
  const aws = `http://127.0.0.1:${await freePort()}`
  const stack = spawn(join(root, 'bin/loadbay-local'), ['run'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      API_ADDR: url.slice('http://'.length),
      AWS_ADDR: aws.slice('http://'.length),
      DATA_DIR: data,
      ...settings,
    },
  })
  const ended = new Promise<void>((resolve) => stack.once('exit', () => resolve()))
  const stop = async () => {
    stack.kill('SIGTERM')
    await ended
    rmSync(data, { recursive: true, force: true })
  }
  await healthy(url).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return { url, aws, data, stop }
}

/** Waits until the stack reports that it is up. */
async function healthy(url: string): Promise<void> {
  for (const end = Date.now() + patience; Date.now() < end; await new Promise((next) => setTimeout(next, 250))) {
    const up = await fetch(`${url}/health`).then(
      (response) => response.ok,
      () => false,
    )
    if (up) return
  }
  throw new Error(`the stack is not up at ${url}: is bin/loadbay-local built (make build)?`)
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
