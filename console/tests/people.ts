import { expect, type Page } from '@playwright/test'

/** What calls the API: a page, whose origin is that of the stack, or the requests of a test alone. */
export type Caller = Pick<Page, 'request'>

/** A file of people, of whom none has been there before. */
export const people = (rows: number): string => ['Name,Email', ...Array.from({ length: rows }, (_, n) => `Ada Lovelace ${n},ada${n}.${Date.now()}@example.org`)].join('\n')

/** A file of at least that size with few rows, each of which is long. */
export function large(bytes: number): Buffer {
  const remarks = 'x'.repeat(30_000)
  const lines = ['Name,Email,Remarks']
  for (let size = 0; size < bytes; size += 30_050) lines.push(`Ada ${lines.length},${lines.length}.${Date.now()}@example.org,${remarks}`)
  return Buffer.from(lines.join('\n'))
}

/** Says that the rows are people. */
export async function choosePeople(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Type|Choose a type/ }).click()
  await page.getByRole('option', { name: /^Users?$|People|Persons/ }).click()
}

/** Makes a profile by the API, as another screen does, and says its id. */
export async function keepProfile({ request }: Caller, name: string): Promise<string> {
  const answer = await request.post('/api/profiles', { data: { name, importType: 'USER', mapping: { fields: [{ field: 'NAME', from: ['Qui'] }, { field: 'EMAIL', from: ['Courriel'] }] } } })
  expect(answer.ok(), await answer.text()).toBe(true)
  return (await answer.json() as { id: string }).id
}

/** Imports a file of people by the API, and says which import it was once it has ended or waits for approval. */
export async function bring(caller: Caller, rows: string, options: Record<string, string> = {}): Promise<string> {
  const file = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) }
  const made = await caller.request.post('/api/imports', { multipart: { file, importType: 'USER', autoStart: 'true', ...options } })
  expect(made.ok(), await made.text()).toBe(true)
  const { identifier } = await made.json() as { identifier: string }
  await settled(caller, identifier, /COMPLETED|AWAITING_APPROVAL/)
  return identifier
}

/** Waits until an import is in such a state, for a minute or, in milliseconds, as long as is said. */
export async function settled({ request }: Caller, id: string, state: RegExp, timeout = 60_000): Promise<void> {
  const status = async () => (await (await request.get(`/api/imports/${id}`)).json() as { status: string }).status
  await expect.poll(status, { timeout }).toMatch(state)
}

/** Waits until a file that was chosen has been looked at. The console gives that up where it takes too long, as on a machine that is too busy, and sends it all the same. */
export async function looked(page: Page): Promise<void> {
  await expect(page.getByText('Looking at the file…')).toBeHidden({ timeout: 60_000 })
}
