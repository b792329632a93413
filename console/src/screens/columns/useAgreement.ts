import { useEffect, useEffectEvent, useState } from 'react'
import { useConfirmColumns } from './queries'

/** Confirms the columns as soon as all changes are saved. A change that the API rejects cancels the confirmation. */
export function useAgreement(id: string, { isSaved, refusal }: { isSaved: boolean; refusal: Error | null }) {
  const [isWanted, setWanted] = useState(false)
  const confirm = useConfirmColumns(id)
  if (isWanted && !isSaved && refusal) setWanted(false)
  const send = useEffectEvent(() => {
    if (!confirm.isPending) confirm.mutate(undefined, { onSettled: () => setWanted(false) })
  })
  useEffect(() => {
    if (isWanted && isSaved) send()
  }, [isWanted, isSaved])
  return { agree: () => setWanted(true), isPending: isWanted || confirm.isPending }
}
