import { store as storeIn } from './bucket'
import { accessible, expect, picture, test } from './console'
import { people } from './people'

test.describe.configure({ timeout: 120_000 })

test('a webhook is registered, tested, given a new secret and deleted', async ({ page }) => {
  await page.goto('/webhook')
  await page.getByLabel('Endpoint URL').fill('https://hooks.example/loadbay')
  await page.getByRole('button', { name: 'Add webhook' }).click()
  const secret = page.locator('code')
  await expect(secret).toHaveText(/^whsec_/)
  const first = await secret.textContent()
  await page.getByRole('button', { name: 'Create new secret' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Create new secret' }).click()
  await expect(secret).not.toHaveText(first!)
  await expect(page.getByText(/messages are also signed with the previous secret/)).toBeVisible()
  await page.getByRole('button', { name: 'Send test message' }).click()
  await expect(page.getByRole('table', { name: 'Deliveries' }).getByText('webhook.test')).toBeVisible()
  await accessible(page)
  await picture(page, 'webhook')
  await page.reload()
  await expect(page.getByText(/The secret was shown when it was created/)).toBeVisible()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByRole('button', { name: 'Add webhook' })).toBeVisible()
})

test('settings are changed and reset, and an error is shown at its field', async ({ page }) => {
  await page.goto('/settings')
  const zone = page.getByLabel('Time zone')
  await zone.fill('Mars/Olympus')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(zone).toHaveAttribute('aria-invalid', 'true')
  await zone.fill('Europe/Paris')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Last changed')).toBeVisible()
  await page.reload()
  await expect(zone).toHaveValue('Europe/Paris')
  await accessible(page)
  await picture(page, 'settings')
  await zone.fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('button', { name: 'Save' })).toBeDisabled()
  await expect
    .poll(
      async () => ((await (await page.request.get('/api/settings')).json()) as { timeZone: string | null }).timeZone,
    )
    .toBeNull()
})

test('the drop folder shows the quarantine and where to store files', async ({ page }) => {
  await page.goto('/drop')
  await expect(page.getByText('No files in quarantine')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Folder' })).toContainText(/drop\/\d+\/[A-Z_]+\//)
  await accessible(page)
})

test('files that a system stores are imported or quarantined with the reason, and then retried or deleted', async ({
  page,
}) => {
  test.skip(!process.env.LOADBAY_AWS, 'LOADBAY_AWS is not set')
  const store = (name: string, content: string) => storeIn(process.env.LOADBAY_AWS!, `drop/1/USER/-/${name}`, content)
  await store('branch-lyon-november.csv', people(40))
  await store('branch-porto-november.csv', people(25))
  await store('contract.pdf', '%PDF-1.7 and the rest')
  await store('branch-utrecht-november.csv.options.json', '{"mode": "perhaps"}')
  await store('branch-utrecht-november.csv', people(3))
  await page.goto('/drop')
  const aside = page.getByRole('table', { name: 'Quarantine' })
  const wrong = aside.getByRole('row').filter({ hasText: 'branch-utrecht-november.csv' })
  await expect(wrong.first()).toBeVisible({ timeout: 60_000 })
  await expect(page.getByRole('link', { name: 'branch-lyon-november.csv' }).first()).toBeVisible({ timeout: 60_000 })
  await accessible(page)
  await picture(page, 'drop')
  const before = await wrong.count()
  await wrong.first().getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(wrong).toHaveCount(before - 1)
})

test('a template shows the columns of a file and is downloaded', async ({ page }) => {
  await page.goto('/templates')
  await page.getByRole('button', { name: /Type/ }).click()
  await page.getByRole('option', { name: 'Users', exact: true }).click()
  await expect(page.getByRole('table', { name: 'Columns of Users' }).getByText('Required').first()).toBeVisible()
  await accessible(page)
  await picture(page, 'templates')
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download template' }).click()
  expect((await download).suggestedFilename()).toMatch(/\.xlsx$/)
})

test('inputs are aligned, however many lines their labels have', async ({ page }) => {
  await page.setViewportSize({ width: 820, height: 800 })
  await page.goto('/settings?lang=de')
  const places = await Promise.all(
    [
      'Freigabegrenze für neue Zeilen',
      'Freigabegrenze für aktualisierte Zeilen',
      'Freigabegrenzen für Feldänderungen',
    ].map(async (label) => {
      const [input, above] = await Promise.all([
        page.getByRole('textbox', { name: label }).boundingBox(),
        page.getByText(label, { exact: true }).boundingBox(),
      ])
      return { top: Math.round(input!.y), lines: Math.round(above!.height / 19) }
    }),
  )
  expect(new Set(places.map(({ lines }) => lines)).size, 'labels of one line and of two').toBe(2)
  expect(new Set(places.map(({ top }) => top)).size).toBe(1)
})
