import { UNSTABLE_ToastQueue as ToastQueue } from 'react-aria-components'

/** The content of a toast. */
export type Notice = {
  title: string
  about?: string
  tone?: 'good' | 'bad' | 'wait'
  /** A link to details. */ action?: { name: string; onPress: () => void }
}

/** Display time in milliseconds of notices other than errors, which stay until they are closed or the screen is left. */
const stays = 8_000

/** A queue that shows the same notice once. */
class Notices extends ToastQueue<Notice> {
  override add(notice: Notice, options: { timeout?: number } = {}): string {
    for (const { key, content } of this.visibleToasts)
      if (content.title === notice.title && content.tone === notice.tone) this.close(key)
    return super.add(notice, notice.tone === 'bad' ? options : { timeout: stays, ...options })
  }

  /** Closes the errors: they are about the screen that is left. */
  leave(): void {
    for (const { key, content } of this.visibleToasts) if (content.tone === 'bad') this.close(key)
  }
}

/** The queue of toasts. `add` shows a new one, which screen readers announce. Time does not pass while it is hovered, focused or hidden. */
export const notices = new Notices({ maxVisibleToasts: 3 })

document.addEventListener('visibilitychange', () => {
  if (document.hidden) notices.pauseAll()
  else notices.resumeAll()
})
