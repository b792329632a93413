import { readFileSync } from 'node:fs'
import { accessible, expect, picture, test } from './console'
import { bring } from './people'

test('columns and rows of an export are selected, counted, written and downloaded', async ({ page }) => {
  await page.goto('/exports')
  await expect(page.getByRole('heading', { name: 'No exports yet' })).toBeVisible()
  await accessible(page)
  const club = `Club ${Date.now()}`
  await bring(
    page,
    ['Name,Email', ...Array.from({ length: 30 }, (_, n) => `${club} ${n},${n}.${Date.now()}@export.example`)].join(
      '\n',
    ),
  )
  await page.goto('/exports')
  await page.getByRole('link', { name: 'New export' }).first().click()
  await page.getByRole('button', { name: /Choose a type/ }).click()
  await page.getByRole('option', { name: /^Users?$|People|Persons/ }).click()
  await expect(page.getByText(/^[\d,]+ rows$/)).toBeVisible()
  await page.getByRole('button', { name: /Add filter/ }).click()
  await page.getByRole('option', { name: 'Name', exact: true }).click()
  await page.getByRole('group', { name: 'Name' }).getByRole('textbox').fill(`${club} 3, ${club} 4`)
  await expect(page.getByText('2 rows')).toBeVisible()
  await page.getByRole('button', { name: 'None', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Start export' })).toBeDisabled()
  await page.getByRole('group', { name: 'Columns' }).getByText('Name', { exact: true }).click()
  await accessible(page)
  await picture(page, 'export-new')
  await page.getByRole('button', { name: 'Start export' }).click()
  await expect(page.getByText('Ready')).toBeVisible()
  await accessible(page)
  await picture(page, 'exports')
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download' }).click()
  expect(
    readFileSync(await (await download).path(), 'utf8')
      .split('\r\n')
      .slice(0, 3)
      .sort(),
  ).toEqual([`${club} 3`, `${club} 4`, 'name'])
})
