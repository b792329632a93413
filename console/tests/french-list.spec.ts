import { accessible, expect, picture, test } from './console'
import { kept, token } from './organisation'
import { importPreviewed, looked } from './people'

/** The member list of a French office: full names in one column, unknown values, an invalid date and an invalid address. */
const list = (stamp: number) =>
  [
    'Effectif au 1er mars;;;;;',
    ';;;;;',
    'Nom complet;Courriel;Né(e) le;Genre;Statut;Entrée',
    ...[
      'Ada Lovelace;ada',
      'Blaise Pascal;blaise',
      'Claude Shannon;claude',
      'Dorothée Noël;dorothee',
      'Émile Borel;emile',
    ].map(
      (person, n) =>
        `${person}.${stamp}@bureau.example;1${n}/06/198${n};${n % 2 ? 'Homme' : 'Femme'};${n === 1 ? 'Alternant' : 'Titulaire'};0${n + 1}/02/2026`,
    ),
    `Fanny Petit;fanny.${stamp} chez bureau.example;31/02/1990;Femme;Titulaire;15/02/2026`,
    'Total;6;;;;',
    '',
  ].join('\r\n')

test.describe.configure({ timeout: 300_000 })

test(
  'a first-time user imports a French list with joined names, corrects it and undoes it',
  { tag: '@journey' },
  async ({ page, baseURL }) => {
    const stamp = Date.now()
    const members = async () =>
      (await kept(baseURL!, await token(page.request, 'organisation=1'), 'memberships')).filter(({ email }) =>
        email?.includes(`.${stamp}@`),
      ).length
    let step = 0
    const shows = async (name: string) => {
      await picture(page, `walk-${String(++step).padStart(2, '0')}-${name}`)
    }

    await page.goto('/')
    await shows('start')
    await page.getByRole('link', { name: 'New import' }).first().click()
    await shows('new')
    await page.getByRole('button', { name: /Choose a type/ }).click()
    await page.getByRole('option', { name: /^Memberships/ }).click()
    const context = page.getByRole('combobox')
    await context.click()
    await shows('context')
    await page.getByRole('option').first().click()
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'Effectif.csv', mimeType: 'text/csv', buffer: Buffer.from(list(stamp)) })
    await expect(page.getByText('Effectif.csv')).toBeVisible()
    await looked(page)
    await accessible(page)
    await shows('head')
    await page.getByRole('button', { name: 'Preview changes' }).click()

    await expect(page.getByRole('heading', { name: 'Match columns' })).toBeVisible()
    await shows('columns')
    await expect(page.getByText('Row 10 looks like a total or a note, not data.')).toBeVisible()
    await page.getByRole('button', { name: 'Skip this row' }).click()
    await expect(page.getByText('Row 10 looks like a total')).toBeHidden()
    await page.getByRole('button', { name: 'Split names' }).click()
    await expect(page.getByText('Ada Lovelace → becomesLovelace')).toBeVisible()
    await page.getByRole('button', { name: /Column for Membership type/ }).click()
    await shows('columns-choice')
    await page.getByRole('option', { name: /Statut/ }).click()
    await page.getByRole('button', { name: /Column for Joined on/ }).click()
    await page.getByRole('option', { name: /Entrée/ }).click()
    await expect(page.getByText('All changes saved')).toBeVisible()
    await shows('columns-mapped')
    await page.getByRole('link', { name: 'File settings' }).click()
    await expect(page.getByRole('row', { name: /Total/ })).toHaveAttribute('data-part', 'FOOTER')
    await shows('source')
    await page.getByRole('link', { name: 'Continue to columns' }).click()
    await page.getByRole('button', { name: 'Confirm columns' }).click()

    await expect(page.getByRole('heading', { name: 'Match values' })).toBeVisible()
    await shows('values')
    for (const [value, answer] of [
      ['Femme', /^FEMALE/],
      ['Homme', /^MALE/],
      ['Titulaire', /^Senior/],
      ['Alternant', /^Junior/],
    ] as const) {
      await page.getByRole('gridcell', { name: value, exact: true }).click()
      await page
        .getByRole('region', { name: `Match “${value}” with` })
        .getByRole('button', { name: answer })
        .click()
      await expect(page.getByRole('row', { name: new RegExp(`^${value}`) }).getByText('Unmatched')).toBeHidden()
    }
    await shows('values-matched')
    await page.getByRole('button', { name: 'Confirm and preview' }).click()
    await expect(page.getByText('6 of 6 rows checked, nothing saved')).toBeVisible()
    expect(await members()).toBe(0)
    await accessible(page)
    await shows('preview')
    await importPreviewed(page)

    const right = page.getByRole('link', { name: 'Fix 1 row' })
    await expect(right).toBeVisible()
    await shows('done')
    const origin = page.url()
    await right.click()
    const correct = async (wrong: string, field: RegExp, to: string) => {
      await page.getByRole('gridcell', { name: wrong }).dblclick()
      await page.getByRole('textbox', { name: field }).fill(to)
      await page.keyboard.press('Enter')
    }
    await expect(page.getByRole('gridcell', { name: /chez bureau/ })).toBeVisible()
    await shows('wrong')
    await correct('31/02/1990', /^Date of birth|^Birth/, '28/02/1990')
    await correct(
      (await page.getByRole('gridcell', { name: /chez bureau/ }).textContent())!,
      /^E-?mail/i,
      `fanny.${stamp}@bureau.example`,
    )
    await shows('corrected')
    await page.getByRole('button', { name: 'Import 1 corrected row' }).click()
    await expect(page.getByText('All rows imported')).toBeVisible()
    await expect(page.getByRole('heading', { name: 'No rows left to fix' })).toBeVisible()
    await shows('right')
    expect(await members()).toBe(6)

    const takeBack = async (name: string) => {
      await page.getByRole('button', { name: 'Preview' }).click()
      await expect(page.getByText('Will be undone')).toBeVisible()
      await shows(name)
      await page.getByRole('button', { name: /^Undo these/ }).click()
      await expect(page).not.toHaveURL(/undo/)
      await expect(page.getByText(/Completed/).first()).toBeVisible()
    }
    await page.goto(origin)
    await page.getByRole('link', { name: 'Undo import' }).click()
    await shows('undo')
    await page.getByRole('checkbox', { name: /^Also undo 1 retry/ }).check({ force: true })
    await takeBack('undo-preview')
    await shows('undone')
    expect(await members()).toBe(0)
  },
)
