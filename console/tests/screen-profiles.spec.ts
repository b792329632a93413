import { accessible, expect, picture, test } from './console'
import { keepProfile } from './people'

test('a profile is renamed, compared with its earlier version, restored and deleted', async ({ page }) => {
  test.setTimeout(120_000)
  const name = `Lyon ${Date.now()}`
  await keepProfile(page, name)
  await page.goto('/profiles')
  await accessible(page)
  await picture(page, 'profiles')
  await page.getByRole('link', { name }).click()
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
  await expect(page.getByRole('table', { name: 'Contents' }).getByText('Courriel')).toBeVisible()
  await expect(page.getByText('There is only one version.')).toBeVisible()
  await page.getByRole('textbox', { name: 'Name' }).fill(`${name}, Rhône`)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: `${name}, Rhône` })).toBeVisible()
  const differences = page.getByRole('table', { name: 'Differences from version 1' })
  await expect(differences.getByRole('cell', { name, exact: true })).toBeVisible()
  await expect(differences.getByRole('cell', { name: `${name}, Rhône` })).toBeVisible()
  await accessible(page)
  await picture(page, 'profile')
  const path = new URL(page.url()).pathname.replace('/profiles/', '/api/profiles/')
  const changed = await page.request.patch(path, {
    headers: { 'If-Match': '"2"' },
    data: {
      mapping: {
        fields: [
          { field: 'EMAIL', from: ['Mail'] },
          { field: 'NAME', from: ['Qui'] },
        ],
      },
    },
  })
  expect(changed.ok(), await changed.text()).toBe(true)
  await page.getByRole('textbox', { name: 'Name' }).fill('too late')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  // The notice of the first save may have left; the conflict with a concurrent change stays.
  await expect(page.getByRole('alertdialog').filter({ hasNotText: 'Saved as version' })).toHaveCount(1)
  await page.reload()
  await page.getByRole('button', { name: 'Restore version 2' }).click()
  await expect(page.getByText('version 4').first()).toBeVisible()
  await expect(page.getByRole('table', { name: 'Contents' }).getByText('Courriel')).toBeVisible()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(page).toHaveURL(/\/profiles$/)
  await expect(page.getByRole('link', { name })).toHaveCount(0)
})
