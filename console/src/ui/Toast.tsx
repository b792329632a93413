import { X } from 'lucide-react'
import {
  Button,
  Text,
  UNSTABLE_Toast as AriaToast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components'
import { notices } from './notices'
import css from './Toast.module.css'

/** Shows the toasts where no action is: between title and actions of a screen. */
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
