import { useDeleteQuarantined, useRetryQuarantined, type Quarantined } from '@/api/organisation'
import { follow } from '@/app/follow'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Bar, Button, Confirm, notices, Table, type Column } from '@/ui'
import css from './Drop.module.css'

/** The quarantined files with their reasons and actions. */
export function Quarantine({ files }: { files: Quarantined[] }) {
  const text = useText()
  const { size, ago, moment } = useFormat()
  const columns: Column<Quarantined>[] = [
    {
      id: 'file',
      title: text('drop.file'),
      cell: (file) => (
        <div className={css.file}>
          <strong>{file.filename}</strong>
          <span className={css.why}>{file.message}</span>
          <span>{[file.objectKey, size(file.sizeBytes)].join(' · ')}</span>
        </div>
      ),
    },
    {
      id: 'when',
      width: '9rem',
      title: text('drop.when'),
      from: 'wide',
      cell: ({ quarantinedAt }) => (
        <time dateTime={quarantinedAt} title={moment(quarantinedAt)}>
          {ago(quarantinedAt)}
        </time>
      ),
    },
    {
      id: 'do',
      width: '15rem',
      align: 'end',
      title: <span className="visually-hidden">{text('drop.do')}</span>,
      cell: (file) => <Actions file={file} />,
    },
  ]
  return <Table label={text('drop.aside')} columns={columns} entries={files} rowId={({ id }) => id} />
}

function Actions({ file }: { file: Quarantined }) {
  const text = useText()
  const retry = useRetryQuarantined()
  const deletion = useDeleteQuarantined()
  return (
    <Bar end>
      <Button
        isPending={retry.isPending}
        onPress={() =>
          follow(retry.mutateAsync(file.id), () =>
            notices.add({ title: text('drop.retried', { file: file.filename }) }),
          )
        }
      >
        {text('drop.retry')}
      </Button>
      <Confirm
        name={text('drop.delete')}
        title={text('drop.delete.title', { file: file.filename })}
        keep={text('drop.delete.keep')}
        isPending={deletion.isPending}
        onConfirm={() => follow(deletion.mutateAsync(file.id))}
      >
        {text('drop.delete.about')}
      </Confirm>
    </Bar>
  )
}
