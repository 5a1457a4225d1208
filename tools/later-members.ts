/**
 * Writes src/protocol/members-since-3.1.ts and so on: the names of request members that a release brought, 3.0 has not and no task takes from its callers, by
 * the place of 3.0's schemas where they came in. Run by hand when a release is added, after the build has laid its schemas down: `npx tsx tools/later-members.ts`.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ENVELOPE_MEMBERS } from '../src/protocol/envelope-members.ts'
import { APPLIED_MEMBERS } from '../src/protocol/later-effects.ts'
import { RELEASES } from '../src/protocol/releases.ts'
import type { SchemaPlace } from '../src/protocol/schema-places.ts'
import { Schemas } from '../src/protocol/schemas.ts'

/** Deeper members of a request are assets and the like, of which each release has its own kinds. */
const MAX_DEPTH = 7

const schemas = new Schemas()
/** Names by release and place. */
const found = new Map(RELEASES.slice(1).map(({ line }) => [line, new Map<string, Set<string>>()] as const))
for (const source of RELEASES.slice(1)) {
  const later = new Schemas(source)
  for (const task of Object.keys(schemas.manifest.tools).filter((each) => each !== 'log_event')) {
    const [now, then] = [schemas.requestPlace(task), later.requestPlace(task)]
    if (now && then) compare(now, then, source.line, 0)
  }
}
for (const [line, places] of found) {
  const target = fileURLToPath(new URL(`../src/protocol/members-since-${line}.ts`, import.meta.url))
  writeFileSync(target, render(line, places))
  execFileSync('npx', ['biome', 'format', '--write', target])
  console.log(`${line}: ${places.size} places`)
}

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
  const places = found.get(release)
  if (!places || APPLIED_MEMBERS[place]?.includes(name) || [...found.values()].some((each) => each.get(place)?.has(name))) return
  places.set(place, (places.get(place) ?? new Set()).add(name))
}

function render(release: string, places: ReadonlyMap<string, ReadonlySet<string>>): string {
  const rows = [...places]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([place, names]) =>
        `  '${place}': [${[...names]
          .toSorted()
          .map((name) => `'${name}'`)
          .join(', ')}],`,
    )
  return `/**
 * Members of requests that AdCP ${release} brought and that callers of 3.0 cannot use, by the place in the schemas of 3.0 (document, \`#\`, members down to
 * the object). Written by tools/later-members.ts from the schemas in the Python package \`adcp\` 9.2.0.
 */
export const MEMBERS_SINCE_${release.replace('.', '_')}: Readonly<Record<string, readonly string[]>> = {
${rows.join('\n')}
}
`
}
