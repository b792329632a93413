import { accessible, expect, picture, test } from './console'
import { bring } from './people'

test.describe.configure({ timeout: 300_000 })

test('an import whose wrong rows are all corrected shows this, and so does each row', async ({ page }) => {
  const stamp = Date.now()
  const people = [
    'Ada Lovelace',
    'Grace Hopper',
    'Emmy Noether',
    'Sofia Kovalevskaya',
    'Mary Somerville',
    'Hedy Lamarr',
  ]
  const id = await bring(
    page,
    [
      'Name,Email',
      ...people.map(
        (name, n) => `${name},${name.split(' ')[0]!.toLowerCase()}.${stamp}${n === 2 ? '' : '@right.example'}`,
      ),
    ].join('\n'),
  )
  await page.goto(`/imports/${id}`)
  await expect(page.getByText('Completed with errors').first()).toBeVisible()
  await page.getByRole('link', { name: 'Fix 1 row' }).click()
  await page.getByRole('gridcell', { name: `emmy.${stamp}`, exact: true }).dblclick()
  await page.getByRole('textbox', { name: /^Email/ }).fill(`emmy.${stamp}@right.example`)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Import 1 corrected row' }).click()
  await expect(page.getByText('All rows imported')).toBeVisible({ timeout: 90_000 })
  await expect(page.getByText('Completed, errors fixed')).toBeVisible()
  await page.getByRole('button', { name: 'Show all' }).first().click()
  await page.getByRole('gridcell', { name: 'Emmy Noether' }).click()
  const detail = page.getByRole('region', { name: 'Row 4' })
  await expect(detail.getByText('This row was fixed and imported.')).toBeVisible()
  await expect(detail.getByText(`Email changed to “emmy.${stamp}@right.example”.`)).toBeVisible()
  await expect(detail.getByText(/not a mail address/)).toHaveCount(0)
  await accessible(page)
  await picture(page, 'rows-righted')

  await page.getByRole('link', { name: 'Overview' }).click()
  await expect(page.getByText('Completed, errors fixed').first()).toBeVisible()
  await expect(
    page
      .locator('dl > div')
      .filter({ hasText: /^Errors/ })
      .getByText('0', { exact: true }),
  ).toBeVisible()
  await expect(
    page
      .locator('dl > div')
      .filter({ hasText: /^Fixed/ })
      .getByText('1', { exact: true }),
  ).toBeVisible()
  await expect(page.getByRole('button', { name: 'Download rows with errors' })).toHaveCount(0)
  await accessible(page)
  await picture(page, 'import-righted')
})

test('warnings about a file are sentences', async ({ page }) => {
  const id = await bring(page, 'Name,Email\n', {})
  await page.goto(`/imports/${id}`)
  const noticed = page.getByRole('heading', { name: 'Warnings' }).locator('xpath=ancestor::section[1]')
  await expect(noticed.getByText('The file has a header, but no rows.')).toBeVisible()
  await expect(noticed.getByText(/NO_ROWS/)).toHaveCount(0)
})

test('an undo and the import that it reverted link to each other, in the list and in the history', async ({ page }) => {
  const stamp = Date.now()
  const file = (names: string) => `Name,Email\n${names},grace.${stamp}@undone.example\n`
  await bring(page, file('Grace'))
  const id = await bring(page, file('Grace Hopper'), { mode: 'upsert' })
  await page.goto(`/imports/${id}/undo`)
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('button', { name: 'Undo these changes' }).click({ timeout: 90_000 })
  await expect(page.getByText('This import undoes the changes of another import.')).toBeVisible()
  await expect(page.getByText('Completed').first()).toBeVisible({ timeout: 90_000 })
  const undo = new URL(page.url()).pathname
  await page.getByRole('link', { name: 'View that import' }).click()
  await expect(page).toHaveURL(new RegExp(`/imports/${id}$`))
  await expect(page.getByText('The changes of this import were undone.')).toBeVisible()
  await accessible(page)
  await picture(page, 'import-undone')
  await expect(page.getByRole('link', { name: 'View the undo' })).toHaveAttribute('href', undo)

  await page.goto('/')
  const entry = page
    .getByRole('table', { name: 'Other imports' })
    .getByRole('row')
    .filter({ has: page.locator(`a[href="/imports/${id}"]`) })
  await expect(entry.getByText('Undone', { exact: true })).toBeVisible()
  await expect(entry.locator(`a[href="${undo}"]`)).toHaveText('Undo') // below its import
  await expect(entry.getByRole('link', { name: 'Undo preview' })).toBeVisible()

  await page.goto(
    `/history?${new URLSearchParams({ type: 'USER', by: 'EMAIL', key: `grace.${stamp}@undone.example` })}`,
  )
  const changes = page.getByRole('listitem')
  await expect(changes.filter({ hasText: 'Undo' }).getByRole('link', { name: 'View that import' })).toHaveAttribute(
    'href',
    `/imports/${id}`,
  )
  await expect(
    changes.filter({ hasText: 'Undone later' }).getByRole('link', { name: 'View the undo' }),
  ).toHaveAttribute('href', undo)
  await accessible(page)
  await picture(page, 'history-undone')
})
