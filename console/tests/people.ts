import { expect, type Page } from '@playwright/test'

/** A caller of the API: a page on the stack's origin, or only the requests of a test. */
export type Caller = Pick<Page, 'request'>

/** A file of new people. */
export const people = (rows: number): string =>
  ['Name,Email', ...Array.from({ length: rows }, (_, n) => `Ada Lovelace ${n},ada${n}.${Date.now()}@example.org`)].join(
    '\n',
  )

/** A file of at least this size with few, long rows. */
export function large(bytes: number): Buffer {
  const remarks = 'x'.repeat(30_000)
  const lines = ['Name,Email,Remarks']
  for (let size = 0; size < bytes; size += 30_050)
    lines.push(`Ada ${lines.length},${lines.length}.${Date.now()}@example.org,${remarks}`)
  return Buffer.from(lines.join('\n'))
}

/** Selects people as the type. */
export async function choosePeople(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Type|Choose a type/ }).click()
  await page.getByRole('option', { name: /^Users?$|People|Persons/ }).click()
}

/** Creates a profile through the API and returns its id. */
export async function keepProfile({ request }: Caller, name: string): Promise<string> {
  const answer = await request.post('/api/profiles', {
    data: {
      name,
      importType: 'USER',
      mapping: {
        fields: [
          { field: 'NAME', from: ['Qui'] },
          { field: 'EMAIL', from: ['Courriel'] },
        ],
      },
    },
  })
  expect(answer.ok(), await answer.text()).toBe(true)
  return ((await answer.json()) as { id: string }).id
}

/** Imports a file of people through the API and returns the import when it has ended or waits for approval. */
export async function bring(caller: Caller, rows: string, options: Record<string, string> = {}): Promise<string> {
  const file = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) }
  const made = await caller.request.post('/api/imports', {
    multipart: { file, importType: 'USER', autoStart: 'true', ...options },
  })
  expect(made.ok(), await made.text()).toBe(true)
  const { identifier } = (await made.json()) as { identifier: string }
  await settled(caller, identifier, /COMPLETED|AWAITING_APPROVAL/)
  return identifier
}

/** Waits until an import has one of these statuses; the default timeout is a minute, in milliseconds. */
export async function settled({ request }: Caller, id: string, state: RegExp, timeout = 60_000): Promise<void> {
  const status = async () => ((await (await request.get(`/api/imports/${id}`)).json()) as { status: string }).status
  await expect.poll(status, { timeout }).toMatch(state)
}

/** Imports the previewed changes: nothing was written before. */
export async function importPreviewed(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { name: 'Preview', exact: true })).toBeVisible({ timeout: 60_000 })
  await expect(page.getByText('Nothing is saved yet.')).toBeVisible()
  await page.getByRole('button', { name: /^Import [\d,]+ rows?$/ }).click()
}

/** Waits for the preview of a selected file. On a busy machine the console gives up the preview and still allows the upload. */
export async function looked(page: Page): Promise<void> {
  await expect(page.getByText('Checking the file…')).toBeHidden({ timeout: 60_000 })
}
