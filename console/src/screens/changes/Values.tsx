import { ArrowRight } from 'lucide-react'
import type { Schema } from '@/api/client'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import css from './Changes.module.css'

type ValuesProps = {
  kind: Schema<'Field'>['kind']
  before: string | null
  after: string | null
  /** Whether there was no value before, as for a created entity. */ isNew?: boolean
}

/** A value before and after, formatted for its kind. */
export function Values({ kind, before, after, isNew = false }: ValuesProps) {
  const text = useText()
  const { value } = useFormat()
  const shown = (one: string | null) => (one === null ? <i>{text('changes.empty')}</i> : value(kind, one))
  return (
    <span className={css.values}>
      {!isNew && (
        <>
          <del>{shown(before)}</del>
          <ArrowRight aria-hidden />
        </>
      )}
      <ins>{shown(after)}</ins>
    </span>
  )
}
