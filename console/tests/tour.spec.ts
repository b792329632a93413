import { accessible, expect, picture } from './console'
import { signIn } from './issuer'
import { looked } from './people'
import { test } from './signed-in'

test('an empty installation offers sample data and a tour that ends with a finished import', async ({ page }) => {
  await page.goto('/')
  await signIn(page)
  await expect(page.getByRole('heading', { name: 'Import your first file' })).toBeVisible()
  await page.getByRole('button', { name: 'Take the two-minute tour' }).click()

  const tour = page.getByRole('region', { name: 'Tour' })
  await expect(tour).toContainText('2 of 6: Check the type and the first rows.')
  await expect(page.getByText('sample.csv', { exact: true })).toBeVisible()
  await looked(page)
  await expect(page.getByText('Looks like Users: 3 of 3 columns recognised.')).toBeVisible()
  await accessible(page)
  await picture(page, 'tour-new')
  await page.getByRole('button', { name: 'Preview changes' }).click()

  await expect(tour).toContainText('4 of 6: Look at the preview.', { timeout: 60_000 })
  await accessible(page)
  await picture(page, 'tour-preview')
  await page.getByRole('link', { name: 'Show 1 row with errors' }).click()
  await expect(tour).toContainText('5 of 6: Fix the red cell.')
  await page.getByRole('gridcell', { name: 'katherine.johnson(at)example.com' }).dblclick()
  await page.getByRole('textbox', { name: /^Email/ }).fill('katherine.johnson@example.com')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Back to the preview' }).click()
  await page.getByRole('button', { name: 'Import 8 rows' }).click()
  await expect(tour).toContainText('6 of 6: Done.', { timeout: 60_000 })
  await page.reload()
  await expect(tour).toContainText('6 of 6: Done.')
  await tour.getByRole('button', { name: 'Finish' }).click()
  await expect(tour).toHaveCount(0)
})
