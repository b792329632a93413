import { renderHook, act } from '@testing-library/react'
import { expect, test } from 'vitest'
import { connection, useIsLost } from './connection'

const answer = (status: number) =>
  connection.onResponse!({ response: new Response(null, { status }) } as Parameters<
    NonNullable<typeof connection.onResponse>
  >[0])
const fail = (error: unknown) => connection.onError!({ error } as Parameters<NonNullable<typeof connection.onError>>[0])

test('the server is lost after two failed requests in a row, and found with the next response', () => {
  const { result } = renderHook(useIsLost)
  act(() => void fail(new TypeError('Failed to fetch')))
  expect(result.current).toBe(false)
  act(() => void fail(new TypeError('Failed to fetch')))
  expect(result.current).toBe(true)
  act(() => void answer(404))
  expect(result.current).toBe(false)
  act(() => void answer(503))
  act(() => void answer(502))
  expect(result.current).toBe(true)
  act(() => void answer(200))
})

test('requests that the page itself aborts do not count', () => {
  const { result } = renderHook(useIsLost)
  for (let n = 0; n < 3; n++) act(() => void fail(new DOMException('left', 'AbortError')))
  expect(result.current).toBe(false)
})
