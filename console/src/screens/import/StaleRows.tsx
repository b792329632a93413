import { useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import type { ImportJob } from '@/api/imports'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { ButtonLink } from '@/ui'
import { countsQuery } from '../result/queries'
import css from './Overview.module.css'

/** The code of rows that were skipped because their records changed after the preview. */
const stale = 'PLAN_STALE'

/** Explains the rows that were skipped because their records changed after the preview, and offers a new preview. */
export function StaleRows({ job }: { job: ImportJob }) {
  const text = useText()
  const { count } = useFormat()
  const { data } = useQuery(countsQuery(job.identifier))
  const rows = (data?.counts ?? []).filter(({ code }) => code === stale).reduce((sum, each) => sum + each.rows, 0)
  if (rows === 0) return null
  return (
    <section className={css.note} role="status">
      <TriangleAlert aria-hidden />
      <div className={css.told}>
        <p>
          <strong>{text('import.stale', { count: rows, shown: count(rows) })}</strong> {text('import.stale.about')}
        </p>
        <div className={css.actions}>
          <ButtonLink size="small" to={`/imports/new?again=${job.identifier}&same=true`}>
            {text('changes.since.again')}
          </ButtonLink>
          <ButtonLink size="small" look="quiet" to={`/imports/${job.identifier}/rows?show=SKIPPED&code=${stale}`}>
            {text('import.stale.show')}
          </ButtonLink>
        </div>
      </div>
    </section>
  )
}
