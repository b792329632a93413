import { accessible, expect, test } from './console'

test('an API key is created, used, rotated and revoked', async ({ page, playwright, baseURL }) => {
  const name = `nightly ${Date.now()}`
  await page.goto('/settings')
  await page.getByRole('button', { name: 'New API key' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill(name)
  await page.getByRole('checkbox', { name: 'View imports' }).check({ force: true })
  await accessible(page)
  await page.getByRole('button', { name: 'Create key' }).click()
  const secret = page.getByRole('status').locator('code')
  await expect(secret).toHaveText(/^lbk_/)
  const first = (await secret.textContent())!
  const row = page.getByRole('row', { name: new RegExp(name) })
  await expect(row.getByText('Active')).toBeVisible()
  await accessible(page)

  const program = await playwright.request.newContext({ baseURL: baseURL! })
  const status = async (key: string) =>
    (await program.get('/key/api/imports', { headers: { Authorization: `Bearer ${key}` } })).status()
  expect(await status(first)).toBe(200)

  await row.getByRole('button', { name: 'Rotate' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
  await expect(secret).not.toHaveText(first)
  const second = (await secret.textContent())!
  await expect(row.getByText('Former key accepted until')).toBeVisible()
  expect(await status(first)).toBe(200)
  expect(await status(second)).toBe(200)

  await row.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await expect(row.getByText('Revoked')).toBeVisible()
  expect([await status(first), await status(second)]).toEqual([401, 401])
  await page.reload()
  await expect(page.getByText('lbk_')).toHaveCount(0)
  await program.dispose()
})
