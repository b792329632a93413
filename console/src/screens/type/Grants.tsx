import { Copy } from 'lucide-react'
import { useText } from '@/i18n/messages'
import { Bar, Button, notices, Stack } from '@/ui'
import css from './Type.module.css'

/** SQL statements for the owner of the table, who runs them. */
export function Grants({ grants, optional }: { grants: string[]; optional: string[] }) {
  const text = useText()
  return (
    <Stack>
      {grants.length === 0 ? (
        <p>{text('type.grants.none')}</p>
      ) : (
        <Statements about={text('type.grants.about')} label={text('type.grants')} statements={grants} />
      )}
      {optional.length > 0 && (
        <Statements about={text('type.optional.about')} label={text('type.optional')} statements={optional} />
      )}
    </Stack>
  )
}

function Statements({ about, label, statements }: { about: string; label: string; statements: string[] }) {
  const text = useText()
  const sql = statements.join('\n')
  const copy = () => void navigator.clipboard.writeText(sql).then(() => notices.add({ title: text('type.copied') }))
  return (
    <Stack>
      <Bar>
        <p>{about}</p>
        <Button size="small" onPress={copy} aria-label={text('type.copy.label', { label })}>
          <Copy aria-hidden />
          {text('type.copy')}
        </Button>
      </Bar>
      <pre className={css.sql} dir="ltr" tabIndex={0} role="region" aria-label={label}>
        {sql}
      </pre>
    </Stack>
  )
}
