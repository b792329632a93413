import { accessible, expect, picture, test } from './console'
import { kept, token } from './organisation'
import { bring, choosePeople, importPreviewed, settled } from './people'

const file = (stamp: number, bad: string[] = []) =>
  ['Name,Email', `Ada,ada.${stamp}@preview.example`, `Grace,grace.${stamp}@preview.example`, ...bad].join('\n')

test('an import is previewed by default, and only what was previewed is written', async ({ page, baseURL }) => {
  const stamp = Date.now()
  const written = async () =>
    (await kept(baseURL!, await token(page.request, 'organisation=1'), 'users')).filter(({ email }) =>
      email?.includes(`.${stamp}@`),
    ).length
  await page.goto('/imports/new')
  await choosePeople(page)
  await page.getByRole('tab', { name: 'Paste' }).click()
  await page.getByRole('textbox', { name: /^Rows/ }).fill(file(stamp, ['Bad,nowhere']))
  await expect(page.getByText('Nothing is saved until you confirm the preview.')).toBeVisible()
  await page.getByRole('button', { name: 'Preview changes' }).click()
  await expect(page.getByText('3 of 3 rows checked, nothing saved')).toBeVisible()
  await expect(page.getByText('Would create')).toBeVisible()
  await expect(page.getByText('Created', { exact: true })).toHaveCount(0)
  await expect(page.getByText('1 row has errors and is not imported.')).toBeVisible()
  expect(await written()).toBe(0)
  await accessible(page)
  await picture(page, 'preview-errors')

  await page.getByRole('link', { name: 'Show 1 row with errors' }).click()
  await expect(page.getByText('Nothing is saved yet. Fix red cells here')).toBeVisible()
  await expect(page.getByRole('gridcell', { name: 'nowhere' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Retry rows' })).toHaveCount(0)
  await page.goBack()
  await importPreviewed(page)
  await expect(page.getByText('Completed with errors').first()).toBeVisible()
  await expect(page.getByText('Created', { exact: true })).toBeVisible()
  expect(await written()).toBe(2)
})

test('the choice to import without preview is remembered in this browser', async ({ page }) => {
  const stamp = Date.now()
  await page.goto('/imports/new')
  await page.getByText('Import without preview').click()
  await expect(page.getByRole('button', { name: 'Start import' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('checkbox', { name: 'Import without preview' })).toBeChecked()
  await choosePeople(page)
  await page.getByRole('tab', { name: 'Paste' }).click()
  await page.getByRole('textbox', { name: /^Rows/ }).fill(file(stamp))
  await page.getByRole('button', { name: 'Start import' }).click()
  await expect(page.getByText('2 of 2 rows', { exact: true })).toBeVisible()
  await expect(page.getByText('Completed').first()).toBeVisible()
})

test('a discarded preview leaves nothing behind, and a dry run does not claim to have written', async ({ page }) => {
  const plan = await bring(page, file(Date.now()), { plan: 'true' })
  await page.goto(`/imports/${plan}`)
  await page.getByRole('button', { name: 'Discard preview' }).click()
  await expect(page.getByRole('dialog').getByText('Nothing was imported.')).toBeVisible()
  await page.getByRole('dialog').getByRole('button', { name: 'Discard preview' }).click()
  await settled(page, plan, /CANCELLED/)
  await expect(page.getByText('Would create')).toBeVisible()
  await expect(page.getByRole('link', { name: 'View changes' })).toHaveCount(0)

  const checked = await bring(page, file(Date.now() + 1, ['Bad,nowhere']), { dryRun: 'true' })
  await page.goto(`/imports/${checked}`)
  await expect(page.getByText('Checked: errors found')).toBeVisible()
  await expect(page.getByText('3 of 3 rows checked, nothing saved')).toBeVisible()
  await expect(page.getByRole('list', { name: 'Steps' }).getByText('Write')).toHaveCount(0)
  await expect(page.getByText('Created', { exact: true })).toHaveCount(0)
  await page.getByRole('link', { name: 'Show 1 row with errors' }).click()
  await expect(page.getByText('Nothing was saved. To correct rows')).toBeVisible()
  await expect(page.getByRole('button', { name: /Retry|corrected/ })).toHaveCount(0)
})
