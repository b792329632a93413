import { accessible, expect, picture, test } from './console'
import { bring } from './people'

test('a plan is reviewed, approved and undone, and the history shows it', async ({ page }) => {
  test.setTimeout(180_000)
  const stamp = Date.now()
  const rows = (suffix: string) =>
    [
      'Name,Email',
      ...Array.from({ length: 5 }, (_, n) => `Grace ${n}${suffix},grace${n}.${stamp}@changes.example`),
    ].join('\n')
  const first = await bring(page, rows(''))
  await page.goto(`/imports/${first}/changes`)
  const created = page.getByRole('table', { name: 'All changes' })
  await expect(created.getByText(`grace3.${stamp}@changes.example`)).toBeVisible() // not the id of the record
  await expect(created.getByText(/^users$/)).toHaveCount(0)
  await picture(page, 'changes-created')
  const plan = await bring(page, rows(' Hopper'), { mode: 'upsert', guards: '{"updated": "2"}' })
  await page.goto(`/imports/${plan}`)
  await expect(page.getByRole('heading', { name: 'Waiting for approval' })).toBeVisible()
  const changes = page.getByRole('table', { name: 'All changes' })
  await expect(page.getByText('Updated or deleted records: 5 (limit without approval: 2)')).toBeVisible()
  await expect(changes.getByText('Grace 3 Hopper', { exact: true })).toBeVisible()
  await expect(changes.getByText(`grace3.${stamp}@changes.example, Grace 3 Hopper`)).toBeVisible()
  await expect(page.getByText(/updated at/i)).toHaveCount(0) // times of writes are not shown
  await accessible(page)
  await picture(page, 'changes')
  await page.getByPlaceholder('Search in values').fill('Grace 3')
  await page.getByRole('button', { name: 'Search' }).click()
  await expect(changes.getByRole('row')).toHaveCount(2)
  await page.getByRole('button', { name: 'Approve and import' }).click()
  await expect(page.getByText('5 of 5 rows')).toBeVisible()

  await page.getByRole('link', { name: 'Undo import' }).click()
  await page.getByRole('button', { name: 'Preview' }).click()
  await expect(page.getByText('Will be undone', { exact: true })).toBeVisible()
  await accessible(page)
  await picture(page, 'undo')
  await page.getByRole('button', { name: 'Undo these changes' }).click()
  await expect(page).toHaveURL((url) => /\/imports\/[0-9a-f-]{36}$/.test(url.pathname) && !url.pathname.endsWith(plan))
  await expect(page.getByText(/Completed/).first()).toBeVisible()

  await page.goto(
    `/history?${new URLSearchParams({ type: 'USER', by: 'EMAIL', key: `grace3.${stamp}@changes.example` })}`,
  )
  await expect(page.getByRole('table', { name: 'Current values' }).getByText('Grace 3', { exact: true })).toBeVisible()
  await accessible(page)
  await picture(page, 'history')
  await page.goto(`${page.url()}&lang=de`)
  await expect(page.getByRole('row', { name: /^Aktiv/ }).getByText('ja', { exact: true })).toBeVisible()
})
