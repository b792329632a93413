import { useSyncExternalStore } from 'react'

const key = 'loadbay.tour'
const listeners = new Set<() => void>()

/** Starts or ends the tour in this browser. It goes on after a reload. */
export function setTour(isOn: boolean): void {
  if (isOn) localStorage.setItem(key, 'on')
  else localStorage.removeItem(key)
  for (const changed of listeners) changed()
}

const subscribe = (changed: () => void) => {
  listeners.add(changed)
  return () => void listeners.delete(changed)
}

/** Whether the tour is on. */
export const useIsTouring = (): boolean => useSyncExternalStore(subscribe, () => localStorage.getItem(key) === 'on')
