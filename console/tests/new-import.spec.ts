import { writeFileSync } from 'node:fs'
import { accessible, expect, picture, test } from './console'
import { choosePeople, keepProfile, large, people } from './people'

test('a profile and a label are set with the file', async ({ page }) => {
  const profile = `Paris ${Date.now()}`
  await keepProfile(page, profile)
  await page.goto('/imports/new')
  await choosePeople(page)
  await page.getByRole('button', { name: /^Profile|None \(match/ }).click()
  await page.getByRole('option', { name: profile }).click()
  await page.getByLabel('Label (optional)').fill('July')
  await page.getByRole('tab', { name: 'Paste' }).click()
  await page
    .getByRole('textbox', { name: /^Rows/ })
    .fill(`Qui;Courriel\nAnneke de Vries;anneke.${Date.now()}@example.org\n`)
  await accessible(page)
  await picture(page, 'new-profile')
  await page.getByRole('button', { name: 'Preview changes' }).click()
  await expect(page.getByText('1 of 1 rows')).toBeVisible()
  await expect(page.getByText(`${profile}, version 1`)).toBeVisible()
  await expect(page.getByText('July', { exact: true })).toBeVisible()
})

test('a file is fetched from a URL, and a forbidden URL is reported at once', async ({ page }) => {
  await page.goto('/imports/new')
  await choosePeople(page)
  await page.getByRole('tab', { name: 'URL' }).click()
  const address = page.getByLabel('File URL')
  await address.fill('members.csv')
  await page.getByRole('button', { name: 'Preview changes' }).click()
  await expect(page.getByText('Choose a file, paste rows or enter a URL.')).toBeVisible()
  await address.fill('http://127.0.0.1/members.csv')
  await page.getByRole('button', { name: 'Preview changes' }).click()
  await expect(page.getByRole('heading', { name: 'The import could not be started' })).toBeVisible()
  await accessible(page)
  await picture(page, 'new-address')
  await address.fill('https://files.invalid/members.csv')
  await page.getByRole('button', { name: 'Preview changes' }).click()
  await expect(page).toHaveURL(/\/imports\/[0-9a-f-]{36}$/)
  await expect(page.getByRole('heading', { level: 1, name: 'members.csv' })).toBeVisible()
})

test('the options that a type requires are entered with the file, and other types do not show them', async ({
  page,
}) => {
  await page.goto('/imports/new')
  await choosePeople(page)
  await expect(page.getByRole('group', { name: 'More settings' })).toHaveCount(0)
  await page
    .getByRole('button', { name: /^Type|Users/ })
    .first()
    .click()
  await page.getByRole('option', { name: 'Results', exact: true }).click()
  const settings = page.getByRole('group', { name: 'More settings' })
  await expect(
    settings.getByText('The same number can be an entry, a registration or a person. Choose what your file contains.'),
  ).toBeVisible()
  await settings.getByRole('button', { name: /Participant column contains/ }).click()
  await page.getByRole('option', { name: 'Registration numbers' }).click()
  await settings.getByRole('button', { name: /Update changed race numbers/ }).click()
  await page.getByRole('option', { name: 'Yes' }).click()
  await page.getByRole('combobox').click()
  await page.getByRole('option').first().click()
  await page.getByRole('tab', { name: 'Paste' }).click()
  await page.getByRole('textbox', { name: /^Rows/ }).fill('Category;Sequence;Participant id;Position\nElite;1;R-1;1\n')
  await accessible(page)
  await picture(page, 'new-options')
  const made = page.waitForResponse(
    (response) => response.url().endsWith('/api/imports') && response.request().method() === 'POST',
  )
  await page.getByRole('button', { name: 'Preview changes' }).click()
  expect(((await (await made).json()) as { options: object }).options).toMatchObject({
    participantIdMode: 'regid',
    applyNumberChanges: 'true',
  })
})

test('the template is downloaded with the token of the session', async ({ page }) => {
  await page.goto('/imports/new')
  await choosePeople(page)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download the template' }).click()
  expect((await download).suggestedFilename()).toMatch(/\.xlsx$/)
})

test('a file of 105 MB is uploaded in parts, paused, and resumed after a reload with the missing parts', async ({
  page,
}, info) => {
  test.setTimeout(240_000)
  const path = info.outputPath('large.csv')
  const content = large(105 << 20)
  writeFileSync(path, content)
  const parts: number[] = []
  let release = (): void => undefined
  const paused = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/[?&]partNumber=\d/, async (route) => {
    parts.push(Number(new URL(route.request().url()).searchParams.get('partNumber')))
    if (parts.length > 3) await paused // the fourth is under way until it is paused, however quick the machine is
    await route.continue().catch(() => undefined) // the page may have aborted it
  })
  await page.goto('/imports/new')
  await choosePeople(page)
  await page.locator('input[type=file]').setInputFiles(path)
  await page.getByRole('button', { name: 'Preview changes' }).click()
  await expect.poll(() => parts.length, { timeout: 60_000 }).toBe(4)
  await page.getByRole('button', { name: 'Pause' }).click()
  await expect(page.getByText(/Paused/)).toBeVisible()
  await accessible(page)
  await picture(page, 'upload-paused')
  release()
  const complete = new Set(parts.slice(0, -1)) // the last one was under way

  await page.goto('/')
  await page.getByRole('link', { name: 'large.csv' }).click()
  await expect(page.getByRole('heading', { name: 'The upload is not complete' })).toBeVisible()
  await accessible(page)
  await picture(page, 'upload-open')
  writeFileSync(info.outputPath('other.csv'), people(1))
  await page.locator('input[type=file]').setInputFiles(info.outputPath('other.csv'))
  await expect(page.getByText('Choose the same file')).toBeVisible()
  parts.length = 0
  await page.locator('input[type=file]').setInputFiles(path)
  await expect(page.getByText(/Changes to review|Match columns/).first()).toBeVisible({ timeout: 120_000 })
  expect(parts.length).toBeGreaterThan(0)
  expect(parts.filter((part) => complete.has(part))).toEqual([])
})
