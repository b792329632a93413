import { accessible, expect, test } from './console'
import { club, send } from './club'
import { answerColumns } from './made'
import { bring } from './people'

test.describe.configure({ timeout: 300_000 })

test('the last of 50,000 rows is a key away, and a filter finds rows beyond the first part of the answer', async ({ page }) => {
  const stamp = Date.now()
  const rows = Array.from({ length: 50_000 }, (_, n) => `Person ${n},${n}.${stamp}${n % 10_000 === 9_999 ? '' : '@grid.example'}`)
  const id = await bring(page, ['Name,Email', ...rows].join('\n'))
  await page.goto(`/imports/${id}/rows`)
  const grid = page.getByRole('grid', { name: 'Rows' })
  await expect(grid).toHaveAttribute('aria-rowcount', '50001')
  await expect(grid.getByRole('gridcell', { name: 'Person 0', exact: true })).toBeVisible()
  await grid.focus()
  await page.keyboard.press('Control+End')
  await expect(grid.getByRole('gridcell', { name: 'Person 49999', exact: true })).toBeVisible()
  await grid.evaluate((area) => { area.scrollTop = area.scrollHeight / 2 })
  await expect(grid.getByText(/^Person (249|250)\d\d$/).first()).toBeVisible()
  expect(await grid.getByRole('row').count()).toBeLessThan(60)
  await page.getByRole('button', { name: 'Show these' }).click()
  await expect(page.getByText('5 rows', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Show all' }).last().click()
  await page.getByPlaceholder('Find in cells').fill(`49123.${stamp}`)
  await expect(page.getByText('1 row', { exact: true })).toBeVisible()
  await expect(grid.getByRole('gridcell', { name: 'Person 49123', exact: true })).toBeVisible()
  await accessible(page)
})

test('thousands of values are scrolled through, those in most rows first', async ({ page }) => {
  const [header] = club.split('\n')
  const rows = Array.from({ length: 5_000 }, (_, n) => `Ute Lang;ute${n}@grid.example;19/06/1993;Femme;Sorte ${n};15/02/2026`)
  for (let often = 0; often < 3; often++) rows.push(`Ute Lang;often${often}@grid.example;19/06/1993;Femme;Sorte 4321;15/02/2026`)
  const id = await send(page, `${[header, ...rows].join('\n')}\n`)
  await answerColumns(page, id)
  await page.goto(`/imports/${id}`)
  const grid = page.getByRole('grid', { name: 'Some values are unknown' })
  await expect(grid).toHaveAttribute('aria-rowcount', '5002')
  await expect(grid.getByRole('row').nth(1)).toContainText('Femme')
  await expect(grid.getByRole('row').nth(2)).toContainText('Sorte 4321')
  await expect(page.getByText('5,001 values are open')).toBeVisible()
  await grid.focus()
  await page.keyboard.press('Control+End')
  await expect(grid.getByText(/^Sorte \d+$/).last()).toBeVisible()
  await expect(grid.locator('[aria-rowindex="5002"]')).toContainText('Sorte')
})
