import { ListFilter, Wand2 } from 'lucide-react'
import { useState } from 'react'
import type { Schema } from '@/api/client'
import { useFormat } from '@/i18n/format'
import { useText, type MessageKey } from '@/i18n/messages'
import { Button, ButtonLink } from '@/ui'
import { CorrectAlike } from './CorrectAlike'
import { faultCodes, faultGroups, type RowFilter } from './filter'
import css from './Result.module.css'

type FaultsProps = {
  id: string
  fields: Schema<'Field'>[]
  counts: Schema<'RowCounts'> | undefined
  filter: RowFilter
  canCorrect: boolean
  /** Whether the file can be imported again so that it updates existing records. */ canUpdate: boolean
  onFilter: (filter: RowFilter) => void
}
type Group = { field: string; code: string; rows: number }

/** Groups of identical errors with their number of rows. Each can be filtered by or fixed at once. */
export function Faults({ id, fields, counts, filter, canCorrect, canUpdate, onFilter }: FaultsProps) {
  const text = useText()
  const { count } = useFormat()
  const [chosen, setChosen] = useState<Group | null>(null)
  const groups = counts && counts.openErrors > 0 ? faultGroups(counts.counts).slice(0, 12) : []
  if (groups.length === 0) return null
  const titleOf = (name: string) => fields.find((field) => field.name === name)?.title ?? text('result.wholeRow')
  return (
    <section aria-label={text('result.faults')} className={css.faults}>
      {groups.map((group) => {
        const isShown = filter.field === group.field && filter.code === group.code
        return (
          <div key={`${group.field} ${group.code}`} className={css.group} data-shown={isShown || undefined}>
            <p>
              <strong>{titleOf(group.field)}</strong>
              <span>
                {codeText(group.code, text)} · {text('result.rows', { count: group.rows, shown: count(group.rows) })}
              </span>
            </p>
            <Button
              size="small"
              look="quiet"
              aria-pressed={isShown}
              onPress={() =>
                onFilter(
                  isShown
                    ? { show: 'all', field: '', code: '', text: '' }
                    : { show: 'open', field: group.field, code: group.code, text: '' },
                )
              }
            >
              <ListFilter aria-hidden />
              {text(isShown ? 'result.showAll' : 'result.showThese')}
            </Button>
            {canUpdate && group.code === 'ALREADY_EXISTS' && (
              <ButtonLink size="small" to={`/imports/new?again=${id}&mode=upsert`}>
                {text('result.update', { count: group.rows, shown: count(group.rows) })}
              </ButtonLink>
            )}
            {canCorrect && group.field && group.code !== 'ALREADY_EXISTS' && (
              <Button size="small" onPress={() => setChosen(group)}>
                <Wand2 aria-hidden />
                {text('result.alike')}
              </Button>
            )}
          </div>
        )
      })}
      {chosen && (
        <CorrectAlike
          id={id}
          title={titleOf(chosen.field)}
          field={chosen.field}
          kind={fields.find(({ name }) => name === chosen.field)?.kind ?? 'text'}
          code={chosen.code}
          rows={chosen.rows}
          onClose={() => setChosen(null)}
        />
      )}
    </section>
  )
}

/** The text of an error code. Unknown codes have a generic text. */
function codeText(code: string, text: (key: MessageKey) => string): string {
  const name = faultCodes.find((each) => each === code)
  return text(`result.code.${name ?? 'other'}`)
}
