import type { Page } from '@playwright/test'
import { expect, test } from './console'
import { begin, club, send } from './club'
import { answerColumns } from './made'

test.describe.configure({ timeout: 180_000 })

test("two people on one import see each other's decisions about columns and values, and a reload loses nothing", async ({
  page,
  browser,
}) => {
  await begin(page, club)
  const other = await (await browser.newContext()).newPage()
  await other.goto(page.url())
  await page.getByRole('button', { name: 'Split names' }).click()
  await expect(other.getByRole('button', { name: 'Remove Nom complet from Last name' })).toBeVisible()
  await other.getByRole('button', { name: /Column for Membership type/ }).click()
  await other.getByRole('option', { name: /Catégorie/ }).click()
  await expect(page.getByRole('button', { name: 'Remove Catégorie from Membership type' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Remove Nom complet from Last name' })).toBeVisible()
  await other.reload()
  await expect(other.getByRole('button', { name: 'Remove Catégorie from Membership type' })).toBeVisible()

  await page.getByRole('button', { name: 'Confirm columns' }).click()
  await expect(other.getByRole('heading', { name: 'Match values' })).toBeVisible()
  await page.getByRole('gridcell', { name: 'Femme', exact: true }).click()
  await page.getByRole('button', { name: /^FEMALE/ }).click()
  const row = other.getByRole('row', { name: /^Femme/ })
  await expect(row.getByRole('gridcell', { name: 'FEMALE' })).toBeVisible()
  await other.reload()
  await expect(row.getByRole('gridcell', { name: 'FEMALE' })).toBeVisible()
  await other.close()
})

test('concurrent decisions of two people about columns are saved, and a conflict about one field is reported', async ({
  page,
  browser,
}) => {
  await begin(page, club)
  const other = await (await browser.newContext()).newPage()
  // The second person's polling is blocked, so their screen does not show these changes before their own.
  let looked = false
  await other.route('**/mapping', (route) => {
    looked &&= route.request().method() === 'GET'
    return looked ? route.abort() : route.continue()
  })
  await other.goto(page.url())
  await expect(other.getByRole('button', { name: 'Split names' })).toBeVisible()
  looked = true
  const choose = async (screen: Page, field: string, column: RegExp) => {
    await screen.getByRole('button', { name: new RegExp(`Column for ${field}`) }).click()
    await screen.getByRole('option', { name: column }).click()
  }
  await choose(page, 'Membership type', /Catégorie/)
  await choose(page, 'Joined on', /Adhésion/)
  await expect
    .poll(async () => (await page.request.get(`/api${new URL(page.url()).pathname}/mapping`)).text())
    .toMatch(/Catégorie.*Adhésion|Adhésion.*Catégorie/)
  const refused = other.waitForResponse(
    (response) => response.request().method() === 'PUT' && response.status() === 412,
  )
  await choose(other, 'Membership type', /Genre/)
  expect(((await (await refused).json()) as { code: string }).code).toBe('VERSION_CHANGED')
  await expect(other.getByText('Someone else changed Membership type at the same time.')).toBeVisible()
  for (const screen of [page, other]) {
    await expect(screen.getByRole('button', { name: 'Remove Adhésion from Joined on' })).toBeVisible()
    await expect(screen.getByRole('button', { name: 'Remove Genre from Membership type' })).toBeVisible()
    await expect(screen.getByRole('button', { name: 'Remove Catégorie from Membership type' })).toHaveCount(0)
  }
  await other.close()
})

test('notices report an import that starts to wait, and the end of an import that was viewed', async ({ page }) => {
  await begin(page, club)
  const path = new URL(page.url()).pathname
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
  const toast = page.getByRole('alertdialog')
  const asks = await send(page, club)
  await answerColumns(page, asks)
  await expect(toast.filter({ hasText: 'adhérents.csv needs your input' }).first()).toBeVisible()
  expect((await page.request.delete(`/api${path}`)).ok()).toBe(true)
  const notice = toast.filter({ hasText: 'adhérents.csv was cancelled' })
  await expect(notice).toBeVisible()
  await notice.getByRole('button', { name: 'Open' }).click()
  await expect(page).toHaveURL(new RegExp(`${path}$`))
})

test('a failed load is reported and can be retried', async ({ page }) => {
  await page.route('**/api/profiles?*', (route) => route.abort('internetdisconnected'))
  await page.goto('/profiles')
  await expect(page.getByRole('alert').getByRole('heading', { name: 'Loadbay cannot be reached' })).toBeVisible()
  await page.unroute('**/api/profiles?*')
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('options that cannot be loaded show an error instead of an empty list', async ({ page }) => {
  await page.route(/\/api\/(contexts|profiles)\?/, (route) => route.abort('internetdisconnected'))
  await page.goto('/imports/new')
  await page.getByRole('button', { name: /Choose a type/ }).click()
  await page.getByRole('option', { name: 'Memberships' }).click()
  await expect(page.getByText('Loadbay cannot be reached')).toHaveCount(2)

  const values = await send(page, club)
  await answerColumns(page, values)
  await page.route('**/cell-mappings/candidates?*', (route) => route.abort('internetdisconnected'))
  await page.goto(`/imports/${values}`)
  const choice = page.getByRole('region', { name: /^Match “/ })
  await expect(choice.getByRole('alert').getByRole('heading', { name: 'Loadbay cannot be reached' })).toBeVisible()
  await page.unroute('**/cell-mappings/candidates?*')
  await choice.getByRole('button', { name: 'Retry' }).click()
  await expect(choice.getByRole('listitem').first()).toBeVisible()
})
