import { useEffect, type RefObject } from 'react'

/**
 * Moves the focus to the nearest element that is left when the focused one disappears, such as a button that is replaced by its result.
 * Otherwise the focus would fall to the body, and keyboards would start at the top of the page again.
 */
export function useKeepFocus(main: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let trail: HTMLElement[] = [] // the element that had the focus last, and its ancestors
    const remember = ({ target }: FocusEvent) => {
      trail = []
      for (let at = target as HTMLElement | null; at && main.current?.contains(at); at = at.parentElement)
        trail.push(at)
    }
    const leave = ({ target, relatedTarget }: FocusEvent) => {
      // A person who clicks elsewhere leaves; an element that is removed does not.
      if (!relatedTarget) queueMicrotask(() => (target as HTMLElement).isConnected && (trail = []))
    }
    const keep = () => {
      if (document.activeElement !== document.body || trail.length === 0 || trail[0]!.isConnected) return
      const nearest = trail.find((element) => element.isConnected)
      trail = []
      if (!nearest) return
      if (nearest.tabIndex < 0) nearest.tabIndex = -1
      nearest.focus({ preventScroll: true })
    }
    // Components that restore the focus themselves do so in the same frame.
    const observer = new MutationObserver(() => {
      if (trail.length > 0 && !trail[0]!.isConnected) requestAnimationFrame(keep)
    })
    const root = main.current
    root?.addEventListener('focusin', remember)
    root?.addEventListener('focusout', leave)
    observer.observe(document.body, { childList: true, subtree: true })
    return () => {
      root?.removeEventListener('focusin', remember)
      root?.removeEventListener('focusout', leave)
      observer.disconnect()
    }
  }, [main])
}
