import { useState } from 'react'
import { useDeleteWebhook, useRegisterWebhook, useTestWebhook, type Webhook } from '@/api/webhook'
import { follow } from '@/app/follow'
import { useText } from '@/i18n/messages'
import { Bar, Button, Confirm, Field, notices, Stack } from '@/ui'

/** The endpoint of the webhook. */
export function Address({ webhook, onAnswer }: { webhook: Webhook | null; onAnswer: (answer: Webhook) => void }) {
  const text = useText()
  const [url, setUrl] = useState(webhook?.url ?? '')
  const register = useRegisterWebhook()
  const test = useTestWebhook()
  const deletion = useDeleteWebhook()
  const unchanged = webhook?.enabled && url.trim() === webhook.url
  return (
    <Stack>
      <Field
        label={text('webhook.url')}
        hint={text('webhook.url.hint')}
        type="url"
        maxLength={2048}
        placeholder="https://hooks.example/loadbay"
        value={url}
        onChange={setUrl}
        error={register.error?.message}
      />
      <Bar>
        <Button
          look="primary"
          isDisabled={!url.trim() || unchanged === true}
          isPending={register.isPending}
          onPress={() => follow(register.mutateAsync(url.trim()), onAnswer)}
        >
          {text(webhook ? 'webhook.change' : 'webhook.register')}
        </Button>
        {webhook && (
          <Button
            isPending={test.isPending}
            isDisabled={!webhook.enabled}
            onPress={() => follow(test.mutateAsync(), () => notices.add({ title: text('webhook.tested') }))}
          >
            {text('webhook.test')}
          </Button>
        )}
        {webhook && (
          <Confirm
            name={text('webhook.delete')}
            title={text('webhook.delete.title')}
            keep={text('webhook.delete.keep')}
            isPending={deletion.isPending}
            onConfirm={() => follow(deletion.mutateAsync())}
          >
            {text('webhook.delete.about')}
          </Confirm>
        )}
      </Bar>
    </Stack>
  )
}
