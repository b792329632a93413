import { TriangleAlert } from 'lucide-react'
import { useText } from '@/i18n/messages'
import { Button, ErrorState } from '@/ui'

/** Error page for failures of the console itself, such as a screen whose code cannot be loaded. */
export function Crashed() {
  const text = useText()
  return (
    <ErrorState
      icon={<TriangleAlert />}
      title={text('face.failed')}
      actions={<Button onPress={() => location.reload()}>{text('face.retry')}</Button>}
    />
  )
}
