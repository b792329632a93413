import { accessible, expect, picture, test } from './console'
import { bring } from './people'

test('a cell is corrected by typing on it, restored with Ctrl+Z, and corrected by pasting', async ({ page }) => {
  const stamp = Date.now()
  const job = await bring(page, `Name,Email\nAda,ada.${stamp}@edit.example\nBob,nowhere\n`)
  await page.goto(`/imports/${job}/rows?show=open`)
  const wrong = page.getByRole('gridcell', { name: 'nowhere', exact: true })
  const ready = page.getByRole('button', { name: 'Import 1 corrected row' })
  await wrong.click()
  await page.keyboard.type(`bob.${stamp}@edit.example`)
  await page.keyboard.press('Enter')
  await expect(ready).toBeVisible()
  await expect(page.getByRole('grid')).toBeFocused()
  await page.keyboard.press('Control+z')
  await expect(wrong).toBeVisible()
  await expect(ready).toHaveCount(0)
  await page.getByRole('grid').evaluate((grid, text) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', text)
    grid.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, `rob.${stamp}@edit.example\n`)
  await expect(ready).toBeVisible()
  await accessible(page)
  await picture(page, 'grid-edit')
  await ready.click()
  await expect(page.getByText('All rows imported')).toBeVisible()
})
