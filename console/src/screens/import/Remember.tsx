import { BookMarked } from 'lucide-react'
import { hasEnded, type ImportJob } from '@/api/imports'
import { useText } from '@/i18n/messages'
import { SaveProfile } from '../columns/SaveProfile'
import css from './Overview.module.css'
import { isUnwritten } from './state'

/** Offers to save the decisions of an import that has written rows, unless they come from a profile. */
export function Remember({ job }: { job: ImportJob }) {
  const text = useText()
  const isOwn = !job.profile && !job.retryOf && !job.undoOf
  if (!isOwn || !hasEnded(job) || isUnwritten(job) || job.successCount === 0) return null
  return (
    <section className={css.remember} aria-label={text('import.remember')}>
      <BookMarked aria-hidden />
      <p>
        <strong>{text('import.remember')}</strong> <span>{text('import.remember.about')}</span>
      </p>
      <SaveProfile id={job.identifier} isAuto />
    </section>
  )
}
