import type { Schema } from '@/api/client'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Button } from '@/ui'
import css from './Changes.module.css'

const kinds = ['CREATED', 'UPDATED', 'DELETED'] as const
const counted = { CREATED: 'created', UPDATED: 'updated', DELETED: 'deleted' } as const

type CountsProps = {
  tables: Schema<'ChangesSummary'>['tables']
  chosen: Schema<'ChangeKind'> | undefined
  onKind: (kind: Schema<'ChangeKind'> | undefined) => void
}

/** The number of created, updated and deleted entities. Each number filters the list. */
export function Counts({ tables, chosen, onKind }: CountsProps) {
  const text = useText()
  const { count } = useFormat()
  return (
    <div className={css.counts}>
      {kinds.map((kind) => {
        const total = tables.reduce((sum, table) => sum + table[counted[kind]], 0)
        return (
          <div key={kind} className={css.countOf} data-kind={kind}>
            <strong>{count(total)}</strong>
            <span>{text(`changes.kind.${kind}`)}</span>
            {tables.length > 1 && (
              <small>
                {tables
                  .filter((table) => table[counted[kind]] > 0)
                  .map((table) => `${table.table} ${count(table[counted[kind]])}`)
                  .join(' · ')}
              </small>
            )}
            {total > 0 && (
              <Button size="small" look="quiet" onPress={() => onKind(chosen === kind ? undefined : kind)}>
                {text(chosen === kind ? 'changes.all' : 'changes.only')}
              </Button>
            )}
          </div>
        )
      })}
    </div>
  )
}
