import { expect, test } from 'vitest'
import { heightOf, isScaled, lastPosition, positionAt, revealing, scrollTopOf, seenAt, tallest } from './scale'

const few = { count: 100, rowHeight: 35, viewport: 350 }
const many = { count: 1_000_000, rowHeight: 35, viewport: 700 }

test('an area within the limit of browsers is as tall as its rows', () => {
  expect(heightOf(few)).toBe(3_500)
  expect(isScaled(few)).toBe(false)
  expect(positionAt(70, few)).toBeCloseTo(2)
})

test('the first and the last of a million rows can be scrolled to', () => {
  expect(isScaled(many)).toBe(true)
  expect(heightOf(many)).toBe(tallest)
  expect(seenAt(positionAt(0, many), many)).toEqual({ from: 0, to: 20 })
  expect(seenAt(positionAt(tallest - 700, many), many).to).toBe(1_000_000)
  expect(positionAt(tallest, many)).toBe(lastPosition(many))
})

test('a position survives the conversion to pixels and back', () => {
  for (const position of [0, 1, 499_999.5, 999_980])
    expect(positionAt(scrollTopOf(position, many), many)).toBeCloseTo(position, 3)
})

test('revealing scrolls no further than necessary', () => {
  expect(revealing(5, 3, few)).toBe(3)
  expect(revealing(2, 3, few)).toBe(2)
  expect(revealing(13, 3, few)).toBe(4)
  expect(revealing(99, 0, few)).toBe(90)
})

test('few rows do not scroll', () => {
  expect(positionAt(10, { count: 3, rowHeight: 35, viewport: 350 })).toBe(0)
})
