import { useEffect, useEffectEvent } from 'react'
import { useText } from '@/i18n/messages'
import { Button } from '@/ui'
import css from './Pages.module.css'

type PagesProps = {
  page: number
  size: number
  total: number
  /** The total as a text. */ label: string
  oldestFirst?: boolean
  onPage: (page: number) => void
}

/** Pagination: the total and links to newer and older entries. A page past the end redirects to the last page. */
export function Pages({ page, size, total, label, oldestFirst = false, onPage }: PagesProps) {
  const text = useText()
  const [back, on] = oldestFirst
    ? [text('imports.older'), text('imports.newer')]
    : [text('imports.newer'), text('imports.older')]
  const last = Math.max(0, Math.ceil(total / size) - 1)
  const lead = useEffectEvent(onPage)
  useEffect(() => {
    if (page > last) lead(last)
  }, [page, last])
  return (
    <div className={css.pages}>
      <span className="numeric">{label}</span>
      {last > 0 && (
        <span className={css.turn}>
          <Button size="small" isDisabled={page === 0} onPress={() => onPage(page - 1)}>
            {back}
          </Button>
          <Button size="small" isDisabled={page >= last} onPress={() => onPage(page + 1)}>
            {on}
          </Button>
        </span>
      )}
    </div>
  )
}
