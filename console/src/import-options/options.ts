import declared from './options.gen.json'

type Option = (typeof declared)[number] & { values?: string[] }

/** The declared options of imports that the console offers. Their texts are `option.<name>`. */
export const importOptions: readonly Option[] = declared

/** Options by name; null is the default. */
export type StatedOptions = Record<string, string | boolean | null>

/** The values of an option. */
export const choicesOf = ({ kind, values = [] }: Option): string[] => (kind === 'flag' ? ['true', 'false'] : values)

/** The options in the settings, a profile or an import. */
export function optionsOf(source: object): StatedOptions {
  const values = source as StatedOptions
  return Object.fromEntries(importOptions.map(({ name }) => [name, values[name] ?? null]))
}

/** The options that differ from those before. */
export const changedOptions = (now: StatedOptions, before: StatedOptions): StatedOptions =>
  Object.fromEntries(Object.entries(now).filter(([name, value]) => value !== before[name]))

/** The name of an option in /v1. */
export const snakeName = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
