import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { ApiError, answered, loadbay, withResponse } from '../dist/index.js'

/** Starts a server that answers as the test wants, and returns a client of it. */
async function serve(t, handle, options = {}) {
  const server = createServer(handle).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const baseUrl = `http://127.0.0.1:${server.address().port}`
  return loadbay({ baseUrl, ...options })
}

const json = (response, status, body, headers = {}) => response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body))

test('an error response becomes an error with the problem document', async (t) => {
  const problem = { type: 'x', title: 'Not Acceptable', status: 406, code: 'MAPPING_INCOMPLETE', detail: 'Not all is known.', instance: '/', requestId: 'r1', errors: [{ field: 'EMAIL', code: 'REQUIRED_COLUMN', message: 'Say it.' }] }
  const api = await serve(t, (_, response) => json(response, 406, problem, { 'Content-Type': 'application/problem+json' }))
  await assert.rejects(answered(api.GET('/api/import-types')), (error) => {
    assert.ok(error instanceof ApiError)
    assert.deepEqual([error.status, error.code, error.message, error.requestId], [406, 'MAPPING_INCOMPLETE', 'Not all is known.', 'r1'])
    assert.deepEqual(error.fields, problem.errors)
    assert.equal(error.passing, false)
    return true
  })
})

test('an error of a gateway and a failed connection become errors', async (t) => {
  const api = await serve(t, (_, response) => json(response, 503, { message: 'Service Unavailable' }))
  await assert.rejects(answered(api.GET('/api/me')), { status: 503, code: '', message: 'Service Unavailable' })
  const away = loadbay({ baseUrl: 'http://127.0.0.1:1' })
  await assert.rejects(answered(away.GET('/api/me')), (error) => error instanceof ApiError && error.unreachable && error.passing)
})

test('each request asks for the current token, and lists are separated by commas', async (t) => {
  const seen = []
  let refusals = 0
  let token = 'first'
  const handle = (request, response) => {
    seen.push(`${request.headers.authorization} ${request.url}`)
    json(response, token === 'first' ? 200 : 401, [], { 'X-Total-Count': '7' })
  }
  const api = await serve(t, handle, { token: async () => token, unauthorised: () => refusals++ })
  const { headers } = await withResponse(api.GET('/api/imports', { params: { query: { status: ['COMPLETED', 'FAILED'] } } }))
  assert.equal(headers.get('X-Total-Count'), '7')
  token = 'second'
  await assert.rejects(answered(api.GET('/api/imports')), { status: 401 })
  assert.deepEqual(seen, ['Bearer first /api/imports?status=COMPLETED,FAILED', 'Bearer second /api/imports'])
  assert.equal(refusals, 1)
})
