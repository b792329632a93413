import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname)
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (name) => /\.tsx?$/.test(name) && !name.includes('.test.'),
)

/** The modules of this folder that a module imports at its top, types included. */
function importsOf(name: string): string[] {
  const text = readFileSync(join(root, name), 'utf8')
  return [...text.matchAll(/^(?:import|export)\b[^'"]*?['"]((?:@|\.{1,2})\/[^'"]+)['"]/gm)].flatMap(([, path]) => {
    const base = path!.startsWith('@/') ? path!.slice(2) : normalize(join(dirname(name), path!))
    return [base, `${base}.ts`, `${base}.tsx`, `${base}/index.ts`].filter((each) => files.includes(each))
  })
}

/** A cycle of imports that begins at one of the modules, or undefined. */
function findCycle(graph: ReadonlyMap<string, string[]>): string[] | undefined {
  const done = new Set<string>()
  const visit = (name: string, path: string[]): string[] | undefined => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name]
    if (done.has(name)) return undefined
    for (const next of graph.get(name) ?? []) {
      const cycle = visit(next, [...path, name])
      if (cycle) return cycle
    }
    done.add(name)
    return undefined
  }
  for (const name of graph.keys()) {
    const cycle = visit(name, [])
    if (cycle) return cycle
  }
  return undefined
}

describe('imports', () => {
  it('have no cycle, types included', () => {
    const graph = new Map(files.map((name) => [name, importsOf(name)]))
    expect([...graph.values()].flat().length).toBeGreaterThan(300)
    expect(findCycle(graph)).toBeUndefined()
  })

  it('are searched for cycles through several modules', () => {
    const graph = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', []],
      ['d', ['b']],
    ])
    expect(findCycle(graph)).toEqual(['b', 'd', 'b'])
  })
})
