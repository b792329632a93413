import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { exportCountQuery, type ExportFilters } from '@/api/exports'
import { useText } from '@/i18n/messages'
import css from './NewExport.module.css'

const typingPause = 300

/** The number of rows of the export, or the error of the filters, fetched when typing pauses. */
export function Count({ type, filters }: { type: string; filters: ExportFilters }) {
  const text = useText()
  const wanted = JSON.stringify(filters)
  const [asked, setAsked] = useState(wanted)
  useEffect(() => {
    const timer = setTimeout(() => setAsked(wanted), typingPause)
    return () => clearTimeout(timer)
  }, [wanted])
  const { data, error, isFetching } = useQuery(exportCountQuery(type, JSON.parse(asked) as ExportFilters))
  const settled = !isFetching && asked === wanted
  return (
    <p className={css.count} role="status" data-settled={settled || undefined}>
      {error ? (
        <span className={css.fault}>{text('export.filter.wrong')}</span>
      ) : data ? (
        text(data.more ? 'export.count.more' : 'export.count', { count: data.records })
      ) : (
        text('export.counting')
      )}
    </p>
  )
}
