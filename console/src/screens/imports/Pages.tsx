import { useText } from '@/i18n/messages'
import { Button } from '@/ui'
import css from './Imports.module.css'
import { pageSize } from './filter'

/** How many there are, and the way to the others. */
export function Pages({ page, total, onPage }: { page: number; total: number; onPage: (page: number) => void }) {
  const text = useText()
  const last = Math.max(0, Math.ceil(total / pageSize) - 1)
  return (
    <div className={css.pages}>
      <span className="numeric">{text('imports.total', { count: total })}</span>
      {last > 0 && (
        <span className={css.turn}>
          <Button size="small" isDisabled={page === 0} onPress={() => onPage(page - 1)}>{text('imports.newer')}</Button>
          <Button size="small" isDisabled={page >= last} onPress={() => onPage(page + 1)}>{text('imports.older')}</Button>
        </span>
      )}
    </div>
  )
}
