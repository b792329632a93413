import { expect, test } from 'vitest'
import { otherSheets } from './otherSheets'

test('the names of sheets that are not read are parsed from the warnings of the import', () => {
  expect(
    otherSheets([
      'SHEET_UNUSED: the sheet "Nov" with 50 rows is not read, only "Oct"; to import it, select it (sheetName)',
      'SHEET_CHOSEN: the sheet "Oct" was read, because the first sheet "Cover" does not have the required columns',
      'SHEET_UNUSED: the sheet "Dec \\"late\\"" with rows is not read, only "Oct"; to import it, select it (sheetName)',
    ]),
  ).toEqual(['Nov', 'Dec \\"late\\"'])
})
