import { useSyncExternalStore } from 'react'
import type { Options } from '@loadbay/client'

/** The number of failed requests in a row after which the server counts as lost. One can fail by chance. */
const enough = 2

let failures = 0
const listeners = new Set<() => void>()

function note(failed: boolean): void {
  const before = isLost()
  failures = failed ? failures + 1 : 0
  if (isLost() !== before) for (const changed of listeners) changed()
}

const isLost = () => failures >= enough
const subscribe = (changed: () => void) => {
  listeners.add(changed)
  return () => void listeners.delete(changed)
}

/** Observes the requests of the API's client. A gateway without a server behind it answers, but not as the API. */
export const connection: NonNullable<Options['middleware']>[number] = {
  onResponse({ response }) {
    note([502, 503, 504].includes(response.status))
  },
  onError({ error }) {
    if (!(error instanceof DOMException && error.name === 'AbortError')) note(true)
  },
}

/** Whether the last requests all failed, so that what is shown may be outdated. */
export const useIsLost = () => useSyncExternalStore(subscribe, isLost)
