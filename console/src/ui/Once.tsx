import { Copy } from 'lucide-react'
import { Button } from './Button'
import css from './Once.module.css'
import { Bar } from './Stack'

/** A secret that is shown only once, with a button that copies it. */
export function Once({
  about,
  secret,
  copy,
  onCopied,
}: {
  about: string
  secret: string
  copy: string
  onCopied: () => void
}) {
  return (
    <div className={css.once} role="status">
      <p>{about}</p>
      <Bar>
        <code className={css.secret}>{secret}</code>
        <Button size="small" onPress={() => void navigator.clipboard.writeText(secret).then(onCopied)}>
          <Copy aria-hidden />
          {copy}
        </Button>
      </Bar>
    </div>
  )
}
