/** Parses the import's warning about likely totals: their number and the first row number. */
export function likelyFooter(warnings: string[]): { from: number; rows: number } | null {
  const found = warnings
    .map((warning) => /^FOOTER_LIKELY: from row (\d+) .*skipFooterRows (\d+)/.exec(warning))
    .find(Boolean)
  return found ? { from: Number(found[1]), rows: Number(found[2]) } : null
}
