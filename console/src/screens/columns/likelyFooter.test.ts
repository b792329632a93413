import { expect, test } from 'vitest'
import { likelyFooter } from './likelyFooter'

test('the footer is parsed from the warning of the import', () => {
  expect(
    likelyFooter(['NO_ROWS', 'FOOTER_LIKELY: from row 10 look like totals or notes; skipFooterRows 2 skips them']),
  ).toEqual({ from: 10, rows: 2 })
  expect(likelyFooter(['FORMAT_MISMATCH'])).toBeNull()
})
