import '@fontsource-variable/inter/wght.css'
import './theme/tokens.css'
import './theme/base.css'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router'
import { forgetAnswers } from './api/client'
import { ApiError } from './api/problem'
import { openRouter } from './app/router'
import { session } from './app/session'
import { Language } from './i18n/Language'
import { applyTheme, chosenTheme } from './theme/theme'

applyTheme(chosenTheme())

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failures, error) => failures < 2 && error instanceof ApiError && error.passing,
      staleTime: 1_000,
    },
  },
})
const router = openRouter()

// What one person saw is nothing that another finds here.
session.subscribe(() => {
  if (session.state() === 'active') return
  queries.clear()
  forgetAnswers()
})

/** How long letters are waited for, in milliseconds. */
const patience = 3_000
const letters = document.fonts.load('1em "Inter Variable"').catch(() => [])
const late = new Promise((goOn) => setTimeout(goOn, patience))

// Nothing is shown before its letters are there: others are of other widths, and what they say would move.
void Promise.race([letters, late]).then(() => {
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <Language>
          <RouterProvider router={router} />
        </Language>
      </QueryClientProvider>
    </StrictMode>,
  )
})
