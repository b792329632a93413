import { useQuery } from '@tanstack/react-query'
import type { Schema } from '@/api/client'
import { erasuresQuery, stuckExportsQuery, useContinueErasure, useEndExport, useRedriveExport, type OverseenExport } from '@/api/operator'
import { useTypeTitle } from '@/api/fields'
import { follow } from '@/app/follow'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Badge, Bar, Button, Confirm, Panel, Table, type Column } from '@/ui'
import css from './Operator.module.css'

/** Exports and erasures that do not go on by themselves; nothing where there are none. */
export function Stranded() {
  const text = useText()
  const { ago, count } = useFormat()
  const typeTitle = useTypeTitle()
  const { data: exports = [] } = useQuery(stuckExportsQuery)
  const { data: erasures = [] } = useQuery(erasuresQuery)
  const hidden = <span className="visually-hidden">{text('operator.do')}</span>
  const ofExports: Column<OverseenExport>[] = [
    { id: 'what', title: text('operator.export'), cell: (of) => <div className={css.what}><strong>{typeTitle(of.importType)}</strong><code>{of.id}</code><span className={css.more}>{text('operator.organisation.id', { id: String(of.organisationId) })}</span></div> },
    { id: 'state', width: '11rem', title: text('operator.state'), cell: ({ status }) => <Badge tone="bad">{text(`exports.is.${status}`)}</Badge> },
    { id: 'heard', width: '8rem', from: 'medium', title: text('operator.heard'), cell: ({ updatedAt }) => ago(updatedAt) },
    { id: 'do', width: '15rem', align: 'end', title: hidden, cell: (of) => <ExportActions of={of} /> },
  ]
  const ofErasures: Column<Schema<'OpenErasure'>>[] = [
    { id: 'what', title: text('operator.person'), cell: (of) => <div className={css.what}><strong>{of.personId}</strong><span className={css.more}>{text('operator.organisation.id', { id: String(of.organisationId) })}</span></div> },
    { id: 'changes', width: '11rem', align: 'end', from: 'medium', title: text('operator.erased'), cell: ({ erasedChanges }) => count(erasedChanges) },
    { id: 'began', width: '8rem', title: text('operator.began'), cell: ({ beganAt }) => ago(beganAt) },
    { id: 'do', width: '11rem', align: 'end', title: hidden, cell: (of) => <GoOn of={of} /> },
  ]
  return (
    <>
      {exports.length > 0 && <Panel title={text('operator.exports')}><Table label={text('operator.exports')} columns={ofExports} entries={exports} rowId={({ id }) => id} /></Panel>}
      {erasures.length > 0 && <Panel title={text('operator.erasures')}><Table label={text('operator.erasures')} columns={ofErasures} entries={erasures} rowId={(of) => `${of.organisationId} ${of.personId}`} /></Panel>}
    </>
  )
}

function ExportActions({ of }: { of: OverseenExport }) {
  const text = useText()
  const redrive = useRedriveExport()
  const end = useEndExport()
  return (
    <Bar end>
      <Button isPending={redrive.isPending} onPress={() => follow(redrive.mutateAsync(of.id))}>{text('operator.redrive')}</Button>
      <Confirm name={text('operator.cancel')} title={text('operator.cancelExport.title')} keep={text('operator.keep')} isPending={end.isPending} onConfirm={() => follow(end.mutateAsync(of))}>{text('operator.cancelExport.about')}</Confirm>
    </Bar>
  )
}

function GoOn({ of }: { of: Schema<'OpenErasure'> }) {
  const text = useText()
  const erasure = useContinueErasure()
  return <Button isPending={erasure.isPending} onPress={() => follow(erasure.mutateAsync(of))}>{text('operator.goOn')}</Button>
}
