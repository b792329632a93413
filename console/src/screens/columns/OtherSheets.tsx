import { TriangleAlert } from 'lucide-react'
import type { ImportJob } from '@/api/imports'
import { useText } from '@/i18n/messages'
import css from './Columns.module.css'
import { otherSheets } from './otherSheets'

/** Names the other sheets of a workbook that have rows, which are not imported. */
export function OtherSheets({ job }: { job: ImportJob }) {
  const text = useText()
  const names = otherSheets(job.warnings)
  if (names.length === 0) return null
  return (
    <div className={css.offer}>
      <TriangleAlert aria-hidden />
      <p>{text('columns.sheets', { count: names.length, names: names.join(', ') })}</p>
    </div>
  )
}
