import { request as requests, type APIRequestContext, type Page } from '@playwright/test'
import { accessible, expect, picture } from './console'
import { inDatabase } from './database'
import { signIn } from './issuer'
import { shifts, shown } from './looks'
import { test } from './operated'
import { kept, token } from './organisation'
import { bring } from './people'
import { holdBack } from './queue'
import type { Stack } from './stack'

test.describe.configure({ timeout: 300_000 })

/** Calls the API as a member of the first organisation, or as an operator. */
async function callerOf({ url }: Stack, query: string): Promise<APIRequestContext> {
  const anybody = await requests.newContext({ baseURL: url })
  const bearer = await token(anybody, query)
  await anybody.dispose()
  return requests.newContext({ baseURL: url, extraHTTPHeaders: { Authorization: `Bearer ${bearer}` } })
}

/** Starts exports with messages delayed for longer than any test, and returns their ids. */
async function strandExports(stack: Stack, count: number): Promise<string[]> {
  await holdBack(stack.aws, 'loadbay-exports-local', 900)
  try {
    const request = await callerOf(stack, 'organisation=1')
    const ask = async () => {
      const made = await request.post('/api/exports', { data: { importType: 'USER', format: 'csv' } })
      expect(made.ok(), await made.text()).toBe(true)
      return ((await made.json()) as { identifier: string }).identifier
    }
    const ids = []
    for (let n = 0; n < count; n++) ids.push(await ask())
    return ids
  } finally {
    await holdBack(stack.aws, 'loadbay-exports-local', 0)
  }
}

/** Opens the first page of a two-page table as an operator, and returns its section. */
async function firstPage(page: Page, name: string, total: string) {
  await page.goto('/operator')
  await signIn(page, { name: 'olga', operates: true })
  const table = page.getByRole('table', { name })
  const part = table.locator('xpath=ancestor::section[1]')
  await expect(part.getByText(total)).toBeVisible()
  await page.reload()
  await shown(page)
  expect(await shifts(page)).toEqual([])
  await expect(table.getByRole('row')).toHaveCount(21)
  await accessible(page)
  return { table, part }
}

test('exports that no worker writes are listed page by page, requeued and cancelled, and the requester sees it', async ({
  page,
  browser,
  strict,
}) => {
  const [requeued, cancelled, ...others] = await strandExports(strict, 22)
  const { table, part } = await firstPage(page, 'Stuck exports', '22 exports')
  await expect(table.getByText(others.at(-1)!)).toBeVisible()
  await picture(page, 'operator-exports')

  const exportsAsked = '**/api/admin/exports?*'
  await page.route(exportsAsked, (route) => route.abort('internetdisconnected'))
  await page.reload()
  const unreachable = page.getByRole('alert').getByRole('heading', { name: 'Loadbay cannot be reached' })
  await expect(unreachable).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Stuck exports' })).toBeVisible()
  await expect(page.getByRole('table', { name: 'Queues' })).toBeVisible()
  await page.unroute(exportsAsked)
  await page.getByRole('alert').getByRole('button', { name: 'Retry' }).click()
  await expect(unreachable).toHaveCount(0)

  await part.getByRole('button', { name: 'Older' }).click()
  const row = (id: string) => table.getByRole('row').filter({ hasText: id })
  await row(requeued!).getByRole('button', { name: 'Requeue' }).click()
  await expect(page.getByText('Requeued')).toBeVisible()
  await expect(row(requeued!)).toHaveCount(0)
  await row(cancelled!).getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await expect(table.getByRole('row')).toHaveCount(21)
  await expect(row(cancelled!)).toHaveCount(0)

  const theirs = await (await browser.newContext({ baseURL: strict.url, locale: 'en-GB' })).newPage()
  await theirs.goto('/exports?page=1')
  await signIn(theirs, { name: 'ada' })
  const exports = theirs.getByRole('table', { name: 'Exports' })
  await expect(exports.getByText('Cancelled')).toHaveCount(1)
  await expect(exports.getByText('Ready')).toHaveCount(1)
  await expect(exports.getByRole('button', { name: 'Download' })).toHaveCount(1)
  await theirs.context().close()
})

const head = 'First name;Last name;Email;Membership type'

/** Simulates a crash after the first chunk of an erasure. */
async function leaveErasures(stack: Stack, keys: string[]): Promise<void> {
  inDatabase(
    stack,
    `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the machine has failed'; END $$;
    CREATE TRIGGER fail BEFORE UPDATE ON person_erasures FOR EACH ROW WHEN (OLD.place <> '{}') EXECUTE FUNCTION fail()`,
  )
  const operator = await callerOf(stack, 'scope=admin')
  for (const key of keys)
    expect((await operator.delete(`/api/admin/organisations/1/persons/${key}`)).status()).toBe(500)
  inDatabase(stack, 'DROP FUNCTION fail CASCADE')
}

test('erasures that a crash interrupted are listed page by page and resumed, and no data of the person remains', async ({
  page,
  strict,
}) => {
  const member = await callerOf(strict, 'organisation=1')
  const bearer = await token(member, 'organisation=1')
  const emails = Array.from({ length: 22 }, (_, n) => `gone${n}.${Date.now()}@erased.example`)
  await bring(
    { request: member },
    [head, ...emails.map((email) => `Zebedea;Quillfeather;${email};Masters`)].join('\n'),
    { importType: 'MEMBERSHIP', contextId: '1' },
  )
  const members = async () => (await kept(strict.url, bearer, 'memberships')).map(({ email }) => email)
  expect(await members()).toEqual(expect.arrayContaining(emails))
  await leaveErasures(strict, emails)
  expect(await members()).toEqual(expect.arrayContaining(emails))

  const { table, part } = await firstPage(page, 'Unfinished erasures', '22 erasures')
  await picture(page, 'operator-erasures')
  await part.getByRole('button', { name: 'Newer' }).click()
  await expect(table.getByRole('row')).toHaveCount(3)

  await table.getByRole('row').nth(2).getByRole('button', { name: 'Resume' }).click()
  await expect(page.getByText('All data of this person is erased')).toBeVisible()
  await expect(part.getByText('21 erasures')).toBeVisible()
  await expect(table.getByRole('row')).toHaveCount(2)
  const left = await members()
  expect(left).not.toContain(emails.at(-1))
  expect(left).toContain(emails[0])
})
