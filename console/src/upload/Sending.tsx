import { Pause, Play, WifiOff } from 'lucide-react'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Button, ErrorState, Panel, Progress } from '@/ui'
import css from './NewImport.module.css'
import type { Standing } from './useBegin'

type SendingProps = { file: File; standing: Extract<Standing, { sent: number }>; onPause: () => void; onGoOn: () => void }

/** How far the file has been sent. */
export function Sending({ file, standing, onPause, onGoOn }: SendingProps) {
  const text = useText()
  const { size } = useFormat()
  if (standing.is === 'interrupted') {
    return <ErrorState icon={<WifiOff />} title={text('new.interrupted')} actions={<Button look="primary" onPress={onGoOn}>{text('new.resume')}</Button>}>{standing.error.message}</ErrorState>
  }
  const paused = standing.is === 'paused'
  return (
    <Panel title={text('new.sending', { file: file.name })} actions={paused ? <Button onPress={onGoOn}><Play aria-hidden />{text('new.resume')}</Button> : <Button onPress={onPause}><Pause aria-hidden />{text('new.pause')}</Button>}>
      <Progress size="thick" label={text('new.sending', { file: file.name })} percent={(100 * standing.sent) / file.size} tone={paused ? 'wait' : 'busy'} />
      <p className={css.sent}>{text('new.sent', { sent: size(standing.sent), size: size(file.size) })}{paused && ` · ${text('new.paused')}`}</p>
    </Panel>
  )
}
