import type { Page } from '@playwright/test'
import { test as base } from './console'
import { startStack, type Stack } from './stack'

/** Tests on a stack that refuses calls without a token. */
export const test = base.extend<object, { strict: Stack }>({
  strict: [async ({}, use) => {
    const stack = await startStack({ LOCAL_AUTH: 'required' })
    await use(stack)
    await stack.stop()
  }, { scope: 'worker', timeout: 180_000 }],
  baseURL: async ({ strict }, use) => use(strict.url),
})

/** Says who is there, on the page of the local issuer. */
export async function signIn(page: Page, { name = 'ada', organisation = '1', seconds = '600' } = {}): Promise<void> {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Organisation').fill(organisation)
  await page.getByText('For trying things out').click()
  await page.getByLabel('Tokens are valid for, in seconds').fill(seconds)
  await page.getByRole('button', { name: 'Sign in' }).click()
}
