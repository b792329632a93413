import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { renderScreen } from '@/test/render'
import { Progress } from './Progress'

afterEach(cleanup)

test('a tiny share is announced as zero', () => {
  renderScreen(<Progress label="Stored" percent={3.7e-7} />)
  expect(screen.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('0')
})
