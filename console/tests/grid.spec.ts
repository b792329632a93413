import type { Page } from '@playwright/test'
import { accessible, expect, test } from './console'
import { send } from './club'
import { bring, settled } from './people'

test.describe.configure({ timeout: 300_000 })

test('one key leads to the last of 50,000 rows, and a filter finds rows beyond the first part of the response', async ({
  page,
}) => {
  const stamp = Date.now()
  const rows = Array.from(
    { length: 50_000 },
    (_, n) => `Person ${n},${n}.${stamp}${n % 10_000 === 9_999 ? '' : '@grid.example'}`,
  )
  const id = await bring(page, ['Name,Email', ...rows].join('\n'))
  await page.goto(`/imports/${id}/rows`)
  const grid = page.getByRole('grid', { name: 'Rows' })
  await expect(grid).toHaveAttribute('aria-rowcount', '50001')
  await expect(grid.getByRole('gridcell', { name: 'Person 0', exact: true })).toBeVisible()
  await grid.focus()
  await page.keyboard.press('Control+End')
  await expect(grid.getByRole('gridcell', { name: 'Person 49999', exact: true })).toBeVisible()
  await grid.evaluate((area) => {
    area.scrollTop = area.scrollHeight / 2
  })
  await expect(grid.getByText(/^Person (249|250)\d\d$/).first()).toBeVisible()
  expect(await grid.getByRole('row').count()).toBeLessThan(60)
  await page.getByRole('button', { name: 'Show these' }).click()
  await expect(page.getByText('5 rows', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Show all' }).last().click()
  await page.getByPlaceholder('Search in cells').fill(`49123.${stamp}`)
  await expect(page.getByText('1 row', { exact: true })).toBeVisible()
  await expect(grid.getByRole('gridcell', { name: 'Person 49123', exact: true })).toBeVisible()
  await accessible(page)
})

/** Imports members of 100,000 types and ignores the first 10,000, which need a decision before the rows are read. The import then waits for the others. */
async function askForMany({ request }: Page): Promise<string> {
  const types = Array.from({ length: 100_000 }, (_, n) =>
    n === 61_803 ? 'Seniors' : n === 27_182 ? 'Juniors' : `K${n}`,
  )
  const rows = types.toSpliced(54_321, 0, 'K54321').map((type, n) => `A;B;${n}@a.bc;${type}`)
  const id = await send({ request }, ['First name;Last name;Email;Membership type', ...rows].join('\n'))
  await settled({ request }, id, /CELL_MAPPING/)
  const open = async () =>
    Number((await request.get(`/api/imports/${id}/cell-mappings?open=true&size=1`)).headers()['x-total-count'])
  await expect.poll(open).toBe(10_000)
  expect(
    (
      await request.put(`/api/imports/${id}/cell-mappings`, {
        data: [{ targetField: 'MEMBERSHIP_TYPE_ID', ignore: true }],
      })
    ).ok(),
  ).toBe(true)
  expect((await request.post(`/api/imports/${id}/cell-mappings/confirm`)).ok()).toBe(true)
  await expect.poll(open, { timeout: 120_000 }).toBe(90_000)
  await settled({ request }, id, /CELL_MAPPING/, 120_000)
  return id
}

test('100,000 values are scrolled, filtered by text, and matched one by one and by rules', async ({ page }) => {
  const id = await askForMany(page)
  await page.goto(`/imports/${id}`)
  const grid = page.getByRole('grid', { name: 'Match values' })
  await expect(grid).toHaveAttribute('aria-rowcount', '100001')
  await expect(grid.getByRole('row').nth(1)).toContainText('K54321')
  await expect(page.getByText('90,000 unmatched values')).toBeVisible()
  await grid.focus()
  await page.keyboard.press('Control+End')
  await expect(grid.locator('[aria-rowindex="100001"]')).toContainText(/K\d+/)
  await grid.evaluate((area) => {
    area.scrollTop = area.scrollHeight / 2
  })
  await expect(grid.getByText(/^K\d{5}$/).first()).toBeVisible()
  expect(await grid.getByRole('row').count()).toBeLessThan(60)

  await page.getByPlaceholder('Search values').fill('k7777')
  await expect(page.getByText('11 values found')).toBeVisible()
  await grid.getByRole('gridcell', { name: 'K77777', exact: true }).click()
  await page
    .getByRole('region', { name: 'Match “K77777” with' })
    .getByRole('button', { name: 'Skip these rows' })
    .click()
  await expect(grid.getByRole('row').filter({ hasText: 'K77777' })).toContainText('Rows skipped')
  await expect(page.getByText('89,999 unmatched values')).toBeVisible()
  await accessible(page)

  await page.getByPlaceholder('Search values').fill('niors')
  await expect(page.getByText('2 values found')).toBeVisible()
  await page.getByRole('button', { name: 'Accept 2 suggestions' }).click()
  await expect(grid.getByRole('row').filter({ hasText: 'Juniors' }).getByRole('gridcell').nth(1)).toHaveText('Junior')
  await expect(page.getByText('89,997 unmatched values')).toBeVisible()

  await page.getByPlaceholder('Search values').fill('')
  await expect(grid).toHaveAttribute('aria-rowcount', '100001')
  await page.getByLabel('For all unmatched values of Membership type').check()
  await page.getByRole('button', { name: 'Create new' }).click()
  await expect(page.getByText('All values are matched.')).toBeVisible({ timeout: 120_000 })
  for (const [value, match] of [
    ['K54321', 'Will be created'],
    ['K77777', 'Rows skipped'],
  ] as const) {
    await page.getByPlaceholder('Search values').fill(value)
    await expect(grid.getByRole('row').nth(1)).toContainText(value + match)
  }
})
