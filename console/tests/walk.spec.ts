import { accessible, expect, picture, test } from './console'
import { misfits, moving, shifts, shown } from './looks'
import { make, type Made } from './made'
import { paths, places } from './places'

test.describe.configure({ timeout: 1_200_000 })

let made: Made
const screens = () => Object.values(places).flatMap((place) => Object.entries(place(made)))

test.beforeAll(async ({ request }) => {
  made = await make({ request })
})

test('every screen is part of the walk', () => expect(Object.keys(places).sort()).toEqual(paths().sort()))

const visits = [
  {
    lang: 'de',
    sizes: [
      [3840, 2160],
      [320, 640],
    ],
    axe: true,
  },
  {
    lang: 'ar-XB',
    sizes: [
      [320, 640],
      [1280, 800],
    ],
    axe: false,
  },
] as const
for (const { lang, sizes, axe } of visits) {
  test(`every screen fits, and nothing shifts during loading: ${lang}`, async ({ page }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' })
    const faults: string[] = []
    for (const [name, address] of screens()) {
      await page.setViewportSize({ width: sizes[0][0], height: sizes[0][1] })
      await page.goto(`${address}${address.includes('?') ? '&' : '?'}lang=${lang}`)
      await shown(page)
      for (const fault of [...(await shifts(page)), ...(await moving(page))]) faults.push(`${name}: ${fault}`)
      for (const [width, height] of sizes) {
        await page.setViewportSize({ width, height })
        for (const fault of await misfits(page)) faults.push(`${name}, ${width}: ${fault}`)
        if (width === 320) await picture(page, `walk-${name}-${lang}`)
      }
      if (axe) await accessible(page)
    }
    expect(faults).toEqual([])
  })
}

test('a value of a file keeps its character order on right-to-left pages', async ({ page }) => {
  await page.goto(`/imports/${made.faulty}/rows?lang=ar-XB`)
  const cell = page.getByRole('gridcell', { name: /^1\.\d+@walk\.example$/ }).first()
  const [digit, at] = await cell.evaluate((element) => {
    const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode() as Text
    const leftOf = (place: number) => {
      const range = new Range()
      range.setStart(text, place)
      range.setEnd(text, place + 1)
      return range.getBoundingClientRect().left
    }
    return [leftOf(0), leftOf(text.data.indexOf('@'))]
  })
  expect(digit).toBeLessThan(at)
})
