import { SearchX } from 'lucide-react'
import { useText } from '@/i18n/messages'
import { ButtonLink, EmptyState } from '@/ui'

/** The page for unknown addresses. */
export function Component() {
  const text = useText()
  return (
    <EmptyState
      icon={<SearchX />}
      title={text('face.missing')}
      actions={<ButtonLink to="/">{text('face.home')}</ButtonLink>}
    >
      {text('face.missing.about')}
    </EmptyState>
  )
}
