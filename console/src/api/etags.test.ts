import { etags, type paths } from '@loadbay/client'
import createClient from 'openapi-fetch'
import { expect, test, vi } from 'vitest'

function server(tags: string[]) {
  const asked: (string | null)[] = []
  const fetch = vi.fn(async (request: Request) => {
    const tag = tags[Math.min(asked.length, tags.length - 1)]!
    asked.push(request.headers.get('If-None-Match'))
    if (request.headers.get('If-None-Match') === tag) return new Response(null, { status: 304, headers: { ETag: tag } })
    return Response.json([tag], { headers: { ETag: tag, 'X-Total-Count': '7' } })
  })
  const api = createClient<paths>({ baseUrl: 'https://loadbay.test', fetch })
  api.use(etags())
  return { api, asked }
}

test('an unchanged response comes from the cache with its headers', async () => {
  const { api, asked } = server(['"a"'])
  await api.GET('/api/import-types')
  const again = await api.GET('/api/import-types')
  expect(asked).toEqual([null, '"a"'])
  expect(again.data).toEqual(['"a"'])
  expect(again.response.headers.get('X-Total-Count')).toBe('7')
})

test('a changed response replaces the cached one', async () => {
  const { api, asked } = server(['"a"', '"b"'])
  await api.GET('/api/import-types')
  expect((await api.GET('/api/import-types')).data).toEqual(['"b"'])
  await api.GET('/api/import-types')
  expect(asked).toEqual([null, '"a"', '"b"'])
})

test('an aborted response is not cached', async () => {
  const cut = new ReadableStream({
    start: (body) => {
      body.enqueue(new TextEncoder().encode('["a"'))
      body.error(new DOMException('given up', 'AbortError'))
    },
  })
  const asked: (string | null)[] = []
  const fetch = async (request: Request) => {
    asked.push(request.headers.get('If-None-Match'))
    return asked.length === 1
      ? new Response(cut, { headers: { ETag: '"a"' } })
      : Response.json(['"a"'], { headers: { ETag: '"a"' } })
  }
  const api = createClient<paths>({ baseUrl: 'https://loadbay.test', fetch })
  api.use(etags())
  await expect(api.GET('/api/import-types')).rejects.toThrow('given up')
  expect((await api.GET('/api/import-types')).data).toEqual(['"a"'])
  expect(asked).toEqual([null, null])
})
