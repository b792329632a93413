import { useEffect, useEffectEvent } from 'react'
import { useText } from '@/i18n/messages'
import { Button } from '@/ui'
import css from './Pages.module.css'

type PagesProps = { page: number; size: number; total: number; /** How many there are, in words. */ label: string; oldestFirst?: boolean; onPage: (page: number) => void }

/** How many entries there are, newest first unless it says otherwise, and the way to the others. From a page that is not there any more it leads to the last. */
export function Pages({ page, size, total, label, oldestFirst = false, onPage }: PagesProps) {
  const text = useText()
  const [back, on] = oldestFirst ? [text('imports.older'), text('imports.newer')] : [text('imports.newer'), text('imports.older')]
  const last = Math.max(0, Math.ceil(total / size) - 1)
  const lead = useEffectEvent(onPage)
  useEffect(() => { if (page > last) lead(last) }, [page, last])
  return (
    <div className={css.pages}>
      <span className="numeric">{label}</span>
      {last > 0 && (
        <span className={css.turn}>
          <Button size="small" isDisabled={page === 0} onPress={() => onPage(page - 1)}>{back}</Button>
          <Button size="small" isDisabled={page >= last} onPress={() => onPage(page + 1)}>{on}</Button>
        </span>
      )}
    </div>
  )
}
