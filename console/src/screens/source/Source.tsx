import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { ChevronLeft } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { api } from '@/api/client'
import { useReadAgain } from '@/api/imports'
import { answered } from '@/api/problem'
import { Failure } from '@/app/Failure'
import { useText } from '@/i18n/messages'
import { Button, ButtonLink, Skeleton } from '@/ui'
import { useImport } from '../import/Frame'
import { footerFrom, headerAt } from './change'
import { Reading } from './Reading'
import { Rows } from './Rows'
import { Sheets } from './Sheets'
import css from './Source.module.css'

/** The rows of the selected sheet, refetched when the import has read the file again. */
const previewQuery = (id: string, sheet: number | null, isRead: boolean) =>
  queryOptions({
    queryKey: ['import', id, 'preview', sheet, isRead],
    queryFn: () =>
      answered(
        api.GET('/api/imports/{importId}/preview', {
          params: { path: { importId: id }, query: { limit: 30, ...(sheet !== null && { sheet }) } },
        }),
      ),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })

/** The file settings with a live preview of the first and last rows. */
export function Component() {
  const text = useText()
  const job = useImport()
  const id = job.identifier
  const [sheet, setSheet] = useState<number | null>(null)
  const { data: preview, error, refetch } = useQuery(previewQuery(id, sheet, job.phase !== 'ANALYSING'))
  const say = useReadAgain(id)
  if (!preview)
    return error ? (
      <Failure error={error} onRetry={() => void refetch()} />
    ) : (
      <Skeleton label={text('face.loading')} lines={12} />
    )
  const isAsking = job.waitingFor === 'COLUMN_MAPPINGS' || job.waitingFor === 'CELL_MAPPINGS'
  const canSay = isAsking && job.processedRows === 0 && !say.isPending
  const isOther =
    sheet !== null &&
    preview.detected?.sheetIndex !== undefined &&
    !preview.sheets.some(({ index, shown }) => shown && index === sheet && preview.columns.length > 0)
  return (
    <section className={css.screen} aria-labelledby="source-title">
      <header className={css.head}>
        <div>
          <Link to={`/imports/${id}`} className={css.back}>
            <ChevronLeft aria-hidden />
            {text('result.back')}
          </Link>
          <h2 id="source-title">{text('source.title')}</h2>
          <p>{text(canSay ? 'source.about' : 'source.fixed')}</p>
        </div>
        <p role="status" className={css.stand}>
          {(say.isPending || job.phase === 'ANALYSING') && text('source.again')}
        </p>
      </header>
      {say.error && (
        <p role="alert" className={css.refusal}>
          {say.error.message}
        </p>
      )}
      {preview.sheets.length > 1 && <Sheets sheets={preview.sheets} onShow={setSheet} />}
      {isOther && (
        <div className={css.offer}>
          <p>{text('source.other')}</p>
          <Button look="primary" size="small" isDisabled={!canSay} onPress={() => say.mutate({ sheetIndex: sheet })}>
            {text('source.take')}
          </Button>
        </div>
      )}
      <Reading preview={preview} canSay={canSay && !isOther} onSay={say.mutate} />
      <Rows
        preview={preview}
        canSay={canSay && !isOther}
        onHeader={(row) => say.mutate(headerAt(row, preview.detected?.headerRows ?? 1))}
        onFooter={(row) => say.mutate(row === null ? { skipFooterRows: null } : footerFrom(row, preview.lastRows))}
      />
      {isAsking && (
        <footer>
          <ButtonLink look="primary" to={`/imports/${id}`}>
            {text('source.go')}
          </ButtonLink>
        </footer>
      )}
    </section>
  )
}
