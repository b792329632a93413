import { useRotateSecret, type Webhook } from '@/api/webhook'
import { follow } from '@/app/follow'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Bar, Confirm, notices, Once, Stack } from '@/ui'

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
  return (
    <Stack>
      {secret ? (
        <Once
          about={text('webhook.secret.once')}
          secret={secret}
          copy={text('webhook.copy')}
          onCopied={() => notices.add({ title: text('webhook.copied') })}
        />
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
