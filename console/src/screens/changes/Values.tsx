import { ArrowRight } from 'lucide-react'
import { useText } from '@/i18n/messages'
import css from './Changes.module.css'

/** A value before and after. */
export function Values({ before, after }: { before: string | null; after: string | null }) {
  const text = useText()
  return (
    <span className={css.values}>
      <del>{before ?? <i>{text('changes.empty')}</i>}</del><ArrowRight aria-hidden /><ins>{after ?? <i>{text('changes.empty')}</i>}</ins>
    </span>
  )
}
