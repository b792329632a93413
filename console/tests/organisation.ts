import type { APIRequestContext } from '@playwright/test'
import { expect } from './console'

/** The entities that a source's files refer to. */
type Needs = { name: string; types: string[] | null; categories: string[] | null }

/** The id of an organisation for one test, with the entities that its files refer to: a period and membership types, or a race and its categories. */
export async function makeOrganisation(
  request: APIRequestContext,
  { name, types, categories }: Needs,
): Promise<string> {
  const headers = { Authorization: `Bearer ${await token(request, 'scope=admin')}` }
  const make = async (path: string, data: object) => {
    const made = await request.post(`/api/admin/organisations${path}`, { headers, data })
    expect(made.ok(), await made.text()).toBe(true)
    return ((await made.json()) as { id: number }).id
  }
  const id = await make('', { name: `${name} ${Date.now()}` })
  if (types) await make(`/${id}/periods`, { name: '2026', startsOn: '2026-01-01', endsOn: '2026-12-31' })
  for (const type of types ?? []) await make(`/${id}/membership-types`, { name: type })
  if (!categories) return String(id)
  const event = await make(`/${id}/events`, { name: 'Race', startsOn: '2026-06-07' })
  for (const category of categories) await make(`/${id}/events/${event}/categories`, { name: category })
  return String(id)
}

/** A token of the local issuer for an organisation or a scope. */
export const token = async (request: APIRequestContext, query: string): Promise<string> =>
  (await (await request.get(`/local/token?${query}`)).text()).trim()

/** The records of a resource of an organisation, from an export without empty values and generated columns. */
export async function kept(
  address: string,
  bearer: string,
  resource: string,
  made: string[] = [],
): Promise<Record<string, string>[]> {
  const answer = await fetch(`${address}/v1/exports?resource=${resource}&format=ndjson`, {
    headers: { Authorization: `Bearer ${bearer}` },
  })
  const lines = (await answer.text()).split('\n').filter(Boolean)
  expect(lines).toHaveLength(Number(answer.headers.get('X-Total-Count')))
  const texts = (record: object) =>
    Object.entries(record)
      .filter(([column, value]) => value !== null && !made.includes(column))
      .map(([column, value]) => [column, String(value)])
  return lines.map((line) => Object.fromEntries(texts(JSON.parse(line) as object)) as Record<string, string>)
}
