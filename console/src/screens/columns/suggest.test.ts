import { expect, test } from 'vitest'
import { firstStep, suggestedSteps } from './suggest'

test('steps are suggested that the values show, those of most values first', () => {
  expect(suggestedSteps('email', ['ann(at)example.org', 'bob (at) example.org', 'eve(at)example.org'])).toEqual([
    { op: 'replace', old: '(at)', new: '@' },
    { op: 'replace', old: ' (at) ', new: '@' },
  ])
  expect(suggestedSteps('decimal', ['€ 12,50', '3 EUR'])).toEqual([{ op: 'strip', what: 'currency' }])
  expect(suggestedSteps('decimal', ['12.5 kg'])).toEqual([{ op: 'strip', what: 'unit' }])
  expect(suggestedSteps('text', ['Dr. Ada Lovelace', 'Frau Grace Hopper', 'Dr. Ute Lang'])).toEqual([
    { op: 'replace', old: 'Dr. ', new: '' },
    { op: 'replace', old: 'Frau ', new: '' },
  ])
})

test('dates that were read day first and failed are month first', () => {
  expect(suggestedSteps('date', ['02/28/2026', '12/31/2026', '05/06/2026'])).toEqual([
    { op: 'date', pattern: 'M/D/YYYY' },
  ])
  expect(suggestedSteps('date', ['31.12.26'])).toEqual([{ op: 'date', pattern: 'D.M.YY' }])
})

test('nothing is suggested for values without such a part', () => {
  expect(suggestedSteps('email', ['ann@example.org', 'nowhere'])).toEqual([])
  expect(suggestedSteps('text', ['Drew Barry', 'Martin Frau'])).toEqual([])
  expect(suggestedSteps('decimal', ['DNF', '12'])).toEqual([])
})

test('a correction starts with what the values show, or with empty fields', () => {
  expect(firstStep('email', 'CELL_EMAIL', ['ann(at)example.org'])).toEqual({ op: 'replace', old: '(at)', new: '@' })
  expect(firstStep('email', 'CELL_EMAIL', ['nowhere'])).toEqual({ op: 'replace' })
  expect(firstStep('text', 'CELL_REQUIRED', ['', ''])).toEqual({ op: 'default' })
  expect(firstStep('boolean', 'CELL_BOOLEAN', ['vielleicht'])).toMatchObject({
    op: 'map',
    values: { vielleicht: 'vielleicht' },
  })
})
