import { FileSpreadsheet, UploadCloud } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import {
  Button as AriaButton,
  DropZone,
  FileTrigger,
  Tab,
  TabList,
  TabPanel,
  Tabs,
  type FileDropItem,
  type Key,
} from 'react-aria-components'
import { onFile, takeFile } from '@/app/incoming'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Button, Field } from '@/ui'
import { accepted } from '@/upload/formats'
import css from './NewImport.module.css'
import type { RowSource } from './useBegin'

const limit = 524_288_000

type RowsProps = { source: RowSource | null; onSource: (source: RowSource | null) => void; error?: string }

/** A dropped or selected file, pasted rows, or a URL. The size is checked before the upload. */
export function Rows({ source, onSource, error }: RowsProps) {
  const text = useText()
  const { size } = useFormat()
  const [fault, setFault] = useState<string | null>(null)
  const [typed, setTyped] = useState('')
  const [tab, setTab] = useState<Key>('file')
  const take = (chosen: File | undefined) => {
    if (!chosen) return
    const wrong =
      chosen.size === 0
        ? text('new.empty')
        : chosen.size > limit
          ? text('new.tooLarge', { size: size(chosen.size) })
          : null
    setFault(wrong)
    onSource(wrong ? null : { file: chosen })
  }
  const takeIncoming = useEffectEvent(() => {
    const file = takeFile()
    if (!file) return
    setTab('file')
    setTyped('')
    take(file)
  })
  useEffect(() => {
    const timer = setTimeout(() => takeIncoming()) // a file that was dropped on another screen
    const stop = onFile(() => takeIncoming())
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [])
  const paste = (rows: string) => {
    setTyped(rows)
    onSource(rows.trim() ? { file: new File([rows], text('new.paste.name'), { type: 'text/csv' }) } : null)
  }
  const name = (address: string) => {
    setTyped(address)
    onSource(/^https?:\/\/[^\s/]/.test(address.trim()) ? { address: address.trim() } : null)
  }
  const problem = fault ?? (source ? undefined : error)
  return (
    <Tabs
      className={css.tabs ?? ''}
      selectedKey={tab}
      onSelectionChange={(chosen) => {
        if (chosen === tab) return
        setTab(chosen)
        onSource(null)
        setFault(null)
        setTyped('')
      }}
    >
      <TabList className={css.tabList ?? ''} aria-label={text('new.from')}>
        <Tab id="file" className={css.tab ?? ''}>
          {text('new.from.file')}
        </Tab>
        <Tab id="paste" className={css.tab ?? ''}>
          {text('new.from.paste')}
        </Tab>
        <Tab id="address" className={css.tab ?? ''}>
          {text('new.from.address')}
        </Tab>
      </TabList>
      <TabPanel id="file" className={css.tabPanel ?? ''}>
        <Drop file={source && 'file' in source ? source.file : null} onFile={take} />
        {problem && (
          <p className={css.problem} role="alert">
            {problem}
          </p>
        )}
      </TabPanel>
      <TabPanel id="paste" className={css.tabPanel ?? ''}>
        <Field
          label={text('new.paste')}
          hint={text('new.paste.hint')}
          lines={9}
          value={typed}
          onChange={paste}
          error={problem}
        />
      </TabPanel>
      <TabPanel id="address" className={css.tabPanel ?? ''}>
        <Field
          label={text('new.address')}
          hint={text('new.address.hint')}
          inputMode="url"
          placeholder="https://files.example.org/members.csv"
          value={typed}
          onChange={name}
          error={problem}
        />
      </TabPanel>
    </Tabs>
  )
}

function Drop({ file, onFile }: { file: File | null; onFile: (file: File | undefined) => void }) {
  const text = useText()
  const { size } = useFormat()
  const dropped = (items: { kind: string }[]) => {
    const first = items.find((item): item is FileDropItem => item.kind === 'file')
    void first?.getFile().then(onFile)
  }
  return (
    <DropZone
      className={`${css.drop} ${file ? css.taken : ''}`}
      aria-label={text('new.drop')}
      onDrop={({ items }) => dropped(items)}
    >
      <span className={css.dropIcon} aria-hidden>
        {file ? <FileSpreadsheet /> : <UploadCloud />}
      </span>
      {file ? (
        <p className={css.chosen}>
          <strong>{file.name}</strong>
          <span>{size(file.size)}</span>
        </p>
      ) : (
        <p className={css.invite}>
          <strong>{text('new.drop')}</strong>
          <span>{text('new.or')}</span>
        </p>
      )}
      <FileTrigger acceptedFileTypes={accepted} onSelect={(files) => onFile(files?.[0])}>
        {file ? (
          <Button size="small">{text('new.change')}</Button>
        ) : (
          <AriaButton className={css.choose ?? ''}>{text('new.choose')}</AriaButton>
        )}
      </FileTrigger>
    </DropZone>
  )
}
