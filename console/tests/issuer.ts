import { expect, type Page } from '@playwright/test'

/** A person who signs in at the development issuer, and the lifetime of their tokens. */
type Person = {
  name?: string
  organisation?: string
  seconds?: string
  /** Whether the person is an operator of the installation. */ operates?: boolean
}

/** Fills in the issuer's sign-in page. It waits for that page first because the console has fields with the same names. */
export async function signIn(
  page: Page,
  { name = 'ada', organisation = '1', seconds, operates = false }: Person = {},
): Promise<void> {
  await expect(page.getByRole('heading', { name: 'Sign in', exact: true })).toBeVisible()
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Organisation', { exact: true }).fill(organisation)
  if (operates) await page.getByLabel('Operates the installation').check()
  if (seconds) {
    await page.getByText('For trying things out').click()
    await page.getByLabel('Tokens are valid for, in seconds').fill(seconds)
  }
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}
