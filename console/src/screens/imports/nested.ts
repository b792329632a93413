import type { ImportJob, ImportSummary } from '@/api/imports'

export type Listed = ImportSummary | ImportJob

/** An import with its retries, undos and previews of undos, the newest first. */
export type Family = { job: Listed; children: Listed[] }

/** The import that an import retries or undoes. */
const parentOf = ({ retryOf, undoOf }: Listed): string | null => retryOf ?? undoOf

/** Puts retries and undos below their imports, as far as these are among the imports. */
export function nested(imports: Listed[]): Family[] {
  const byId = new Map(imports.map((job) => [job.identifier, job]))
  const rootOf = (job: Listed): Listed => {
    const parent = byId.get(parentOf(job) ?? '')
    return parent ? rootOf(parent) : job
  }
  const families = new Map(
    imports.flatMap((job): [string, Family][] =>
      rootOf(job) === job ? [[job.identifier, { job, children: [] }]] : [],
    ),
  )
  for (const job of imports) {
    const root = rootOf(job)
    if (root !== job) families.get(root.identifier)!.children.push(job)
  }
  return [...families.values()]
}
