import { X } from 'lucide-react'
import {
  Button,
  Text,
  UNSTABLE_Toast as AriaToast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components'
import css from './Toast.module.css'

/** The content of a toast. */
export type Notice = {
  title: string
  about?: string
  tone?: 'good' | 'bad' | 'wait'
  /** A link to details. */ action?: { name: string; onPress: () => void }
}

/** The queue of toasts. `add` shows a new one, which screen readers announce. */
export const notices = new ToastQueue<Notice>({ maxVisibleToasts: 3 })

/** Shows the toasts at the end of the screen. */
export function Toasts({ label, close }: { label: string; close: string }) {
  return (
    <ToastRegion queue={notices} className={css.region ?? ''} aria-label={label}>
      {({ toast }) => (
        <AriaToast toast={toast} className={`${css.toast} ${css[toast.content.tone ?? 'good']}`}>
          <ToastContent className={css.content ?? ''}>
            <Text slot="title" className={css.title}>
              {toast.content.title}
            </Text>
            {toast.content.about && <Text slot="description">{toast.content.about}</Text>}
          </ToastContent>
          {toast.content.action && (
            <Button
              className={css.action ?? ''}
              onPress={() => {
                toast.content.action?.onPress()
                notices.close(toast.key)
              }}
            >
              {toast.content.action.name}
            </Button>
          )}
          <Button slot="close" className={css.close ?? ''} aria-label={close}>
            <X aria-hidden />
          </Button>
        </AriaToast>
      )}
    </ToastRegion>
  )
}
