import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'

const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)

export default defineConfig({
  testDir: 'tests',
  outputDir: 'test-results',
  timeout: 180_000,
  expect: { timeout: 30_000 },
  retries: 1, // machines are shared: what was only slow passes then, and is listed as flaky
  workers: 1,
  reporter: 'list',
  globalSetup: './tests/stack.ts',
  use: {
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    trace: 'retain-on-failure',
    launchOptions: { args: ['--no-sandbox'], ...(installed && { executablePath: installed }) },
  },
})
