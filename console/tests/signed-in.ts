import { test as base } from './console'
import { startStack, type Stack } from './stack'

/** Tests on a stack that rejects requests without a token. */
export const test = base.extend<object, { strict: Stack }>({
  strict: [
    async ({}, use) => {
      const stack = await startStack({ LOCAL_AUTH: 'required' })
      await use(stack)
      await stack.stop()
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  baseURL: async ({ strict }, use) => use(strict.url),
})
