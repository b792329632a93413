import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { exportFile, importFile, loadbay, pages, resumeUpload, verifyWebhook, waitForImport, WebhookError } from '../dist/index.js'

const id = '0193b2a4-6f1e-7c3a-9d53-1c2b3a4d5e6f'

/** Starts a server with an answer for each "METHOD /path", and returns a client of it and what was sent. */
async function serve(t, answers, options = {}) {
  const seen = []
  const server = createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const { pathname } = new URL(request.url, 'http://x')
    const to = `${request.method} ${pathname}`
    seen.push({ to, url: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() })
    const { status = 200, body, headers = {} } = answers[to]?.(seen.filter((each) => each.to === to).length, request) ?? { status: 404, body: {} }
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(status === 304 ? undefined : text)
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const base = `http://127.0.0.1:${server.address().port}`
  return { api: loadbay({ baseUrl: base, ...options }), seen, base, count: (to) => seen.filter((each) => each.to === to).length }
}

const bytes = 'aaaaabbbbbccccc12'

test('a file is announced with its checksum and sent in parts, and a part that fails is sent again', async (t) => {
  const s = await serve(t, {
    'POST /api/imports': () => ({ status: 201, body: { identifier: id, upload: { uploadId: 'u', partSizeBytes: 5, completeUrl: '', expiresAt: '', parts: [1, 2, 3, 4].map((partNumber) => ({ partNumber, url: `${s.base}/part/${partNumber}` })) } } }),
    'PUT /part/1': () => ({ body: '' }),
    'PUT /part/2': (n) => (n === 1 ? { status: 500, body: '' } : { body: '' }),
    'PUT /part/3': () => ({ status: 412, body: '' }), // an earlier attempt arrived
    'PUT /part/4': () => ({ body: '' }),
    [`POST /api/imports/${id}/upload/complete`]: () => ({ status: 202, body: { identifier: id } }),
  })
  const progress = []
  const job = await importFile(s.api, new Blob([bytes]), { importType: 'USER', filename: 'users.csv', mode: 'upsert' }, { key: 'k', progress: (sent) => progress.push(sent) })
  assert.equal(job.identifier, id)
  const announced = s.seen[0]
  assert.equal(announced.headers['idempotency-key'], 'k')
  assert.deepEqual(JSON.parse(announced.body), { importType: 'USER', filename: 'users.csv', mode: 'upsert', sizeBytes: 17, sha256: createHash('sha256').update(bytes).digest('hex') })
  assert.equal(s.count('PUT /part/2'), 2)
  assert.deepEqual(['1', '2', '3', '4'].map((n) => s.seen.findLast(({ to }) => to === `PUT /part/${n}`).body), ['aaaaa', 'bbbbb', 'ccccc', '12'])
  assert.equal(progress.at(-1), 17)
  assert.equal(s.seen.at(-1).url, `/api/imports/${id}/upload/complete?uploadId=u`)
})

test('a resumed upload sends only the missing parts, and refuses a file of another size', async (t) => {
  const s = await serve(t, {
    [`GET /api/imports/${id}/upload`]: () => ({ body: { sizeBytes: 17, arrivedBytes: 10, arrivedParts: [1, 2], upload: { uploadId: 'u', partSizeBytes: 5, completeUrl: '', expiresAt: '', parts: [3, 4].map((partNumber) => ({ partNumber, url: `${s.base}/part/${partNumber}` })) } } }),
    'PUT /part/3': () => ({ body: '' }),
    'PUT /part/4': () => ({ body: '' }),
    [`POST /api/imports/${id}/upload/complete`]: () => ({ status: 202, body: { identifier: id } }),
  })
  const progress = []
  await resumeUpload(s.api, id, new Blob([bytes]), { progress: (sent) => progress.push(sent) })
  assert.deepEqual(progress.toSorted((a, b) => a - b).at(-1), 17)
  assert.equal(s.seen.find(({ to }) => to === 'PUT /part/4').body, '12')
  await assert.rejects(resumeUpload(s.api, id, new Blob(['short'])), /has 17 bytes, this file has 5/)
})

test('a refused part ends the upload with an error of the storage', async (t) => {
  const s = await serve(t, {
    'POST /api/imports': () => ({ status: 201, body: { identifier: id, upload: { method: 'PUT', url: `${s.base}/whole`, headers: { 'If-None-Match': '*' }, expiresAt: '' } } }),
    'PUT /whole': () => ({ status: 403, body: '' }),
  })
  await assert.rejects(importFile(s.api, new Blob([bytes]), { importType: 'USER' }), { name: 'ApiError', status: 403 })
  assert.equal(s.seen.at(-1).headers['if-none-match'], '*')
  assert.equal(s.count('PUT /whole'), 1)
})

test('a wait polls by ETag until the import ends or needs input', async (t) => {
  const states = ['UPLOADED', null, 'COMPLETED']
  const s = await serve(t, {
    [`GET /api/imports/${id}`]: (n) => states[n - 1] === null ? { status: 304 } : { headers: { ETag: `"${n}"` }, body: { identifier: id, status: states[n - 1], waitingFor: null } },
  })
  const seen = []
  const job = await waitForImport(s.api, id, { each: ({ status }) => seen.push(status) })
  assert.equal(job.status, 'COMPLETED')
  assert.deepEqual(seen, ['UPLOADED', 'COMPLETED'])
  assert.equal(s.seen[1].headers['if-none-match'], '"1"')
  const aborted = AbortSignal.abort()
  await assert.rejects(waitForImport(s.api, id, { signal: aborted }), { name: 'AbortError' })
})

test('pages follow the Link header to the end', async (t) => {
  const s = await serve(t, {
    'GET /api/imports': (n) => ({ body: [{ identifier: `i${n}` }], headers: n < 3 ? { Link: `</api/imports?cursor=c${n}>; rel="next", </api/imports>; rel="first"` } : {} }),
  })
  const found = []
  for await (const job of pages((start) => s.api.GET('/api/imports', { params: { query: { size: 1, ...start } } }))) found.push(job.identifier)
  assert.deepEqual(found, ['i1', 'i2', 'i3'])
  assert.equal(s.seen[2].url, '/api/imports?size=1&cursor=c2')
})

test('requests are repeated only if that is safe', async (t) => {
  const failing = (n) => (n === 1 ? { status: 502, body: {} } : { body: {} })
  const throttled = (n) => (n === 1 ? { status: 429, body: {}, headers: { 'Retry-After': '0' } } : { body: {} })
  const s = await serve(t, { 'GET /api/me': failing, 'POST /api/webhook/test': failing, 'POST /api/webhook/rotate-secret': throttled })
  assert.equal((await s.api.GET('/api/me')).response.status, 200)
  assert.equal((await s.api.POST('/api/webhook/test')).response.status, 502)
  assert.equal((await s.api.POST('/api/webhook/rotate-secret')).response.status, 200)
  const once = await serve(t, { 'GET /api/me': failing }, { attempts: 1 })
  assert.equal((await once.api.GET('/api/me')).response.status, 502)
})

test('an export is awaited and streamed', async (t) => {
  const s = await serve(t, {
    'POST /api/exports': () => ({ status: 202, body: { identifier: id, status: 'PENDING' } }),
    [`GET /api/exports/${id}`]: () => ({ body: { identifier: id, status: 'COMPLETED' } }),
    [`GET /api/exports/${id}/download`]: () => ({ body: { url: `${s.base}/file` } }),
    'GET /file': () => ({ body: 'id,email\n' }),
  })
  const text = await new Response(await exportFile(s.api, { importType: 'USER', format: 'csv' })).text()
  assert.equal(text, 'id,email\n')
  assert.equal(s.seen.at(-1).headers.authorization, undefined)
})

test('a webhook is verified with each of two secrets, and an old or changed message is refused', async () => {
  const sign = (secret, time, body) => 'v1,' + createHmac('sha256', Buffer.from(secret.slice(6), 'base64')).update(`m.${time}.${body}`).digest('base64')
  const [first, second] = ['one', 'two'].map((key) => 'whsec_' + Buffer.from(key).toString('base64'))
  const now = Math.floor(Date.now() / 1000)
  const headers = (time) => new Headers({ 'webhook-id': 'm', 'webhook-timestamp': String(time), 'webhook-signature': `${sign(first, time, '{}')} ${sign(second, time, '{}')}` })
  await verifyWebhook(first, headers(now), '{}')
  await verifyWebhook(second, headers(now), '{}')
  await assert.rejects(verifyWebhook(first, headers(now), '{ }'), WebhookError)
  await assert.rejects(verifyWebhook(first, headers(now - 301), '{}'), WebhookError)
  await assert.rejects(verifyWebhook('whsec_dGhyZWU=', headers(now), '{}'), WebhookError)
})

test('CommonJS programs can require the package', () => {
  assert.equal(createRequire(import.meta.url)('../dist/index.js').loadbay, loadbay)
})
