import { TriangleAlert } from 'lucide-react'
import { useText } from '@/i18n/messages'
import { Button, ErrorState } from '@/ui'

/** What is shown where the console itself fails, as when a screen's program cannot be loaded. */
export function Crashed() {
  const text = useText()
  return (
    <ErrorState icon={<TriangleAlert />} title={text('face.failed')} actions={<Button onPress={() => location.reload()}>{text('face.retry')}</Button>} />
  )
}
