import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { webhookQuery, type Webhook } from '@/api/webhook'
import { Loaded } from '@/app/Loaded'
import { useText } from '@/i18n/messages'
import { Badge, PageHeader, Panel, Stack } from '@/ui'
import { Address } from './Address'
import { Deliveries } from './Deliveries'
import { Secret } from './Secret'

/** The webhook of the organisation and its deliveries. */
export function Component() {
  return <Loaded query={useQuery(webhookQuery)}>{(webhook) => <Whole webhook={webhook} />}</Loaded>
}

function Whole({ webhook }: { webhook: Webhook | null }) {
  const text = useText()
  const [secret, setSecret] = useState<string | null>(null)
  const keep = (answer: Webhook) => answer.secret && setSecret(answer.secret)
  return (
    <>
      <PageHeader
        title={text('webhook.title')}
        about={text('webhook.about')}
        badge={
          webhook && (
            <Badge tone={webhook.enabled ? 'good' : 'bad'}>
              {text(webhook.enabled ? 'webhook.enabled' : 'webhook.disabled')}
            </Badge>
          )
        }
      />
      <Stack>
        <Panel title={text('webhook.address')}>
          <Address key={webhook?.url} webhook={webhook} onAnswer={keep} />
        </Panel>
        {webhook && (
          <Panel title={text('webhook.secret')}>
            <Secret webhook={webhook} secret={secret} onAnswer={keep} />
          </Panel>
        )}
        {webhook && (
          <Panel title={text('webhook.deliveries')}>
            <Deliveries />
          </Panel>
        )}
      </Stack>
    </>
  )
}
