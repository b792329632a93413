import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  contextsOfQuery,
  useActivate,
  useConfirmMailDomains,
  useSetQuotas,
  type Names,
  type Organisation,
  type Quotas,
} from '@/api/operator'
import { follow } from '@/app/follow'
import { Loaded } from '@/app/Loaded'
import { useText } from '@/i18n/messages'
import { Bar, Button, Confirm, Facts, Field, notices, Stack } from '@/ui'

const names = ['openImports', 'announcedBytes', 'openExports', 'streams', 'requestsPerMinute'] as const

/** An organisation: its quotas, e-mail domains, contexts and activation. */
export function OneOrganisation({ of }: { of: Organisation }) {
  const text = useText()
  const [typed, setTyped] = useState(
    () =>
      Object.fromEntries(names.map((name) => [name, String(of.quotas[name] ?? '')])) as Record<
        (typeof names)[number],
        string
      >,
  )
  const [domains, setDomains] = useState(of.mailDomains.join(', '))
  const set = useSetQuotas(of.id)
  const confirm = useConfirmMailDomains(of.id)
  const activate = useActivate(of.id)
  const listed = ({ names: first, others }: Names) =>
    [...first, ...(others > 0 ? [text('operator.others', { count: others })] : [])].join(', ') || '–'
  const quotas = Object.fromEntries(
    names.map((name) => [name, typed[name] === '' ? null : Number(typed[name])]),
  ) as Quotas
  return (
    <section aria-label={of.name}>
      <Stack>
        <h3>{of.name}</h3>
        <Bar fields>
          {names.map((name) => (
            <Field
              key={name}
              label={text(`settings.quota.${name}`)}
              placeholder={text('operator.quota.all')}
              inputMode="numeric"
              maxLength={15}
              value={typed[name]}
              onChange={(value) => setTyped({ ...typed, [name]: value.replace(/\D/g, '') })}
            />
          ))}
        </Bar>
        <Bar fields>
          <Field
            label={text('operator.mailDomains')}
            hint={
              of.unconfirmedMailDomains.length > 0 &&
              text('operator.mailDomains.waiting', { domains: of.unconfirmedMailDomains.join(', ') })
            }
            placeholder="example.org"
            value={domains}
            onChange={setDomains}
          />
          <Button
            isPending={confirm.isPending}
            onPress={() =>
              follow(confirm.mutateAsync(domains.split(/[\s,]+/).filter(Boolean)), () =>
                notices.add({ title: text('operator.mailDomains.kept') }),
              )
            }
          >
            {text('operator.mailDomains.keep')}
          </Button>
        </Bar>
        <Loaded query={useQuery(contextsOfQuery(of.id))} lines={2}>
          {({ periods, events }) => (
            <Facts
              facts={[
                [text('operator.periods'), listed(periods)],
                [text('operator.events'), listed(events)],
              ]}
            />
          )}
        </Loaded>
        <Bar>
          <Button
            look="primary"
            isPending={set.isPending}
            onPress={() => follow(set.mutateAsync(quotas), () => notices.add({ title: text('operator.quota.kept') }))}
          >
            {text('operator.quota.keep')}
          </Button>
          {of.active ? (
            <Confirm
              name={text('operator.deactivate')}
              title={text('operator.deactivate.title')}
              keep={text('operator.keep')}
              isPending={activate.isPending}
              onConfirm={() => follow(activate.mutateAsync(false))}
            >
              {text('operator.deactivate.about')}
            </Confirm>
          ) : (
            <Button isPending={activate.isPending} onPress={() => follow(activate.mutateAsync(true))}>
              {text('operator.activate')}
            </Button>
          )}
        </Bar>
      </Stack>
    </section>
  )
}
