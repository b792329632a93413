import { expect, test } from 'vitest'
import { Upload, type Send } from './upload'

const file = new Blob(['0123456789'])
const inParts = {
  uploadId: 'u',
  partSizeBytes: 4,
  completeUrl: '/complete',
  expiresAt: '',
  parts: [
    { partNumber: 2, url: 'two' },
    { partNumber: 1, url: 'one' },
    { partNumber: 3, url: 'three' },
  ],
}

test('a multipart upload resumes where it was paused, and no part is sent twice', async () => {
  const sent: string[] = []
  const progress: number[] = []
  const pause = new AbortController()
  const send: Send = async ({ url }, content, report, signal) => {
    report(1)
    if (url === 'two' && sent.length === 1) pause.abort()
    signal.throwIfAborted()
    sent.push(`${url} ${content.size}`)
  }
  const upload = new Upload(file, inParts, send, (bytes) => progress.push(bytes))
  await expect(upload.run(pause.signal)).rejects.toThrow()
  expect(sent).toEqual(['one 4'])
  expect(progress.at(-1)).toBe(5)
  await upload.run(new AbortController().signal)
  expect(sent).toEqual(['one 4', 'two 4', 'three 2'])
  expect(progress.at(-1)).toBe(10)
})

test('a single upload has the signed headers', async () => {
  const asked: unknown[] = []
  const send: Send = async (to, content) => {
    asked.push([to.url, to.headers, content.size])
  }
  await new Upload(
    file,
    { method: 'PUT', url: 'all', headers: { 'If-None-Match': '*' }, expiresAt: '' },
    send,
    () => undefined,
  ).run(new AbortController().signal)
  expect(asked).toEqual([['all', { 'If-None-Match': '*' }, 10]])
})
