import { ListX } from 'lucide-react'
import { useReadAgain, type ImportJob } from '@/api/imports'
import { useText } from '@/i18n/messages'
import { Button } from '@/ui'
import css from './Columns.module.css'
import { likelyFooter } from './likelyFooter'

/** Offers to skip the last rows of the file that look like totals or notes. */
export function Footer({ job }: { job: ImportJob }) {
  const text = useText()
  const read = useReadAgain(job.identifier)
  const footer = likelyFooter(job.warnings)
  if (!footer) return null
  return (
    <div className={css.offer}>
      <ListX aria-hidden />
      <p>{read.error?.message ?? text('columns.footer', { count: footer.rows, row: footer.from })}</p>
      <Button
        look="primary"
        size="small"
        isPending={read.isPending}
        onPress={() => read.mutate({ skipFooterRows: footer.rows })}
      >
        {text('columns.footer.leave', { count: footer.rows })}
      </Button>
    </div>
  )
}
