import { fileURLToPath } from 'node:url'
import optimizeLocales from '@react-aria/optimize-locales-plugin'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

// Where `make console-dev` finds the API: the stack of `make run`.
const api = process.env.LOADBAY_API ?? 'http://127.0.0.1:8080'
const proxied = ['/api', '/v1', '/health', '/docs', '/openapi.yaml', '/redoc.js', '/local']

export default defineConfig({
  // React Aria speaks thirty languages; those of src/i18n/locales.ts are enough. Right to left is tried in English.
  plugins: [
    react(),
    { ...optimizeLocales.vite({ locales: ['en-US', 'de-DE', 'fr-FR', 'es-ES', 'nl-NL'] }), enforce: 'pre' },
  ],
  // The client is built with the console, from its source; what it needs is the console's.
  resolve: {
    alias: {
      '@loadbay/client': fileURLToPath(new URL('../client/typescript/src/index.ts', import.meta.url)),
      '@': fileURLToPath(new URL('./src', import.meta.url)),
    },
    dedupe: ['openapi-fetch'],
  },
  server: { proxy: Object.fromEntries(proxied.map((path) => [path, { target: api, changeOrigin: true }])) },
  // scripts/budget.mjs holds the size, compressed. Nothing is inlined: the content security policy has no data: for scripts and fonts.
  build: { chunkSizeWarningLimit: 700, target: 'es2023', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  test: { environment: 'jsdom', include: ['src/**/*.test.{ts,tsx}'] },
})
