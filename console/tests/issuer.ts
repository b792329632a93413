import { expect, type Page } from '@playwright/test'

/** Who signs in at the issuer for development, and for how long tokens are valid. */
type Person = { name?: string; organisation?: string; seconds?: string; /** Whether it is an operator of the installation. */ operates?: boolean }

/** Fills in the issuer's page. It has to be there first: the console, which goes there by itself, has fields of such names, too. */
export async function signIn(page: Page, { name = 'ada', organisation = '1', seconds, operates = false }: Person = {}): Promise<void> {
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
