import { type Answer, withResponse } from './problem.js'

/** Where a page begins: pass it on in the query. Empty for the first page. */
export type PageStart = { cursor?: string; page?: number }

/** Iterates over a list to its end: `pages((start) => api.GET('/api/imports', { params: { query: { ...start } } }))`. */
export async function* pages<Entry>(list: (start: PageStart) => Promise<Answer<Entry[]>>): AsyncGenerator<Entry, void> {
  for (let start: PageStart | null = {}; start; ) {
    const { data, headers }: { data: Entry[]; headers: Headers } = await withResponse(list(start))
    yield* data
    start = nextPage(headers.get('Link') ?? '')
  }
}

/** Returns the start of the next page in a Link header (RFC 8288), or null at the end. */
function nextPage(link: string): PageStart | null {
  const next = /<([^>]*)>[^,]*rel="next"/.exec(link)?.[1]
  if (!next) return null
  const query = new URL(next, 'http://localhost').searchParams
  const cursor = query.get('cursor')
  return cursor !== null ? { cursor } : { page: Number(query.get('page')) }
}
