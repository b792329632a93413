import { expect, test } from 'vitest'
import { translateLook } from './translate'

const fault = async (message: string, language: 'de' | 'en' | 'fr') =>
  (await translateLook({ fault: { code: 'FILE', message } }, language)).fault?.message

test('a message is translated with its values', async () => {
  expect(await fault('The file is empty.', 'de')).toBe('Die Datei ist leer.')
  expect(await fault('A cell in row 7 is longer than 1310 bytes.', 'fr')).toBe(
    'Une cellule de la ligne 7 dépasse 1310 octets.',
  )
  expect(await fault('The encoding "x-klingon" is not supported.', 'de')).toBe(
    'Die Zeichencodierung „x-klingon“ wird nicht unterstützt.',
  )
})

test('texts within a message are translated', async () => {
  expect(await fault('This is a PDF file, not a spreadsheet. Upload CSV, NDJSON, XLSX or XLS.', 'de')).toBe(
    'Das ist eine PDF-Datei, keine Tabelle. Laden Sie CSV, NDJSON, XLSX oder XLS hoch.',
  )
})

test('English and unknown messages stay as they are', async () => {
  expect(await fault('The file is empty.', 'en')).toBe('The file is empty.')
  expect(await fault('Something else.', 'de')).toBe('Something else.')
})

test('missing columns of a preview are named in the language', async () => {
  const head = {
    detected: { format: 'csv' as const, headerRow: 1, header: [] },
    sheets: [],
    rows: [],
    moreRows: false,
    columns: [],
  }
  const message = 'The file has no column for: Vorname, Name. Check the columns and their matches in the import.'
  const found = await translateLook({ head: { ...head, missing: { code: 'REQUIRED_COLUMN_MISSING', message } } }, 'de')
  expect(found.head?.missing?.message).toBe(
    'In der Datei fehlt eine Spalte für: Vorname, Name. Prüfen Sie die Spalten und ihre Zuordnung im Import.',
  )
})
