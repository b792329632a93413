import { useEffect } from 'react'
import { useNavigate } from 'react-router'
import { session } from '@/app/session'
import { useText } from '@/i18n/messages'
import { Skeleton } from '@/ui'

/** The redirect target of the issuer; it continues to the address before sign-in. */
export function Component() {
  const text = useText()
  const navigate = useNavigate()
  useEffect(() => {
    // If sign-in fails, the frame shows the error.
    session.token().then(
      () => navigate(session.back, { replace: true }),
      () => undefined,
    )
  }, [navigate])
  return <Skeleton label={text('face.loading')} />
}
