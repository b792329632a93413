import { BookMarked, FileDown, History, Inbox, PackageOpen, Settings, Table2, Webhook } from 'lucide-react'
import type { ReactNode } from 'react'
import type { MessageKey } from '@/i18n/messages'

/** The entries of the navigation. */
export const places: { to: string; name: MessageKey; icon: ReactNode }[] = [
  { to: '/', name: 'layout.imports', icon: <Inbox aria-hidden /> },
  { to: '/history', name: 'layout.history', icon: <History aria-hidden /> },
  { to: '/drop', name: 'layout.drop', icon: <PackageOpen aria-hidden /> },
  { to: '/templates', name: 'layout.templates', icon: <Table2 aria-hidden /> },
  { to: '/profiles', name: 'layout.profiles', icon: <BookMarked aria-hidden /> },
  { to: '/exports', name: 'layout.exports', icon: <FileDown aria-hidden /> },
  { to: '/webhook', name: 'layout.webhook', icon: <Webhook aria-hidden /> },
  { to: '/settings', name: 'layout.settings', icon: <Settings aria-hidden /> },
]
