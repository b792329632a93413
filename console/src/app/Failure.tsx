import { SearchX, TriangleAlert, WifiOff } from 'lucide-react'
import { ApiError } from '@/api/problem'
import { useText } from '@/i18n/messages'
import { Button, ButtonLink, ErrorState } from '@/ui'

/** Shows why loading failed, with the message of the API and a retry button. */
export function Failure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const text = useText()
  const retry = <Button onPress={onRetry}>{text('face.retry')}</Button>
  if (error instanceof ApiError && error.unreachable) {
    return (
      <ErrorState icon={<WifiOff />} title={text('face.unreachable')} actions={retry}>
        {text('face.unreachable.about')}
      </ErrorState>
    )
  }
  if (error instanceof ApiError && error.status === 404) {
    return (
      <ErrorState
        icon={<SearchX />}
        title={text('face.missing')}
        actions={<ButtonLink to="/">{text('face.home')}</ButtonLink>}
      >
        {error.message}
      </ErrorState>
    )
  }
  return (
    <ErrorState icon={<TriangleAlert />} title={text('face.failed')} actions={retry}>
      <p>{error.message}</p>
      {error instanceof ApiError && error.requestId && (
        <p>
          <code>{text('face.request', { id: error.requestId })}</code>
        </p>
      )}
    </ErrorState>
  )
}
