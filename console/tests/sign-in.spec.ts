import { accessible, expect, picture } from './console'
import { signIn } from './issuer'
import { test } from './signed-in'

test(
  'a person signs in and returns to their page, and a reload needs no new sign-in',
  { tag: '@journey' },
  async ({ page }) => {
    await page.goto('/imports/new?of=people')
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
    await picture(page, 'sign-in')
    await signIn(page)
    await expect(page).toHaveURL(/\/imports\/new\?of=people$/)
    await expect(page.getByRole('heading', { name: 'New import' })).toBeVisible()
    await expect(page.getByText('ada', { exact: true })).toBeVisible()
    await page.getByRole('link', { name: 'Imports', exact: true }).first().click()
    await expect(page.getByRole('heading', { name: 'Import your first file' })).toBeVisible()
    expect(
      await page.evaluate(() => JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)])),
    ).not.toContain('eyJ')
    await accessible(page)
    await picture(page, 'signed-in')
    await page.reload()
    await expect(page.getByRole('heading', { name: 'Import your first file' })).toBeVisible()
  },
)

test('tokens are renewed while the console is open', async ({ page }) => {
  await page.goto('/')
  await signIn(page, { seconds: '2' })
  await expect(page.getByRole('heading', { name: 'Import your first file' })).toBeVisible()
  const renewal = await page.waitForRequest(
    (request) => request.url().endsWith('/token') && request.postData()!.includes('grant_type=refresh_token'),
  )
  expect((await renewal.response())!.status()).toBe(200)
  const polled = await page.waitForResponse((response) => response.url().includes('/api/imports'))
  expect([200, 304]).toContain(polled.status())
})

test('an ended session has its own message, and its data is cleared for the next person', async ({
  page,
  context,
  strict,
}) => {
  await page.goto('/')
  await signIn(page, { seconds: '2' })
  await expect(page.getByRole('heading', { name: 'Import your first file' })).toBeVisible()
  await context.request.get(`${strict.url}/local/openid/end-session`)
  await expect(page.getByRole('alert').getByRole('heading', { name: 'Your session has expired' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Import your first file' })).toBeHidden()
  await accessible(page)
  await picture(page, 'expired')
  await page.getByRole('button', { name: 'Sign in again' }).click()
  const first = page.waitForRequest((request) => request.url().includes('/api/imports?'))
  await signIn(page, { name: 'grace', organisation: '2' })
  await expect(page.getByText('grace', { exact: true })).toBeVisible()
  expect((await first).headers()['if-none-match']).toBeUndefined()
})

test('after signing out, a person has to sign in again', async ({ page }) => {
  await page.goto('/')
  await signIn(page)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await page.goto('/imports/new')
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
})

test('an unrequested response of the issuer signs nobody in', async ({ page }) => {
  await page.goto('/signed-in?code=stolen&state=guessed')
  await expect(page.getByRole('alert').getByRole('heading', { name: 'Sign-in failed' })).toBeVisible()
  await accessible(page)
  await page.getByRole('button', { name: 'Sign in again' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
})
