import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import optimizeLocales from '@react-aria/optimize-locales-plugin'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

// The API for `make console-dev`: the stack of `make run`.
const api = process.env.LOADBAY_API ?? 'http://127.0.0.1:8080'
const proxied = ['/api', '/v1', '/health', '/docs', '/openapi.yaml', '/redoc.js', '/local']

// The console's languages with their main regions, such as de-DE.
const regions = readdirSync(new URL('./src/i18n', import.meta.url))
  .filter((name) => name.endsWith('.json'))
  .map((name) => new Intl.Locale(name.replace('.json', '')).maximize())
  .map(({ language, region }) => `${language}-${region}`)

export default defineConfig({
  // React Aria has texts in thirty languages; only those of the console are included. Right to left is tested in English.
  plugins: [react(), { ...optimizeLocales.vite({ locales: regions }), enforce: 'pre' }],
  // The client is built from source with the console, and uses the console's dependencies.
  resolve: {
    alias: {
      '@loadbay/client': fileURLToPath(new URL('../client/typescript/src/index.ts', import.meta.url)),
      '@': fileURLToPath(new URL('./src', import.meta.url)),
    },
    dedupe: ['openapi-fetch'],
  },
  server: {
    proxy: Object.fromEntries(proxied.map((path) => [path, { target: api, changeOrigin: true }])),
    // Tests read the server's messages about files from here, too.
    fs: { allow: ['.', '../client/typescript', '../shared/output/translation'] },
  },
  // scripts/budget.mjs limits the compressed size. Nothing is inlined: the content security policy allows no data: URLs for scripts and fonts.
  build: { chunkSizeWarningLimit: 700, target: 'es2023', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  // A busy machine needs more than the default of five seconds for a screen's first render.
  test: { environment: 'jsdom', include: ['src/**/*.test.{ts,tsx}'], testTimeout: 30_000 },
})
