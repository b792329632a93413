/** The rows at the end of a file that the import has noticed to look like totals, as its warning says: how many, and the number of the first. */
export function likelyFooter(warnings: string[]): { from: number; rows: number } | null {
  const found = warnings.map((warning) => /^FOOTER_LIKELY: from row (\d+) .*skipFooterRows (\d+)/.exec(warning)).find(Boolean)
  return found ? { from: Number(found[1]), rows: Number(found[2]) } : null
}
