import { accessible, expect, picture, test } from './console'
import { bring, settled } from './people'

const file = (stamp: number, ...names: string[]) =>
  ['Name,Email', ...names.map((name, n) => `${name},p${n}.${stamp}@stale.example`)].join('\n')

test('records that change after a preview are announced before the import, explained afterwards, and previewed again', async ({
  page,
}) => {
  const stamp = Date.now()
  await bring(page, file(stamp, 'Ada', 'Grace', 'Alan'))
  const plan = await bring(page, file(stamp, 'Adele', 'Gracia', 'Alan'), { plan: 'true', mode: 'upsert' })
  await page.goto(`/imports/${plan}`)
  await expect(page.getByRole('button', { name: 'Import 2 rows' })).toBeVisible()
  await expect(page.getByText('1 row has changed')).toHaveCount(0)

  const later = await bring(page, file(stamp, 'Augusta'), { mode: 'upsert' })
  await page.reload()
  const notice = page.getByRole('status').filter({ hasText: '1 row has changed since the preview' })
  await expect(notice).toContainText('Name: Ada became Augusta')
  await expect(notice.getByRole('link', { name: 'people.csv' })).toHaveAttribute('href', `/imports/${later}`)
  await accessible(page)
  await picture(page, 'preview-stale')

  await page.getByRole('button', { name: 'Import 2 rows' }).click()
  await settled(page, plan, /COMPLETED/)
  await expect(page.getByText('1 row was skipped because its record changed after the preview.')).toBeVisible()
  await accessible(page)
  await picture(page, 'stale-skipped')
  await page.getByRole('link', { name: 'Show rows' }).click()
  await expect(page.getByText('The data of this row has changed since the plan was created.')).toBeVisible()
  await page.goBack()

  // The stored file is previewed again with the same settings and columns, without a question.
  await page.getByRole('link', { name: 'Preview again' }).click()
  await expect(page.getByText('people.csv', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Preview changes' }).click()
  await expect(page.getByRole('button', { name: 'Import 1 row' })).toBeVisible({ timeout: 60_000 })
  await expect(page.getByText('Augusta').first()).toBeVisible() // in the summary and in the changes
})

test('rows that are corrected in a preview are imported with it', async ({ page }) => {
  const stamp = Date.now()
  const plan = await bring(page, `${file(stamp, 'Ada', 'Grace')}\nBad,nowhere.${stamp}`, { plan: 'true' })
  await page.goto(`/imports/${plan}/rows?show=open`)
  await page.getByRole('gridcell', { name: `nowhere.${stamp}` }).dblclick()
  const cell = page.getByRole('textbox', { name: /^Email/ })
  await cell.fill(`bad.${stamp}@stale.example`)
  await page.keyboard.press('Enter')
  await expect(page.getByText('1 row is corrected and is imported with the preview.')).toBeVisible()
  await accessible(page)
  await picture(page, 'preview-corrected')
  await page.getByRole('link', { name: 'Back to the preview' }).click()
  await expect(page.getByText('1 corrected row is imported too.')).toBeVisible()
  await page.getByRole('button', { name: 'Import 3 rows' }).click()
  await settled(page, plan, /COMPLETED/)
  await expect
    .poll(
      async () => {
        const job = (await (await page.request.get(`/api/imports/${plan}`)).json()) as { openErrors: number }
        return job.openErrors
      },
      { timeout: 60_000 },
    )
    .toBe(0)
})
