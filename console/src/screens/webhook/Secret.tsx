import { Copy } from 'lucide-react'
import { useRotateSecret, type Webhook } from '@/api/webhook'
import { follow } from '@/app/follow'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Bar, Button, Confirm, notices, Stack } from '@/ui'
import css from './Webhook.module.css'

/** The signing secret, shown once after it is created. */
export function Secret({
  webhook,
  secret,
  onAnswer,
}: {
  webhook: Webhook
  secret: string | null
  onAnswer: (answer: Webhook) => void
}) {
  const text = useText()
  const { moment } = useFormat()
  const rotate = useRotateSecret()
  const doIt = () => follow(rotate.mutateAsync(), onAnswer)
  const copy = () =>
    void navigator.clipboard.writeText(secret ?? '').then(() => notices.add({ title: text('webhook.copied') }))
  return (
    <Stack>
      {secret ? (
        <div className={css.once} role="status">
          <p>{text('webhook.secret.once')}</p>
          <Bar>
            <code className={css.secret}>{secret}</code>
            <Button size="small" onPress={copy}>
              <Copy aria-hidden />
              {text('webhook.copy')}
            </Button>
          </Bar>
        </div>
      ) : (
        <p>{text('webhook.secret.hidden')}</p>
      )}
      {webhook.previousSecretUntil && (
        <p>{text('webhook.secret.until', { when: moment(webhook.previousSecretUntil) })}</p>
      )}
      <Bar>
        <Confirm
          look="secondary"
          name={text('webhook.rotate')}
          title={text('webhook.rotate.title')}
          keep={text('webhook.rotate.keep')}
          isPending={rotate.isPending}
          onConfirm={doIt}
        >
          {text('webhook.rotate.about')}
        </Confirm>
      </Bar>
    </Stack>
  )
}
