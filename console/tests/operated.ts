import { test as base } from './console'
import { startStack, type Stack } from './stack'

/** Tests on a stack with sign-in, on which work counts as stuck after a short time. */
export const test = base.extend<object, { strict: Stack }>({
  strict: [
    async ({}, use) => {
      const stack = await startStack({ LOCAL_AUTH: 'required', STUCK_AFTER: '2s', CHUNK_ROWS: '1' })
      await use(stack)
      await stack.stop()
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  baseURL: async ({ strict }, use) => use(strict.url),
})
