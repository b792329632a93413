import { Pause, Play, WifiOff } from 'lucide-react'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Button, ErrorState, Panel, Progress } from '@/ui'
import css from './Sending.module.css'
import type { SendingState } from './useSending'

type SendingProps = {
  file: File
  state: Extract<SendingState, { sent: number }>
  onPause: () => void
  onGoOn: () => void
}

/** Progress of an upload. */
export function Sending({ file, state, onPause, onGoOn }: SendingProps) {
  const text = useText()
  const { size } = useFormat()
  if (state.is === 'interrupted') {
    return (
      <ErrorState
        icon={<WifiOff />}
        title={text('upload.interrupted')}
        actions={
          <Button look="primary" onPress={onGoOn}>
            {text('upload.resume')}
          </Button>
        }
      >
        {state.error.message}
      </ErrorState>
    )
  }
  const paused = state.is === 'paused'
  return (
    <Panel
      title={text('upload.sending', { file: file.name })}
      actions={
        paused ? (
          <Button onPress={onGoOn}>
            <Play aria-hidden />
            {text('upload.resume')}
          </Button>
        ) : (
          <Button onPress={onPause}>
            <Pause aria-hidden />
            {text('upload.pause')}
          </Button>
        )
      }
    >
      <Progress
        size="thick"
        label={text('upload.sending', { file: file.name })}
        percent={(100 * state.sent) / file.size}
        tone={paused ? 'wait' : 'busy'}
      />
      <p className={css.sent}>
        {text('upload.sent', { sent: size(state.sent), size: size(file.size) })}
        {paused && ` · ${text('upload.paused')}`}
      </p>
    </Panel>
  )
}
