import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  deletionQuery,
  useConfirmDeletion,
  useExportOrganisation,
  useRequestDeletion,
  useWithdrawDeletion,
  type Deletion,
} from '@/api/deletion'
import { follow } from '@/app/follow'
import { Loaded } from '@/app/Loaded'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Bar, Button, Confirm, Facts, Field, notices, Stack } from '@/ui'

/** The export and the deletion of the whole organisation. */
export function Organisation() {
  const text = useText()
  const archive = useExportOrganisation()
  return (
    <Stack>
      <p>{text('whole.export.about')}</p>
      <Bar>
        <Button
          isPending={archive.isPending}
          onPress={() => follow(archive.mutateAsync(), () => notices.add({ title: text('whole.exported') }))}
        >
          {text('whole.export')}
        </Button>
      </Bar>
      <Loaded query={useQuery(deletionQuery)} lines={2}>
        {(deletion) => (deletion ? <State of={deletion} /> : <Request />)}
      </Loaded>
    </Stack>
  )
}

function Request() {
  const text = useText()
  const request = useRequestDeletion()
  return (
    <Bar>
      <Confirm
        name={text('whole.delete')}
        title={text('whole.delete.title')}
        keep={text('whole.keep')}
        isPending={request.isPending}
        onConfirm={() => follow(request.mutateAsync(undefined))}
      >
        {text('whole.delete.about')}
      </Confirm>
    </Bar>
  )
}

function State({ of }: { of: Deletion }) {
  const text = useText()
  const { moment, count } = useFormat()
  if (of.status === 'REQUESTED') return <Confirmation of={of} />
  const rows = Object.values(of.deletedRows).reduce((sum, n) => sum + n, 0)
  return (
    <Stack>
      <p role="status">
        {of.completedAt
          ? text('whole.completed', { when: moment(of.completedAt) })
          : text('whole.confirmed', { when: moment(of.confirmedAt ?? of.requestedAt) })}
      </p>
      <Facts
        facts={[
          [text('whole.rows'), count(rows)],
          [text('whole.files'), count(of.deletedFiles)],
        ]}
      />
    </Stack>
  )
}

function Confirmation({ of }: { of: Deletion }) {
  const text = useText()
  const { moment } = useFormat()
  const [name, setName] = useState('')
  const confirm = useConfirmDeletion()
  const withdraw = useWithdrawDeletion()
  return (
    <Stack>
      <p>
        {text('whole.requested', {
          who: of.requestedBy ?? '',
          when: moment(of.requestedAt),
          until: moment(of.expiresAt),
        })}{' '}
        {of.needsOtherPerson && text('whole.other')}
      </p>
      <Field
        label={text('whole.name')}
        hint={text('whole.name.hint', { name: of.name ?? '' })}
        value={name}
        error={confirm.error?.message}
        onChange={setName}
      />
      <Bar>
        <Button
          look="danger"
          isDisabled={name !== of.name}
          isPending={confirm.isPending}
          onPress={() => confirm.mutate(name)}
        >
          {text('whole.confirm')}
        </Button>
        <Button isPending={withdraw.isPending} onPress={() => follow(withdraw.mutateAsync(undefined))}>
          {text('whole.withdraw')}
        </Button>
      </Bar>
    </Stack>
  )
}
