/**
 * Writes src/protocol/later-members.ts: the names of request members that AdCP 3.1 and 3.2 have and 3.0 has not, by the place of 3.0's schemas
 * where they came in. Run by hand when a release is added, after the build has laid its schemas down: `npx tsx tools/later-members.ts`.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ENVELOPE_MEMBERS } from '../src/protocol/envelope-members.ts'
import { RELEASES } from '../src/protocol/releases.ts'
import type { SchemaPlace } from '../src/protocol/schema-places.ts'
import { Schemas } from '../src/protocol/schemas.ts'

/** Deeper members of a request are assets and the like, of which each release has its own kinds. */
const MAX_DEPTH = 7

const schemas = new Schemas()
const found = new Map<string, Map<string, string>>()
for (const source of RELEASES.slice(1)) {
  const later = new Schemas(source)
  for (const task of Object.keys(schemas.manifest.tools).filter((each) => each !== 'log_event')) {
    const [now, then] = [schemas.requestPlace(task), later.requestPlace(task)]
    if (now && then) compare(now, then, source.line, 0)
  }
}
const target = fileURLToPath(new URL('../src/protocol/later-members.ts', import.meta.url))
writeFileSync(target, render())
execFileSync('npx', ['biome', 'format', '--write', target])
console.log(`${found.size} places`)

function compare(now: SchemaPlace, later: SchemaPlace, release: string, depth: number): void {
  const [place] = now.places
  if (depth > MAX_DEPTH || place === undefined) return
  for (const name of later.names) {
    if (!now.names.has(name) && !(depth === 0 && ENVELOPE_MEMBERS.has(name))) note(place, name, release)
  }
  for (const name of now.names) {
    const [child, laterChild] = [now.declared(name), later.declared(name)]
    if (name !== 'ext' && name !== 'context' && child && laterChild) compare(child, laterChild, release, depth + 1)
  }
}

function note(place: string, name: string, release: string): void {
  const names = found.get(place) ?? new Map<string, string>()
  if (!names.has(name)) names.set(name, release)
  found.set(place, names)
}

function render(): string {
  const rows = [...found]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([place, names]) => {
      const members = [...names].toSorted().map(([name, release]) => `${name}: '${release}'`)
      return `  '${place}': { ${members.join(', ')} },`
    })
  return `/**
 * Members of requests that a later release defines and AdCP 3.0 does not, each with the release that brought it, by the place in the schemas of 3.0
 * (document, \`#\`, members down to the object). Written by tools/later-members.ts from the schemas in the Python package \`adcp\` 9.2.0.
 */
export const LATER_MEMBERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
${rows.join('\n')}
}
`
}
