import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schema } from '@/api/client'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Button, Dialog, notices, Skeleton } from '@/ui'
import { isWhole, type Step } from '../columns/draft'
import { StepEditor } from '../columns/StepEditor'
import { Suggestions } from '../columns/Suggestions'
import { firstStep, suggestedSteps } from '../columns/suggest'
import { correctAlike, faultyCellsQuery } from './queries'
import css from './Result.module.css'

type CorrectAlikeProps = {
  id: string
  title: string
  field: string
  kind: string
  code: string
  /** The number of rows with the error. */ rows: number
  onClose: () => void
}

/** Corrects all cells with the same error by one transformation, with a preview before it is saved. */
export function CorrectAlike({ id, title, field, kind, code, rows, onClose }: CorrectAlikeProps) {
  const text = useText()
  const { count } = useFormat()
  const queries = useQueryClient()
  const [chosen, setStep] = useState<Step | null>(null)
  const { data: seen, error: unseen } = useQuery(faultyCellsQuery(id, field, code))
  const texts = seen?.map((cell) => cell.text) ?? []
  const step = chosen ?? (seen ? firstStep(kind, code, texts) : null)
  const body = { where: { field, code }, transform: [step as Schema<'TransformStep'>] }
  const canTry = step !== null && isWhole(step)
  const { data, error, isFetching } = useQuery({
    queryKey: ['import', id, 'alike', body],
    queryFn: () => correctAlike(id, body, true),
    placeholderData: keepPreviousData,
    enabled: canTry,
    retry: false,
  })
  const tried = canTry ? data : undefined
  const suggestions = suggestedSteps(kind, texts).filter((each) => JSON.stringify(each) !== JSON.stringify(step))
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
      {step ? (
        <StepEditor step={step} seen={texts} onChange={setStep} />
      ) : (
        !unseen && <Skeleton label={text('face.loading')} lines={2} />
      )}
      <Suggestions steps={suggestions} onTake={setStep} />
      {(unseen ?? error ?? keep.error) && (
        <p role="alert" className={css.refusal}>
          {(unseen ?? error ?? keep.error)!.message}
        </p>
      )}
      {tried ? (
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
      ) : (
        <>
          <p role="status">{text('result.alike.choose', { count: rows, shown: count(rows) })}</p>
          <ul className={css.examples}>
            {seen?.slice(0, 6).map((cell) => (
              <li key={cell.rowNumber}>
                <span>{cell.rowNumber}</span> {cell.text || '–'}
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  )
}
