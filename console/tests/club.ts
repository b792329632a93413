import { expect, type Page } from '@playwright/test'
import type { Caller } from './people'

/** The member list of a French club: full names in one column, unknown values, and an invalid date. */
export const club = [
  'Nom complet;Courriel;Né(e) le;Genre;Catégorie;Adhésion',
  'Ada Lovelace;ada@example.org;10/12/1985;Femme;Adulte;01/02/2026',
  'Blaise Pascal;blaise@example.org;19/06/1993;Homme;Jeune;15/02/2026',
  'Claude Shannon;claude@example.org;30/04/1996;?;Adulte;31/02/2026',
  '',
].join('\n')

/** Imports a member list through the API and returns the id of the import. */
export async function send({ request }: Caller, list: string): Promise<string> {
  const file = { name: 'adhérents.csv', mimeType: 'text/csv', buffer: Buffer.from(list) }
  const answer = await request.post('/api/imports', {
    multipart: { file, importType: 'MEMBERSHIP', contextId: '1', mode: 'upsert' },
  })
  expect(answer.ok(), await answer.text()).toBe(true)
  return ((await answer.json()) as { identifier: string }).identifier
}

/** Imports a member list and opens the import when it waits for the columns. */
export async function begin(page: Page, list: string): Promise<void> {
  await page.goto(`/imports/${await send(page, list)}`)
  await expect(page.getByRole('heading', { name: 'Match columns' })).toBeVisible()
}
