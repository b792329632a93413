import { useState } from 'react'
import { useCancelImport, type ImportJob } from '@/api/imports'
import { useText } from '@/i18n/messages'
import { Button, Dialog, notices } from '@/ui'

/** Cancels an import, or discards a preview, after a confirmation. */
export function CancelButton({ job }: { job: ImportJob }) {
  const text = useText()
  const [asks, setAsks] = useState(false)
  const cancel = useCancelImport(job.identifier)
  const isPreview = job.waitingFor === 'APPROVAL'
  const doIt = () => {
    setAsks(false)
    cancel.mutate(undefined, { onError: (error) => notices.add({ tone: 'bad', title: error.message }) })
  }
  return (
    <>
      <Button onPress={() => setAsks(true)} isPending={cancel.isPending}>
        {text(isPreview ? 'import.discard' : 'import.cancel')}
      </Button>
      <Dialog
        title={text(isPreview ? 'import.discard.title' : 'import.cancel.title')}
        isOpen={asks}
        onClose={() => setAsks(false)}
        actions={
          <>
            <Button autoFocus onPress={() => setAsks(false)}>
              {text(isPreview ? 'import.discard.keep' : 'import.cancel.keep')}
            </Button>
            <Button look="danger" onPress={doIt}>
              {text(isPreview ? 'import.discard' : 'import.cancel.do')}
            </Button>
          </>
        }
      >
        {text(isPreview ? 'import.discard.about' : 'import.cancel.about')}
      </Dialog>
    </>
  )
}
