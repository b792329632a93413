import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schema } from '@/api/client'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Button, Dialog, notices } from '@/ui'
import { StepEditor } from '../columns/StepEditor'
import { likelyStep } from './filter'
import { correctAlike } from './queries'
import css from './Result.module.css'

type Step = Schema<'Transform'>
type CorrectAlikeProps = { id: string; title: string; field: string; code: string; onClose: () => void }

const begin: Record<'date' | 'replace' | 'map', Step> = {
  date: { op: 'date', pattern: 'DD/MM/YYYY' },
  replace: { op: 'replace', old: ',', new: '.' },
  map: { op: 'replace', old: '?', new: '' },
}

/** Corrects all cells with the same error by one transformation, with a preview before it is saved. */
export function CorrectAlike({ id, title, field, code, onClose }: CorrectAlikeProps) {
  const text = useText()
  const { count } = useFormat()
  const queries = useQueryClient()
  const [step, setStep] = useState<Step>(begin[likelyStep(code)])
  const body = { where: { field, code }, transform: [step as Schema<'TransformStep'>] }
  const {
    data: tried,
    error,
    isFetching,
  } = useQuery({
    queryKey: ['import', id, 'alike', body],
    queryFn: () => correctAlike(id, body, true),
    placeholderData: keepPreviousData,
    retry: false,
  })
  const keep = useMutation({
    mutationFn: () => correctAlike(id, body, false),
    onSuccess: ({ corrected }) => {
      notices.add({ title: text('result.corrected', { count: corrected, shown: count(corrected) }) })
      onClose()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['import', id] }),
  })
  return (
    <Dialog
      title={text('result.alike.title', { field: title })}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{text('result.alike.leave')}</Button>
          <Button
            look="primary"
            isPending={keep.isPending}
            isDisabled={isFetching || !tried?.corrected}
            onPress={() => keep.mutate()}
          >
            {text('result.alike.keep', { count: tried?.corrected ?? 0, shown: count(tried?.corrected ?? 0) })}
          </Button>
        </>
      }
    >
      <StepEditor
        step={step}
        seen={tried?.rows.flatMap((row) => row.cells.map(({ before }) => before)) ?? []}
        onChange={setStep}
      />
      {(error ?? keep.error) && (
        <p role="alert" className={css.refusal}>
          {(error ?? keep.error)!.message}
        </p>
      )}
      {tried && (
        <>
          <p role="status">
            {text('result.alike.comes', { corrected: count(tried.corrected), matched: count(tried.matched) })}
          </p>
          <ul className={css.examples}>
            {tried.rows.slice(0, 6).flatMap((row) =>
              row.cells.map((cell) => (
                <li key={`${row.rowNumber} ${cell.field}`} data-fault={!cell.valid || undefined}>
                  <span>{row.rowNumber}</span> {cell.before || '–'} →{' '}
                  <strong>{cell.message ?? (cell.typed || '–')}</strong>
                </li>
              )),
            )}
          </ul>
        </>
      )}
    </Dialog>
  )
}
