import { useState } from 'react'
import { useCancelImport } from '@/api/imports'
import { useText } from '@/i18n/messages'
import { Button, Dialog, notices } from '@/ui'

/** Cancels an import after a confirmation. */
export function CancelButton({ id }: { id: string }) {
  const text = useText()
  const [asks, setAsks] = useState(false)
  const cancel = useCancelImport(id)
  const doIt = () => {
    setAsks(false)
    cancel.mutate(undefined, { onError: (error) => notices.add({ tone: 'bad', title: error.message }) })
  }
  return (
    <>
      <Button onPress={() => setAsks(true)} isPending={cancel.isPending}>
        {text('import.cancel')}
      </Button>
      <Dialog
        title={text('import.cancel.title')}
        isOpen={asks}
        onClose={() => setAsks(false)}
        actions={
          <>
            <Button autoFocus onPress={() => setAsks(false)}>
              {text('import.cancel.keep')}
            </Button>
            <Button look="danger" onPress={doIt}>
              {text('import.cancel.do')}
            </Button>
          </>
        }
      >
        {text('import.cancel.about')}
      </Dialog>
    </>
  )
}
