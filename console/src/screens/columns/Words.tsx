import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useText } from '@/i18n/messages'
import { Button, Field } from '@/ui'
import css from './Columns.module.css'
import { PausedField } from './PausedField'

/** Edits the replaced values. An empty replacement clears the cell. */
export function Words({
  words,
  onChange,
}: {
  words: Record<string, string>
  onChange: (words: Record<string, string>) => void
}) {
  const text = useText()
  const [added, setAdded] = useState('')
  const fresh = added.trim()
  const isKnown = Object.keys(words).some((word) => word.toLowerCase() === fresh.toLowerCase())
  const add = () => {
    onChange({ ...words, [fresh]: fresh })
    setAdded('')
  }
  const without = (dropped: string) => Object.fromEntries(Object.entries(words).filter(([word]) => word !== dropped))
  return (
    <div className={css.words}>
      <ul>
        {Object.keys(words)
          .sort()
          .map((word) => (
            <li key={word}>
              <PausedField
                label={text('columns.word.becomes', { word })}
                value={words[word]!}
                onChange={(to) => onChange({ ...words, [word]: to })}
              />
              <Button
                size="small"
                look="quiet"
                aria-label={text('columns.word.drop', { word })}
                onPress={() => onChange(without(word))}
              >
                <Trash2 aria-hidden />
              </Button>
            </li>
          ))}
      </ul>
      <div className={css.addWord}>
        <Field label={text('columns.word')} value={added} onChange={setAdded} maxLength={300} />
        <Button size="small" isDisabled={fresh === '' || isKnown} onPress={add}>
          <Plus aria-hidden />
          {text('columns.word.add')}
        </Button>
      </div>
    </div>
  )
}
