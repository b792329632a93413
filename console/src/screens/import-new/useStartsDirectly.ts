import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { meQuery } from '@/api/imports'

const key = 'loadbay.import-without-preview'

/**
 * Whether imports start without a preview, as chosen last in this browser. Without a choice they are previewed, except for people
 * who may not approve changes: a preview of theirs would wait for someone else.
 */
export function useStartsDirectly() {
  const { data: me } = useQuery(meQuery)
  const [chosen, setChosen] = useState(() => localStorage.getItem(key))
  const isDirect = chosen === null ? me !== undefined && !me.scopes.includes('imports:approve') : chosen === 'true'
  const choose = (direct: boolean) => {
    localStorage.setItem(key, String(direct))
    setChosen(String(direct))
  }
  return [isDirect, choose] as const
}
