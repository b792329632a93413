import { useEffect, useState } from 'react'
import css from './Tooltips.module.css'

/** Buttons and links without visible text: their names are only for screen readers. */
const icons = 'button[aria-label], a[aria-label], [role=button][aria-label]'

/** The time for which the pointer rests on an icon before its name is shown, in milliseconds. */
const rest = 400

/** The least distance of the middle of a name from the edges of the window, in pixels. */
const margin = 72

type Shown = { name: string; x: number; y: number; isBelow: boolean }

/** Shows the name of an icon button next to it while the pointer rests on it, or while the keyboard has its focus there. */
export function Tooltips() {
  const [shown, setShown] = useState<Shown | null>(null)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let over: Element | null = null
    const hide = () => {
      clearTimeout(timer)
      over = null
      setShown(null)
    }
    const show = (icon: Element) => {
      const { left, width, top, bottom } = icon.getBoundingClientRect()
      const isBelow = top < 48
      setShown({
        name: icon.getAttribute('aria-label')!,
        x: Math.max(margin, Math.min(innerWidth - margin, left + width / 2)),
        y: isBelow ? bottom : top,
        isBelow,
      })
    }
    const enter = ({ target, pointerType }: PointerEvent) => {
      const icon = iconAt(target)
      if (icon === over) return
      hide()
      if (!icon || pointerType === 'touch') return
      over = icon
      timer = setTimeout(() => icon.isConnected && show(icon), rest)
    }
    const focus = ({ target }: FocusEvent) => {
      const icon = iconAt(target)
      if (icon?.matches(':focus-visible')) show(icon)
      else hide()
    }
    const key = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') hide()
    }
    const listeners = {
      pointerover: enter,
      pointerdown: hide,
      focusin: focus,
      focusout: hide,
      keydown: key,
      scroll: hide,
    }
    for (const [name, listener] of Object.entries(listeners)) addEventListener(name, listener as EventListener, true)
    return () => {
      clearTimeout(timer)
      for (const [name, listener] of Object.entries(listeners))
        removeEventListener(name, listener as EventListener, true)
    }
  }, [])
  if (!shown) return null
  const { name, x, y, isBelow } = shown
  return (
    <div className={css.tip} data-below={isBelow || undefined} style={{ left: x, top: y }} aria-hidden>
      {name}
    </div>
  )
}

/** The icon that an event is about; null for anything with visible text. */
function iconAt(target: EventTarget | null): Element | null {
  const icon = target instanceof Element ? target.closest(icons) : null
  return icon && !icon.textContent.trim() ? icon : null
}
