import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import css from './Dialog.module.css'

type DialogProps = {
  title: string
  isOpen: boolean
  onClose: () => void
  children: ReactNode
  /** The buttons at the end, with the main action last. */
  actions: ReactNode
}

/** A modal dialog. Escape or a click outside closes it. */
export function Dialog({ title, isOpen, onClose, children, actions }: DialogProps) {
  return (
    <ModalOverlay
      className={css.overlay ?? ''}
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable
    >
      <Modal className={css.modal ?? ''}>
        <AriaDialog className={css.dialog ?? ''}>
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          <div className={css.body}>{children}</div>
          <div className={css.actions}>{actions}</div>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}
