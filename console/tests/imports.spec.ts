import { accessible, expect, picture, test } from './console'
import { choosePeople, people } from './people'

test.describe.configure({ mode: 'serial' })

test('a file is selected and uploaded, and every row is counted', { tag: '@journey' }, async ({ page }) => {
  await page.goto('/imports/new')
  await page.getByRole('button', { name: 'Start import' }).click()
  await expect(page.getByText('Choose what the file contains.')).toBeVisible()
  await accessible(page)
  await picture(page, 'new')
  await choosePeople(page)
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'people of July.csv', mimeType: 'text/csv', buffer: Buffer.from(people(2_000)) })
  await expect(page.getByText('people of July.csv')).toBeVisible()
  await picture(page, 'new-chosen')
  await page.getByRole('button', { name: 'Start import' }).click()
  await expect(page).toHaveURL(/\/imports\/[0-9a-f-]{36}$/)
  await expect(page.getByRole('heading', { level: 1, name: 'people of July.csv' })).toBeVisible()
  await expect(page.getByText(/Completed/).first()).toBeVisible()
  await expect(page.getByText('2,000 of 2,000 rows')).toBeVisible()
  await accessible(page)
  await picture(page, 'import-done')
})

test('an import that waits for a person comes first, and can be cancelled', async ({ page }) => {
  await page.goto('/imports/new')
  await choosePeople(page)
  await page.getByRole('tab', { name: 'Paste' }).click()
  await page
    .getByRole('textbox', { name: /^Rows/ })
    .fill('Voornaam;Familienaam;Bijzonderheden;Mail\nAnneke;de Vries;speelt graag;anneke@example.org\n')
  await page.getByRole('button', { name: 'Start import' }).click()
  await expect(page.getByRole('button', { name: 'Confirm columns' })).toBeVisible()
  await expect(page.getByText('Required fields without a column: Name')).toBeVisible()
  await accessible(page)
  await picture(page, 'import-asks')
  await page.getByRole('link', { name: 'Imports', exact: true }).first().click()
  const first = page.getByRole('table', { name: 'Needs your input' })
  await expect(first.getByRole('link', { name: 'pasted rows.csv' }).first()).toBeVisible()
  await expect(page.getByRole('navigation').getByText(/^\d+ imports? needs? your input$/)).toBeAttached()
  await accessible(page)
  await picture(page, 'imports')
  await first.getByRole('link', { name: 'pasted rows.csv' }).first().click()
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByRole('button', { name: 'Cancel import' }).click()
  await expect(page.getByText('Cancelled')).toBeVisible()
  await picture(page, 'import-cancelled')
})

test('filters are in the address and survive a reload', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('searchbox', { name: 'Search by file name' }).fill('pasted')
  await expect(page).toHaveURL(/q=pasted/)
  await expect(page.getByRole('link', { name: 'people of July.csv' })).toBeHidden()
  await page.reload()
  await expect(page.getByRole('link', { name: 'pasted rows.csv' }).first()).toBeVisible()
  await expect(page.getByRole('link', { name: 'people of July.csv' })).toBeHidden()
  await page.goto('/?q=nothing')
  await page.getByRole('button', { name: 'Show all' }).click()
  await expect(page.getByRole('link', { name: 'people of July.csv' }).first()).toBeVisible()
})

test('unchanged data is not sent again', async ({ page }) => {
  await page.goto('/')
  await expect(page.getByRole('link', { name: 'people of July.csv' }).first()).toBeVisible()
  const polled = await page.waitForResponse(
    (response) => response.url().includes('/api/imports?') && response.status() === 304,
  )
  expect(polled.request().headers()['if-none-match']).toBeTruthy()
})

test('missing screens, missing imports and a lost connection have their own messages', async ({ page, context }) => {
  await page.goto('/imports/00000000-0000-4000-8000-000000000000')
  await expect(page.getByRole('alert').getByRole('heading', { name: 'Page not found' })).toBeVisible()
  await page.goto('/no/such/screen')
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
  await page.goto('/')
  await expect(page.getByRole('link', { name: 'people of July.csv' }).first()).toBeVisible()
  await context.setOffline(true)
  await expect(page.getByText(/You are offline/)).toBeVisible()
  await picture(page, 'offline')
  await context.setOffline(false)
  await expect(page.getByText(/You are offline/)).toBeHidden()
})
