import { useQuery } from '@tanstack/react-query'
import { ChevronLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { meQuery } from '@/api/imports'
import { Loaded } from '@/app/Loaded'
import { useText } from '@/i18n/messages'
import { Component as NotFound } from '@/screens/not-found/NotFound'

/** Shows a screen about types to people with `types:read`, or with `needed`; `mayWrite` is whether they have `types:write`. */
export function Permitted({
  needed = 'types:read',
  children,
}: {
  needed?: 'types:read' | 'types:write'
  children: (mayWrite: boolean) => ReactNode
}) {
  return (
    <Loaded query={useQuery(meQuery)}>
      {({ scopes }) => (scopes.includes(needed) ? children(scopes.includes('types:write')) : <NotFound />)}
    </Loaded>
  )
}

/** The link back from a type to the list. */
export function BackToTypes() {
  const text = useText()
  return (
    <Link to="/settings/types">
      <ChevronLeft aria-hidden />
      {text('types.title')}
    </Link>
  )
}
