import { useEffect, useEffectEvent, useState } from 'react'
import { useConfirmColumns } from './queries'

/** Agrees to the columns once all that was said of them is kept; what is refused is not agreed to. */
export function useAgreement(id: string, { isSaved, refusal }: { isSaved: boolean; refusal: Error | null }) {
  const [isWanted, setWanted] = useState(false)
  const confirm = useConfirmColumns(id)
  const settle = useEffectEvent(() => {
    setWanted(false)
    if (isSaved) confirm.mutate()
  })
  const isSettled = isSaved || refusal !== null
  useEffect(() => {
    if (isWanted && isSettled) settle()
  }, [isWanted, isSettled])
  return { agree: () => setWanted(true), isPending: isWanted || confirm.isPending }
}
