/** Parses the import's warnings about sheets that are not read: their names. */
export function otherSheets(warnings: string[]): string[] {
  return warnings.flatMap((warning) => {
    const name = /^SHEET_UNUSED: the sheet ("(?:[^"\\]|\\.)*")/.exec(warning)?.[1]
    return name ? [name.slice(1, -1)] : []
  })
}
