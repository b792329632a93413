import { accessible, expect, picture, test } from './console'
import { bring, choosePeople } from './people'

test('existing records are updated from the list of errors, and the decisions are kept for the next file', async ({
  page,
}) => {
  const stamp = Date.now()
  const header = `Name,Email,Remark ${stamp}` // columns that no other test has
  const file = (suffix: string) =>
    [header, `Ada${suffix},ada.${stamp}@second.example,`, `Ute${suffix},ute.${stamp}@second.example,`].join('\n')
  const first = await bring(page, file(''))
  const second = await bring(page, file(' Lovelace'))

  // The second file has the same people: instead of errors, they are updated.
  await page.goto(`/imports/${second}/rows?show=open`)
  await page.getByRole('link', { name: 'Update 2 existing records' }).click()
  await expect(page.getByRole('button', { name: /Update.*Existing records/ })).toBeVisible()
  await page.locator('input[type=file]').setInputFiles({
    name: 'people.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(file(' Lovelace')),
  })
  await picture(page, 'new-update')
  await page.getByRole('button', { name: 'Preview changes' }).click()
  await page.getByRole('button', { name: 'Confirm columns' }).click()
  await expect(page.getByText('Would update')).toBeVisible()
  await page.getByRole('button', { name: 'Import 2 rows' }).click()
  await expect(page.getByText('Completed').first()).toBeVisible()
  await expect(page.getByText('Updated', { exact: true })).toBeVisible()
  await expect(page.getByRole('list', { name: 'Steps' })).toHaveCount(0)

  // Any finished import can be kept as a profile, which New import announces for files with the same columns.
  await page.goto(`/imports/${first}`)
  const profile = `Second ${stamp}`
  await expect(page.getByText('Remember for next time?')).toBeVisible()
  await accessible(page)
  await picture(page, 'import-remember')
  await page.getByRole('button', { name: 'Save as profile' }).click()
  await page.getByRole('textbox', { name: 'Profile name' }).fill(profile)
  await expect(page.getByRole('checkbox', { name: /^Apply automatically/ })).toBeChecked()
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText(`Profile ${profile} saved`)).toBeVisible()
  await page.goto('/imports/new')
  await choosePeople(page)
  await page.getByRole('tab', { name: 'Paste' }).click()
  await page.getByRole('textbox', { name: /^Rows/ }).fill(file(' Byron'))
  await expect(page.getByText(`The profile ${profile} will be applied`)).toBeVisible()
  await accessible(page)
  await picture(page, 'new-profile-applies')
})

test('the retries of an import are listed below it', async ({ page }) => {
  const stamp = Date.now()
  const job = await bring(page, `Name,Email\nAda,ada.${stamp}@nested.example\nBob,nowhere\n`)
  const corrected = await page.request.patch(`/api/imports/${job}/rows`, {
    data: { rows: [{ row: 3, cells: { EMAIL: `bob.${stamp}@nested.example` } }] },
  })
  expect(corrected.ok(), await corrected.text()).toBe(true)
  const retry = await page.request.post(`/api/imports/${job}/retry`, { data: {} })
  expect(retry.ok(), await retry.text()).toBe(true)
  const { identifier } = (await retry.json()) as { identifier: string }
  await page.goto('/')
  const entry = page.getByRole('row').filter({ has: page.locator(`a[href="/imports/${identifier}"]`) })
  await expect(entry.locator(`a[href="/imports/${job}"]`)).toBeVisible()
  await expect(entry.getByRole('link', { name: 'Retry' })).toBeVisible()
  await accessible(page)
  await picture(page, 'imports-nested')
  await entry.getByRole('link', { name: 'Retry' }).click()
  await expect(page).toHaveURL(new RegExp(identifier))
})
