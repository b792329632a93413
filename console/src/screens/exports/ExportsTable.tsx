import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { isWriting, useCancelExport, useDownloadExport, type Export } from '@/api/exports'
import { typesQuery } from '@/api/imports'
import { follow } from '@/app/follow'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Badge, Button, Progress, Table, type Column, type Tone } from '@/ui'
import css from './Exports.module.css'

const tones: Record<Export['status'], Tone> = {
  PENDING: 'busy',
  PROCESSING: 'busy',
  COMPLETED: 'good',
  FAILED: 'bad',
  CANCELLED: 'neutral',
}

/** Exports as rows; each has one action. */
export function ExportsTable({ exports }: { exports: Export[] }) {
  const text = useText()
  const { count, size, ago, moment } = useFormat()
  const columns: Column<Export>[] = [
    { id: 'what', title: text('exports.what'), cell: (each) => <What of={each} /> },
    { id: 'state', width: '12rem', title: text('exports.state'), cell: (each) => <State of={each} /> },
    {
      id: 'rows',
      width: '7rem',
      title: text('exports.rows'),
      align: 'end',
      from: 'medium',
      cell: (each) => count(each.recordCount),
    },
    {
      id: 'size',
      width: '6.5rem',
      title: text('exports.size'),
      align: 'end',
      from: 'wide',
      cell: (each) => (each.sizeBytes === null ? '–' : size(each.sizeBytes)),
    },
    {
      id: 'when',
      width: '9rem',
      title: text('exports.when'),
      from: 'wide',
      cell: (each) => (
        <time dateTime={each.createdAt} title={moment(each.createdAt)}>
          {ago(each.createdAt)}
        </time>
      ),
    },
    {
      id: 'do',
      width: '10rem',
      align: 'end',
      title: <span className="visually-hidden">{text('exports.do')}</span>,
      cell: (each) => <Action of={each} />,
    },
  ]
  return <Table label={text('exports.title')} columns={columns} entries={exports} rowId={(each) => each.identifier} />
}

function What({ of }: { of: Export }) {
  const text = useText()
  const { data: types = [] } = useQuery(typesQuery)
  const type = types.find(({ name }) => name === of.importType)
  const filters = Object.keys(of.filters)
  const title = (column: string) =>
    type?.fields.find((field) => field.column === column)?.title ?? type?.context?.title ?? column
  const about = [
    of.format.toUpperCase(),
    text('exports.fields', { count: of.fields.length }),
    filters.length > 0 && text('exports.by', { fields: filters.map(title).join(', ') }),
  ]
  return (
    <div className={css.what}>
      <strong>{type?.title ?? of.importType}</strong>
      <span>{about.filter(Boolean).join(' · ')}</span>
    </div>
  )
}

function State({ of }: { of: Export }) {
  const text = useText()
  return (
    <div className={css.state}>
      <Badge tone={tones[of.status]}>{text(`exports.is.${of.status}`)}</Badge>
      {isWriting(of) && <Progress label={text('exports.is.PROCESSING')} percent={null} />}
      {of.failure && <span className={css.fault}>{of.failure.message}</span>}
    </div>
  )
}

function Action({ of }: { of: Export }) {
  const text = useText()
  const cancel = useCancelExport()
  const download = useDownloadExport()
  if (of.downloadUrl)
    return (
      <Button size="small" onPress={() => follow(download.mutateAsync(of.identifier))} isPending={download.isPending}>
        <Download aria-hidden />
        {text('exports.download')}
      </Button>
    )
  if (!isWriting(of)) return null
  return (
    <Button
      size="small"
      look="quiet"
      onPress={() => follow(cancel.mutateAsync(of.identifier))}
      isPending={cancel.isPending}
    >
      {text('exports.cancel')}
    </Button>
  )
}
