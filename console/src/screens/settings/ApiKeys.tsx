import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { keysQuery, useRevokeKey, useRotateKey, type ApiKey } from '@/api/keys'
import { follow } from '@/app/follow'
import { Loaded } from '@/app/Loaded'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Badge, Bar, Confirm, notices, Once, Stack, Table, type Column, type Tone } from '@/ui'
import { NewKey } from './NewKey'
import css from './Settings.module.css'
import { useScopeName } from './useScopeName'

const tones = { ACTIVE: 'good', EXPIRED: 'wait', REVOKED: 'bad' } satisfies Record<string, Tone>

/** Whether a key is accepted. */
function stateOf({ revokedAt, expiresAt }: ApiKey): keyof typeof tones {
  if (revokedAt) return 'REVOKED'
  return Date.parse(expiresAt) <= Date.now() ? 'EXPIRED' : 'ACTIVE'
}

/** The API keys of the organisation. A key is shown once, above the list. */
export function ApiKeys({ scopes }: { scopes: string[] }) {
  const text = useText()
  const [secret, setSecret] = useState<string | null>(null)
  const keep = ({ key }: ApiKey) => setSecret(key ?? null)
  return (
    <Stack>
      <p>{text('keys.about')}</p>
      {secret && (
        <Once
          about={text('keys.once')}
          secret={secret}
          copy={text('keys.copy')}
          onCopied={() => notices.add({ title: text('keys.copied') })}
        />
      )}
      <Loaded query={useQuery(keysQuery)} lines={3}>
        {(keys) =>
          keys.length === 0 ? (
            <p>{text('keys.none')}</p>
          ) : (
            <List keys={keys} onRotated={keep} onRevoked={() => setSecret(null)} />
          )
        }
      </Loaded>
      <NewKey scopes={scopes} onCreated={keep} />
    </Stack>
  )
}

function List({
  keys,
  onRotated,
  onRevoked,
}: {
  keys: ApiKey[]
  onRotated: (key: ApiKey) => void
  onRevoked: () => void
}) {
  const text = useText()
  const scopeName = useScopeName()
  const { ago, moment } = useFormat()
  const columns: Column<ApiKey>[] = [
    {
      id: 'name',
      title: text('keys.name'),
      cell: ({ name, createdBy, createdAt }) => (
        <div className={css.what}>
          <strong>{name}</strong>
          <span>{[createdBy, moment(createdAt)].filter(Boolean).join(' · ')}</span>
        </div>
      ),
    },
    {
      id: 'state',
      width: '8rem',
      title: text('keys.state'),
      cell: (key) => <Badge tone={tones[stateOf(key)]}>{text(`keys.is.${stateOf(key)}`)}</Badge>,
    },
    {
      id: 'scopes',
      title: text('keys.scopes'),
      from: 'medium',
      cell: ({ scopes }) => scopes.map(scopeName).join(', '),
    },
    {
      id: 'used',
      width: '8rem',
      title: text('keys.used'),
      from: 'wide',
      cell: ({ lastUsedAt }) => (lastUsedAt ? ago(lastUsedAt) : text('keys.never')),
    },
    {
      id: 'expires',
      title: text('keys.expires'),
      width: '10rem',
      cell: ({ expiresAt, previousUntil }) => (
        <div className={css.what}>
          {moment(expiresAt)}
          {previousUntil && Date.parse(previousUntil) > Date.now() && (
            <span>{text('keys.previous', { when: moment(previousUntil) })}</span>
          )}
        </div>
      ),
    },
    {
      id: 'do',
      width: '14rem',
      align: 'end',
      title: <span className="visually-hidden">{text('keys.do')}</span>,
      cell: (key) => stateOf(key) === 'ACTIVE' && <Actions of={key} onRotated={onRotated} onRevoked={onRevoked} />,
    },
  ]
  return <Table label={text('keys.title')} columns={columns} entries={keys} rowId={({ id }) => id} />
}

function Actions({
  of,
  onRotated,
  onRevoked,
}: {
  of: ApiKey
  onRotated: (key: ApiKey) => void
  onRevoked: () => void
}) {
  const text = useText()
  const rotate = useRotateKey()
  const revoke = useRevokeKey()
  return (
    <Bar end>
      <Confirm
        look="secondary"
        name={text('keys.rotate')}
        title={text('keys.rotate.title', { name: of.name })}
        keep={text('keys.keep')}
        isPending={rotate.isPending}
        onConfirm={() => follow(rotate.mutateAsync(of.id), onRotated)}
      >
        {text('keys.rotate.about')}
      </Confirm>
      <Confirm
        name={text('keys.revoke')}
        title={text('keys.revoke.title', { name: of.name })}
        keep={text('keys.keep')}
        isPending={revoke.isPending}
        onConfirm={() => follow(revoke.mutateAsync(of.id), onRevoked)}
      >
        {text('keys.revoke.about')}
      </Confirm>
    </Bar>
  )
}
