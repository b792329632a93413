import js from '@eslint/js'
import { defineConfig, globalIgnores } from 'eslint/config'
import reactHooks from 'eslint-plugin-react-hooks'
import tseslint from 'typescript-eslint'

const globals = (...names) => Object.fromEntries(names.map((name) => [name, 'readonly']))

export default defineConfig(
  globalIgnores(['dist/', 'test-results/', 'src/reader/wasm_exec.js']),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-definitions': ['error', 'type'],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // noUncheckedIndexedAccess makes every index possibly undefined; `!` states that it exists.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // React Query and Playwright use void as a type argument for the absence of a value.
      '@typescript-eslint/no-invalid-void-type': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      // `||` with a string replaces the empty string as well, which `??` does not.
      '@typescript-eslint/prefer-nullish-coalescing': ['error', { ignorePrimitives: { string: true } }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    },
  },
  { files: ['src/**/*.{ts,tsx}'], extends: [reactHooks.configs.flat['recommended-latest']] },
  {
    files: ['**/*.test.{ts,tsx}', 'tests/**/*.ts'],
    rules: {
      // A fake of an asynchronous function need not wait for anything.
      '@typescript-eslint/require-await': 'off',
      // Playwright reads the fixtures that a function needs from its first parameter, which must be a pattern.
      'no-empty-pattern': ['error', { allowObjectPatternsAsParameters: true }],
    },
  },
  { files: ['scripts/*.mjs'], languageOptions: { globals: globals('URL', 'console', 'process') } },
  {
    files: ['reader/*.mjs'],
    languageOptions: { globals: globals('Go', 'URL', 'WebAssembly', 'loadbayHead', 'process') },
  },
)
