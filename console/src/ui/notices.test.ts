import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { notices } from './notices'

const shown = () => notices.visibleToasts.map(({ content }) => content.title)

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  for (const { key } of notices.visibleToasts) notices.close(key)
  vi.useRealTimers()
})

test('a notice leaves after eight seconds, and an error stays until the screen is left', () => {
  notices.add({ title: 'Saved' })
  notices.add({ title: 'Refused', tone: 'bad' })
  notices.resumeAll() // the region does so when it is neither hovered nor focused
  vi.advanceTimersByTime(7_900)
  expect(shown()).toEqual(expect.arrayContaining(['Saved', 'Refused']))
  vi.advanceTimersByTime(200)
  expect(shown()).toEqual(['Refused'])
  notices.leave()
  expect(shown()).toEqual([])
})

test('the same notice is shown once', () => {
  notices.add({ title: 'Saved' })
  notices.add({ title: 'Saved' })
  expect(shown()).toEqual(['Saved'])
})
