import { expect, type Page } from '@playwright/test'
import type { Caller } from './people'

/** The list of a French club: names in one column, words that Loadbay does not know, and a day that there is not. */
export const club = [
  'Nom complet;Courriel;Né(e) le;Genre;Catégorie;Adhésion',
  'Ada Lovelace;ada@example.org;10/12/1985;Femme;Adulte;01/02/2026',
  'Blaise Pascal;blaise@example.org;19/06/1993;Homme;Jeune;15/02/2026',
  'Claude Shannon;claude@example.org;30/04/1996;?;Adulte;31/02/2026',
  '',
].join('\n')

/** Sends a list of members by the API, as another screen does, and says the id of its import. */
export async function send({ request }: Caller, list: string): Promise<string> {
  const file = { name: 'adhérents.csv', mimeType: 'text/csv', buffer: Buffer.from(list) }
  const answer = await request.post('/api/imports', { multipart: { file, importType: 'MEMBERSHIP', contextId: '1', mode: 'upsert' } })
  expect(answer.ok(), await answer.text()).toBe(true)
  return (await answer.json() as { identifier: string }).identifier
}

/** Sends a list of members, and shows its import once it asks. */
export async function begin(page: Page, list: string): Promise<void> {
  await page.goto(`/imports/${await send(page, list)}`)
  await expect(page.getByRole('heading', { name: 'Look at the columns' })).toBeVisible()
}
